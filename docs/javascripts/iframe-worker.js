// Browsers start no Worker on a page from the disk. There the search runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
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
  };
}
