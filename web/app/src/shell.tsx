/** The frame of the open wallet: where one is, where one can go, and how the node is. */

import type { ComponentType } from "preact";
import { useRef } from "preact/hooks";
import { views, type View } from "./navigation.ts";
import { connection, state } from "./node.ts";
import { href, route } from "./route.ts";
import { again, canLock, lock, profile } from "./session/session.ts";
import { Banner, NodeStatus } from "./status.tsx";
import { Fault } from "./ui/fault.tsx";
import { Icon } from "./ui/icon.tsx";
import { lazy } from "./ui/lazy.tsx";
import { Progress } from "./ui/progress.tsx";

/** The list of views that a phone's bar has no room for. */
const more: View = { path: "more", label: "More", icon: "more", alone: true, load: () => import("./views/more.tsx") };

/** The view of a path; an unknown path gets the first view. */
const viewOf = (path: string): View => [...views, more].find((view) => view.path === path) ?? (views[0] as View);

const components = new Map<View, ComponentType>();

function componentOf(view: View): ComponentType {
  const known = components.get(view) ?? lazy(view.load);
  components.set(view, known);
  return known;
}

export function Shell() {
  const main = useRef<HTMLElement>(null);
  const skip = (event: Event) => {
    event.preventDefault();
    main.current?.focus();
  };
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <header>
        <p class="brand">
          <a href={href("")}>Obverse</a>
        </p>
        <NodeStatus />
        {canLock(profile.value) && (
          <button type="button" class="quiet" onClick={() => void lock()}>
            Lock
          </button>
        )}
      </header>
      <Navigation />
      <main id="main" ref={main} tabIndex={-1}>
        <Banner />
        <Content />
      </main>
    </div>
  );
}

function Navigation() {
  const here = viewOf(route.value.name);
  const inBar = views.some((view) => view.icon && view === here);
  const current = (is: boolean) => (is ? { "aria-current": "page" as const } : {});
  return (
    <nav aria-label="Wallet">
      <ul>
        {views.map((view) => (
          <li key={view.path} class={view.icon ? "" : "wide"}>
            <a href={href(view.path)} {...current(view === here)}>
              {view.icon && <Icon name={view.icon} />}
              {view.label}
            </a>
          </li>
        ))}
        <li class="narrow">
          <a href={href(more.path)} {...current(!inBar)}>
            <Icon name="more" />
            {more.label}
          </a>
        </li>
      </ul>
    </nav>
  );
}

function Content() {
  const now = state.value;
  const node = connection.value;
  const view = viewOf(route.value.name);
  const failed = now.is === "failed" ? <Fault error={now.error} retry={() => void again()} /> : null;
  if (!node && !view.alone) {
    return (
      <>
        <h1>{view.label}</h1>
        {failed ?? <Progress label="Starting the node" />}
      </>
    );
  }
  const View = componentOf(view);
  return (
    <>
      {failed}
      <View key={`${node?.kind} ${node?.url} ${view.path}`} />
    </>
  );
}
