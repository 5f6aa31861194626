/** The root component: the first run, the lock screen or the wallet. */

import { effect } from "@preact/signals";
import { lazy } from "./ui/lazy.tsx";
import { Announcer } from "./ui/announce.tsx";
import { Boundary } from "./ui/boundary.tsx";
import { Brand } from "./ui/brand.tsx";
import { Fault } from "./ui/fault.tsx";
import { Shell } from "./shell.tsx";
import { broken, exposed, lost, phase } from "./session/session.ts";
import { linkFault } from "./session/linktoken.ts";
import { route } from "./route.ts";

const BadLink = lazy(() => import("./views/badlink.tsx"));
const FirstRun = lazy(() => import("./views/firstrun.tsx"));
const Unlock = lazy(() => import("./views/unlock.tsx"));
const Asking = lazy(() => import("./views/connect/asking.tsx"), "more");
const Connect = lazy(() => import("./views/connect.tsx"), "more");
const Design = lazy(() => import("./views/design.tsx"), "design");
const Exposed = lazy(() => import("./views/exposed.tsx"));
const loadLost = () => import("./views/lost.tsx");
const Lost = lazy(loadLost);

const SOON = 1000; // ms
const AGAIN = 30_000; // ms

/** Loads the warning while the wallet is open: a browser that deletes the wallet may delete the page's files too, and the server may have other ones by then. */
const prepareLost = () => void loadLost().catch(() => setTimeout(prepareLost, AGAIN));
effect(() => void (phase.value === "open" && setTimeout(prepareLost, SOON)));

// A tab may have the only copy of its wallets.
addEventListener("beforeunload", (event) => void (lost.value && event.preventDefault()));

/** Whether to render the page with all components instead of a wallet, at ?design. */
const design = new URLSearchParams(location.search).has("design");

export function App() {
  if (design) {
    return <Design />;
  }
  return (
    <Boundary>
      <Whole />
    </Boundary>
  );
}

function Whole() {
  const isRequest = route.value.name === "connect"; // a site has opened this window
  return (
    <>
      <Announcer />
      {linkFault.value && <BadLink />}
      {broken.value ? (
        <Alone>
          <h1>Obverse</h1>
          <Fault error={broken.value} retry={() => location.reload()} />
        </Alone>
      ) : phase.value === "new" ? (
        <Alone>
          {isRequest && <Asking />}
          <FirstRun />
        </Alone>
      ) : phase.value === "locked" ? (
        <Alone>
          {isRequest && <Asking />}
          <Unlock />
        </Alone>
      ) : phase.value === "open" && isRequest ? (
        <Alone>
          <Connect />
        </Alone>
      ) : phase.value === "open" ? (
        <Shell />
      ) : null}
      {exposed.value && !broken.value && <Exposed />}
      {lost.value && !broken.value && <Lost />}
    </>
  );
}

/** A page without navigation, for times when there is no other view to go to. */
function Alone({ children }: { children: preact.ComponentChildren }) {
  return (
    <div class="alone">
      <header>
        <Brand />
      </header>
      <main id="main">{children}</main>
    </div>
  );
}
