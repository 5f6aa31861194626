/** The views that coins link to, in one script: together they compress better. */

export { default as Activity } from "./activity.tsx";
export { default as Add } from "./add.tsx";
export { default as Coin } from "./coin.tsx";
export { default as History } from "./history.tsx";
export { default as Receive } from "./receive.tsx";
export { default as Send } from "./send.tsx";
