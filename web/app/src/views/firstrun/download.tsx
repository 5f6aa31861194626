import { signal } from "@preact/signals";
import program from "obverse/obverse.wasm?url";
import { t } from "../../language.ts";
import { prepare } from "../../node.ts";

/** The loaded fraction of the node's program; null while it is not being loaded. */
const loaded = signal<number | null>(null);
let requested = false;

/** Loads the node's program in advance, so that it is ready when the wallet is created. */
export function warmUp() {
  if (!requested) {
    requested = true;
    const module = load();
    prepare(module);
    module.catch(() => (loaded.value = null)); // the node then loads it itself and reports the error
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

/** The progress of the download. */
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
