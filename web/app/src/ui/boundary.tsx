import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { t } from "../language.ts";
import { Said } from "../words.ts";
import { Fault } from "./fault.tsx";

/** Renders its children, or an error if that fails, instead of an empty page. */
export function Boundary({ children }: { children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary();
  return error ? <Fault error={new Said(t("frame.broken"), t("frame.brokentodo"), error)} retry={reset} /> : <>{children}</>;
}
