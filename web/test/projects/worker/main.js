// The node runs in this page's own worker, together with the worker's other code.
const worker = new Worker("/worker.js", { type: "module" });

globalThis.answers = new Promise((resolve) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => resolve(message);
});
