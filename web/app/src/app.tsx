/** The root component: the first run, the lock screen or the wallet. */

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
const Lost = lazy(() => import("./views/lost.tsx"));

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
