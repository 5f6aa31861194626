import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { allTexts } from "../language.ts";
import { Said } from "../words.ts";
import { Fault } from "./fault.tsx";
import { Title } from "./title.tsx";

/**
 * A component that is loaded when it is first shown. Until then there is nothing, so that
 * nothing flickers; what cannot be loaded is said.
 */
export function lazy(load: () => Promise<{ default: ComponentType }>): ComponentType {
  const loaded = signal<ComponentType | null>(null);
  const failed = signal<unknown>(null);
  let asked = false;
  const ask = () => {
    asked = true;
    failed.value = null;
    Promise.all([load(), allTexts()]).then(
      ([module]) => (loaded.value = module.default),
      (error: unknown) => (failed.value = new Said("This part of the page could not be loaded.", "You are offline, or the page was updated. Trying again reloads it.", error)),
    );
  };
  return () => {
    if (!asked) {
      ask();
    }
    const View = loaded.value;
    if (View) {
      return <View />;
    }
    return failed.value ? (
      <>
        <Title text="Not loaded" />
        <Fault error={failed.value} retry={() => location.reload()} />
      </>
    ) : null;
  };
}
