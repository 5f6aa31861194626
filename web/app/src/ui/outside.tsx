import type { ComponentChildren } from "preact";
import { t } from "../language.ts";
import { Icon } from "./icon.tsx";

/** A link to another site in a new tab without access to this one. */
export function Outside({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a class="outside" href={href} target="_blank" rel="noopener noreferrer">
      {children}
      <span class="unseen"> {t("newtab")}</span>
      <Icon name="out" />
    </a>
  );
}
