import { href } from "../route.ts";
import { activation } from "./activation.ts";

/** That a coin is being activated, or did not become active, for who went on in another view meanwhile. */
export function Underway() {
  const now = activation.value;
  if (now?.is !== "running" && now?.is !== "failed") {
    return null;
  }
  const running = now.is === "running";
  return (
    <p class="note">
      {now.wanted.ticker} {running ? "is being activated." : "did not become active."} <a href={href("activate")}>{running ? "See how far it is" : "See why"}</a>
    </p>
  );
}
