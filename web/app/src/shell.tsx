/** The frame of the open wallet: the navigation and the state of the node. */

import type { ComponentType } from "preact";
import { useRef } from "preact/hooks";
import { t } from "./language.ts";
import { isWithin, viewOf, views, type View } from "./navigation.ts";
import { connection, state } from "./node.ts";
import { href, route } from "./route.ts";
import { again, canLock, lock, profile } from "./session/session.ts";
import { Banner, NodeStatus } from "./status.tsx";
import { Boundary } from "./ui/boundary.tsx";
import { Brand } from "./ui/brand.tsx";
import { Fault } from "./ui/fault.tsx";
import { Icon } from "./ui/icon.tsx";
import { lazy } from "./ui/lazy.tsx";
import { Progress } from "./ui/progress.tsx";
import { Toasts } from "./ui/toast.tsx";

const Switcher = lazy(() => import("./views/switcher.tsx"));

const components = new Map<View, ComponentType>();

function componentOf(view: View): ComponentType {
  const known = components.get(view) ?? lazy(view.load, ...(view.texts ? [view.texts] : []));
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
        {t("nav.skip")}
      </a>
      <header>
        <Brand href={href("")} />
        <div class="place">
          <Switcher />
        </div>
        <NodeStatus />
        {canLock(profile.value) && (
          <button type="button" class="quiet" onClick={() => void lock()}>
            {t("nav.lock")}
          </button>
        )}
      </header>
      <Navigation />
      <main id="main" ref={main} tabIndex={-1}>
        <Banner />
        <Content />
      </main>
      <Toasts />
    </div>
  );
}

function Navigation() {
  const here = viewOf(route.value.name);
  const developer = viewOf("developer");
  const Item = ({ view, is, wide = false }: { view: View; is: boolean; wide?: boolean }) => (
    <li class={wide ? "wide" : ""}>
      <a href={href(view.path)} {...(is && { "aria-current": view === here ? ("page" as const) : ("true" as const) })}>
        <Icon name={view.icon ?? "code"} />
        {t(view.label)}
      </a>
    </li>
  );
  return (
    <nav aria-label={t("nav.label")}>
      <ul>
        {views
          .filter((view) => view.icon)
          .map((view) => (
            <Item key={view.path} view={view} is={isWithin(here, view)} />
          ))}
        <Item view={developer} is={isWithin(here, developer)} wide />
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
        <h1>{t(view.label)}</h1>
        {failed ?? <Progress label={t("node.starting")} />}
      </>
    );
  }
  const View = componentOf(view);
  const key = `${node?.kind} ${node?.url} ${view.path}`;
  return (
    <>
      {failed}
      <Boundary key={`${key} ${route.value.args.join(" ")}`}>
        <View key={key} />
      </Boundary>
    </>
  );
}
