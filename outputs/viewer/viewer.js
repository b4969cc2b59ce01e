// Keys for going through items without a mouse. Every page works without this.
"use strict";

const one = (selector) => document.querySelector(selector);
const entries = [...document.querySelectorAll(".list a.entry")];
const keys = one("#keys");

function follow(selector) {
  const link = one(selector);
  if (link) link.click();
}

function choose(step) {
  const now = entries.indexOf(document.activeElement);
  const next = now < 0 ? (step > 0 ? 0 : entries.length - 1) : now + step;
  if (entries[next]) entries[next].focus();
  else follow(step > 0 ? "a[rel=next]" : "a[rel=prev]");
}

function goTo(step) {
  if (entries.length) choose(step);
  else follow(step > 0 ? "a[rel=next]" : "a[rel=prev]");
}

const actions = {
  "/": () => { const field = one("input[type=search]"); if (field) field.select(); else follow("[data-up]"); },
  "j": () => goTo(1),
  "k": () => goTo(-1),
  "n": () => follow("a[rel=next]"),
  "p": () => follow("a[rel=prev]"),
  "u": () => follow("[data-up]"),
  "a": () => { const field = one("textarea"); if (field) { field.focus(); field.scrollIntoView({ block: "center" }); } },
  "g": () => { const gold = one("[data-gold]"); if (gold) gold.open = !gold.open; },
  "s": () => follow("[data-steps]"),
  "?": () => keys.showModal(),
};

document.addEventListener("keydown", (event) => {
  const field = event.target.closest("input, select, textarea");
  if (field) {
    if (event.key === "Escape") field.blur();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) field.form.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
  if (actions[event.key]) {
    event.preventDefault();
    actions[event.key]();
  }
});

for (const button of document.querySelectorAll("[data-keys]")) {
  button.hidden = false;
  button.addEventListener("click", actions["?"]);
}

// A choice shows its items at once; empty fields stay out of the address.
const filters = one("form.filters");
if (filters) {
  const more = filters.querySelector("details");
  if (matchMedia("(max-width: 760px)").matches && !("used" in more.dataset)) more.open = false;
  for (const field of filters.querySelectorAll("select, input[type=number]")) {
    field.addEventListener("change", () => filters.requestSubmit());
  }
  filters.addEventListener("submit", () => {
    for (const field of filters.elements) if (field.name && !field.value) field.disabled = true;
  });
  window.addEventListener("pageshow", () => {
    for (const field of filters.elements) field.disabled = false;
  });
}

// Whether gold is shown is kept from item to item.
const gold = one("[data-gold]");
if (gold) {
  gold.open = sessionStorage.getItem("gold") === "shown";
  gold.addEventListener("toggle", () => sessionStorage.setItem("gold", gold.open ? "shown" : ""));
}

const copy = one("[data-copy]");
if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(one("#code").textContent);
    copy.textContent = "Copied";
  });
}
