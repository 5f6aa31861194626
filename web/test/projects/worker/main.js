// The node runs in this page's own worker, beside whatever else that does.
const worker = new Worker("/worker.js", { type: "module" });

globalThis.answers = new Promise((resolve) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => resolve(message);
});
