import { signal } from "@preact/signals";
import program from "obverse/obverse.wasm?url";
import { t } from "../../language.ts";
import { prepare } from "../../node.ts";

/** How much of the node's program is there, as a part of 1; null: it is not being loaded. */
const loaded = signal<number | null>(null);
let asked = false;

/** Loads the node's program while its user reads, so that it is there when the wallet is made. */
export function warmUp() {
  if (!asked) {
    asked = true;
    const module = load();
    prepare(module);
    module.catch(() => (loaded.value = null)); // the node loads it then, and says what is wrong
  }
}

async function load(): Promise<WebAssembly.Module> {
  const { body, ok, status } = await fetch(program, { credentials: "same-origin" });
  if (!ok || !body) {
    throw new Error(`the node's program: status ${status}`);
  }
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      bytes += chunk.length;
      loaded.value = Math.min(bytes / __PROGRAM_BYTES__, 1);
      out.enqueue(chunk);
    },
  });
  return WebAssembly.compileStreaming(new Response(body.pipeThrough(counted), { headers: { "Content-Type": "application/wasm" } }));
}

/** How far that is. */
export function Download() {
  const part = loaded.value;
  const done = part === 1;
  return (
    <div class="download">
      {part !== null && (
        <>
          <small>{done ? t("first.loaded") : t("first.loading", { percent: Math.floor(part * 100) })}</small>
          <progress aria-label={t("first.program")} value={part} max={1} class={done ? "unseen" : ""} />
        </>
      )}
    </div>
  );
}
