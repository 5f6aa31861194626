/**
 * The views, in the order of the navigation. A view is a module in views/ with a default
 * export, a component without properties; it is loaded when it is first opened.
 */

import type { ComponentType } from "preact";
import type { Text, TextPart } from "./language.ts";
import type { IconName } from "./ui/icon.tsx";

export interface View {
  /** The path in the address: #/path; "" for Home. */
  path: string;
  /** Its name. */
  label: Text;
  /** Views with an icon are in the navigation, which on a phone is the bar at the bottom. At most five. */
  icon?: IconName;
  /** The view of the navigation that it belongs to; Home by default. */
  under?: string;
  /** Whether it can be opened without a node. */
  alone?: boolean;
  /** Texts that it needs in addition to the usual ones. */
  texts?: TextPart;
  load: () => Promise<{ default: ComponentType }>;
}

/** Loads one of several views in a script. */
const oneOf =
  <Name extends string>(load: () => Promise<Record<Name, ComponentType>>) =>
  (name: Name) =>
  async () => ({ default: (await load())[name] });

const advanced = oneOf(() => import("./views/advanced.ts"));
const everyday = oneOf(() => import("./views/everyday.ts"));

export const views: readonly View[] = [
  { path: "", label: "nav.home", icon: "home", load: () => import("./views/home.tsx") },
  { path: "activity", label: "nav.activity", icon: "activity", load: everyday("Activity") },
  { path: "nfts", label: "nav.nfts", icon: "picture", texts: "more", load: () => import("./views/nfts.tsx") },
  { path: "tokens", label: "nav.tokens", icon: "token", texts: "more", load: () => import("./views/tokens.tsx") },
  { path: "settings", label: "nav.settings", icon: "settings", alone: true, load: () => import("./views/settings.tsx") },
  { path: "coin", label: "view.coin", load: everyday("Coin") },
  { path: "receive", label: "view.receive", load: everyday("Receive") },
  { path: "send", label: "view.send", load: everyday("Send") },
  { path: "add", label: "view.add", load: everyday("Add") },
  { path: "activate", label: "view.activate", texts: "more", load: advanced("Activate") },
  { path: "history", label: "view.history", under: "activity", load: everyday("History") },
  { path: "developer", label: "nav.developer", under: "settings", alone: true, load: advanced("Developer") },
  { path: "lightning", label: "view.lightning", under: "developer", texts: "more", load: advanced("Lightning") },
  { path: "node", label: "view.node", under: "developer", texts: "more", load: advanced("Node") },
  { path: "console", label: "view.console", under: "developer", texts: "more", load: advanced("Console") },
];

/** Returns the view of a path; the first view for an unknown path. */
export const viewOf = (path: string): View => views.find((view) => view.path === path) ?? (views[0] as View);

/** Reports whether a view is another one or belongs to it. */
export const isWithin = (view: View, outer: View): boolean => view === outer || (!view.icon && isWithin(viewOf(view.under ?? ""), outer));
