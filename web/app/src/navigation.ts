/**
 * The views, in the order of the navigation. A view is a module in views/ with a default
 * export, a component without properties; it is loaded when it is first shown.
 */

import type { ComponentType } from "preact";
import type { Text, TextPart } from "./language.ts";
import type { IconName } from "./ui/icon.tsx";

export interface View {
  /** In the address: #/path. The start view's is "". */
  path: string;
  /** Its name. */
  label: Text;
  /** In the navigation; on a phone these are the bar at the bottom. At most five. */
  icon?: IconName;
  /** The view of the navigation that it belongs to; the start view if it says nothing. */
  under?: string;
  /** It is shown without a node too. */
  alone?: boolean;
  /** Texts that it needs besides the usual ones. */
  texts?: TextPart;
  load: () => Promise<{ default: ComponentType }>;
}

export const views: readonly View[] = [
  { path: "", label: "nav.home", icon: "home", load: () => import("./views/home.tsx") },
  { path: "activity", label: "nav.activity", icon: "activity", load: () => import("./views/activity.tsx") },
  { path: "nfts", label: "nav.nfts", icon: "picture", texts: "more", load: () => import("./views/nfts.tsx") },
  { path: "tokens", label: "nav.tokens", icon: "token", texts: "more", load: () => import("./views/tokens.tsx") },
  { path: "settings", label: "nav.settings", icon: "settings", alone: true, load: () => import("./views/settings.tsx") },
  { path: "coin", label: "view.coin", load: () => import("./views/coin.tsx") },
  { path: "receive", label: "view.receive", load: () => import("./views/receive.tsx") },
  { path: "send", label: "view.send", load: () => import("./views/send.tsx") },
  { path: "add", label: "view.add", load: () => import("./views/add.tsx") },
  { path: "activate", label: "view.activate", texts: "more", load: () => import("./views/activate.tsx") },
  { path: "history", label: "view.history", under: "activity", load: () => import("./views/history.tsx") },
  { path: "developer", label: "nav.developer", under: "settings", alone: true, load: () => import("./views/developer.tsx") },
  { path: "lightning", label: "view.lightning", under: "developer", texts: "more", load: () => import("./views/lightning.tsx") },
  { path: "node", label: "view.node", under: "developer", texts: "more", load: () => import("./views/node.tsx") },
  { path: "console", label: "view.console", under: "developer", texts: "more", load: () => import("./views/console.tsx") },
];

/** The view of a path; an unknown path gets the first view. */
export const viewOf = (path: string): View => views.find((view) => view.path === path) ?? (views[0] as View);

/** Whether a view is another one, or belongs to it. */
export const isWithin = (view: View, outer: View): boolean => view === outer || (!view.icon && isWithin(viewOf(view.under ?? ""), outer));
