import { t } from "../language.ts";
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
      {now.wanted.ticker} {running ? t("coins.activating") : t("coins.didnot")} <a href={href("activate")}>{running ? t("coins.seeprogress") : t("coins.seewhy")}</a>
    </p>
  );
}
