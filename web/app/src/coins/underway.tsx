import { t } from "../language.ts";
import { href } from "../route.ts";
import { activation } from "./activation.ts";

/** A notice that a coin is being activated or failed to activate, for users who have changed to another view. */
export function Underway() {
  const now = activation.value;
  if (now?.is !== "running" && now?.is !== "failed") {
    return null;
  }
  const running = now.is === "running";
  return (
    <p class="note">
      {now.wanted.ticker} {running ? t("coins.activating") : t("coins.didnot")} <a href={href("activate")}>{running ? t("coins.seeprogress") : t("coins.seewhy")}</a>
    </p>
  );
}
