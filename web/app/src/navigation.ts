/**
 * The views, in the order of the navigation. A view is a module in views/ with a default
 * export, a component without properties; it is loaded when it is first shown.
 */

import type { ComponentType } from "preact";
import type { IconName } from "./ui/icon.tsx";

export interface View {
  /** In the address: #/path. The start view's is "". */
  path: string;
  /** In the navigation. */
  label: string;
  /** In the bar at the bottom of a phone; the others are behind "More". At most four. */
  icon?: IconName;
  /** It is shown without a node too. */
  alone?: boolean;
  load: () => Promise<{ default: ComponentType }>;
}

export const views: readonly View[] = [
  { path: "", label: "Portfolio", icon: "wallet", load: () => import("./views/portfolio.tsx") },
  { path: "receive", label: "Receive", icon: "receive", load: () => import("./views/receive.tsx") },
  { path: "send", label: "Send", icon: "send", load: () => import("./views/send.tsx") },
  { path: "activate", label: "Activate", icon: "add", load: () => import("./views/activate.tsx") },
  { path: "history", label: "History", load: () => import("./views/history.tsx") },
  { path: "tokens", label: "Tokens", load: () => import("./views/tokens.tsx") },
  { path: "nfts", label: "NFTs", load: () => import("./views/nfts.tsx") },
  { path: "lightning", label: "Lightning", load: () => import("./views/lightning.tsx") },
  { path: "node", label: "Node", load: () => import("./views/node.tsx") },
  { path: "console", label: "Console", load: () => import("./views/console.tsx") },
  { path: "settings", label: "Settings", alone: true, load: () => import("./views/settings.tsx") },
];
