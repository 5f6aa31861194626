import { href } from "../../route.ts";

/** The way back, above the heading. */
export const Back = ({ id = "", name = "Tokens" }: { id?: string; name?: string }) => (
  <p class="back">
    <a href={href("tokens", id ? [id] : [])}>{`‹ ${name}`}</a>
  </p>
);
