/**
 * The wallet page.
 *
 * To add a view: write views/name.tsx with a default export, a component, and add a line
 * to the table in navigation.ts. In a view:
 *
 * import { rpc, daemon, subscribe, connection } from "../node.ts";  // calls of the current node
 *   import { route, href, go } from "../route.ts";
 * import { useLoad, useTask } from "../ui/task.ts";                 // load an answer; run an operation
 *   import { Fault } from "../ui/fault.tsx";                          // errors in words: words.ts
 *
 * A view is rendered only while a node runs, and is mounted again when another one is chosen.
 * Its first heading is an h1 with tabIndex={-1}: ui/title.tsx.
 */

import "./session/linktoken.ts"; // first, so that no other module sees the token in the address
import "@picocss/pico/css/pico.min.css";
import "./style.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { beginLanguage, t } from "./language.ts";
import { begin } from "./session/session.ts";

const root = document.getElementById("app");
if (window.top !== window) {
  // Another page could overlay the wallet's buttons. A server should forbid framing too (frame-ancestors).
  void beginLanguage().then(() => root?.append(t("frame.inside")));
} else if (root) {
  void beginLanguage().then(() => {
    render(<App />, root);
    void begin();
  });
}
