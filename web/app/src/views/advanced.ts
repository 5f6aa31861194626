/** Views for developers and their shared code, in one script: together they compress better. */

export { default as Activate } from "./activate.tsx";
export { default as Console } from "./console.tsx";
export { default as Developer } from "./developer.tsx";
export { default as Lightning } from "./lightning.tsx";
export { default as Node } from "./node.tsx";
