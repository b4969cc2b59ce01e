// Browsers start no Worker on a page from the disk. There the search runs in a hidden frame instead.
class FrameWorker extends EventTarget {
  constructor(url) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    frame.srcdoc = `<script src="${url}"></script>`;
    this.started = new Promise((resolve) => {
      frame.onload = () => {
        frame.contentWindow.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        resolve(frame.contentWindow);
      };
    });
    const place = () => document.body.append(frame);
    document.body ? place() : addEventListener("DOMContentLoaded", place);
  }

  postMessage(data) {
    this.started.then((inner) => inner.dispatchEvent(new inner.MessageEvent("message", { data })));
  }
}

// The search takes each word for the beginning of one: "how do I" would find what has "induction" in it.
const QUERY = 2; // the type of message that asks
const EMPTY = new Set(
  `a all an and any are as at be by can did do does for from get give has have how i if in into is it its make me my
  need of on one or our own should some that the their them there these they this to us use used using want was we
  what when where which who whose why will with you your`.split(/\s+/),
);

function meant(query) {
  const words = query.split(/\s+/).filter((word) => word && !EMPTY.has(word.toLowerCase().replace(/\W+$/, "")));
  return words.map((word) => word.replace(/[?!.,;]+$/, "").replace(/(?<=\w{3})(ies|s|y)$/, "")).join(" ") || query;
}

window.Worker = class extends (location.protocol === "file:" ? FrameWorker : Worker) {
  postMessage(data, ...rest) {
    super.postMessage(data?.type === QUERY ? { ...data, data: meant(data.data) } : data, ...rest);
  }
};
