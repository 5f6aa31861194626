import { t } from "../../language.ts";
import { href } from "../../route.ts";

/** The link back, above the heading. */
export const Back = ({ id = "", name = t("tokens.title") }: { id?: string; name?: string }) => (
  <p class="back">
    <a href={href("tokens", id ? [id] : [])}>{`‹ ${name}`}</a>
  </p>
);
