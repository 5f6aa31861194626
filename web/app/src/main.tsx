/**
 * The wallet page.
 *
 * To add a view: write views/name.tsx with a default export, a component, and add a line
 * to the table in navigation.ts. In a view:
 *
 *   import { rpc, daemon, subscribe, connection } from "../node.ts";  // calls of the node that is in use
 *   import { route, href, go } from "../route.ts";
 *   import { useLoad, useTask } from "../ui/task.ts";                 // an answer to show; something to do
 *   import { Fault } from "../ui/fault.tsx";                          // errors in words: words.ts
 *
 * A view is shown only while a node runs, and is built anew when another one is chosen.
 * Its first heading is an h1 with tabIndex={-1}: ui/title.tsx.
 */

import "./session/linktoken.ts"; // first: nothing else may see the token in the address
import "@picocss/pico/css/pico.min.css";
import "./style.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { beginLanguage, t } from "./language.ts";
import { begin } from "./session/session.ts";

const root = document.getElementById("app");
if (window.top !== window) {
  // Another page could lay itself over the wallet's buttons. A server should forbid this too (frame-ancestors).
  void beginLanguage().then(() => root?.append(t("frame.inside")));
} else if (root) {
  void beginLanguage().then(() => {
    render(<App />, root);
    void begin();
  });
}
