import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { t, textsOf, type TextPart } from "../language.ts";
import { lost } from "../session/session.ts";
import { Said } from "../words.ts";
import { Fault } from "./fault.tsx";
import { Title } from "./title.tsx";

/**
 * A component that is loaded when it is first rendered. Until then there is nothing, so that
 * nothing flickers; a failure is displayed. "Try again" reloads the page, since a build may have
 * replaced its own, but not a page with the only copy of a wallet.
 * @param parts the texts that it needs in addition to the usual ones
 */
export function lazy<P = {}>(load: () => Promise<{ default: ComponentType<P> }>, ...parts: TextPart[]): ComponentType<P> {
  const loaded = signal<ComponentType<P> | null>(null);
  const failed = signal<unknown>(null);
  let started = false;
  const ask = () => {
    started = true;
    failed.value = null;
    Promise.all([load(), ...(["usual", ...parts] as const).map(textsOf)]).then(
      ([module]) => (loaded.value = module.default),
      (error: unknown) => (failed.value = new Said(t("frame.notloaded"), t("frame.notloadedtodo"), error)),
    );
  };
  return (properties) => {
    if (!started) {
      ask();
    }
    const View = loaded.value;
    if (View) {
      return <View {...properties} />;
    }
    return failed.value ? (
      <>
        <Title text={t("frame.notloadedtitle")} />
        <Fault error={failed.value} retry={() => (lost.value ? ask() : location.reload())} />
      </>
    ) : null;
  };
}
