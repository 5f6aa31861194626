import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { Fault } from "./fault.tsx";

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
    load().then(
      (module) => (loaded.value = module.default),
      (error: unknown) => (failed.value = error),
    );
  };
  return () => {
    if (!asked) {
      ask();
    }
    const View = loaded.value;
    return View ? <View /> : <Fault error={failed.value} retry={() => location.reload()} />;
  };
}
