import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { connection } from "../../node.ts";
import { replaceData } from "../../session/session.ts";
import { bytes, keep, storage } from "../../storage.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useEvery } from "../../ui/every.ts";
import { Fault } from "../../ui/fault.tsx";
import { useLoad, useTask } from "../../ui/task.ts";

const kinds: Record<string, string> = {
  opfs: "Files of this page, in this browser",
  indexeddb: "A database of this page, in this browser",
  memory: "In memory only: everything is lost when you close the last tab of this page",
  "": "In this browser, managed by another tab",
};

/** Where the data are: with this tab too, once it runs the node instead of one that is gone. */
function Kept() {
  useEvery(1000);
  const kind = connection.value?.page?.status().storage ?? "";
  return <>{kinds[kind] ?? kind}</>;
}

/** Where the node's data are, and a copy of them. */
export function Data() {
  const page = connection.value?.page;
  const about = useLoad(storage, [page]);
  const persist = useTask(async () => {
    if (!(await keep())) {
      announce("The browser did not agree");
    }
    about.reload();
  });
  const now = about.value.value;
  return (
    <section class="settings">
      <h2>Data</h2>
      <dl>
        <dt>Kept</dt>
        <dd>
          <Kept />
        </dd>
        <dt>Size</dt>
        <dd>{now ? `${bytes(now.used)}${now.quota ? ` of at most ${bytes(now.quota)}` : ""}` : "…"}</dd>
        <dt>Protected</dt>
        <dd>{now === null ? "…" : now.persisted ? "Yes: the browser does not delete it by itself" : "No: the browser may delete it when space is short"}</dd>
      </dl>
      {now && !now.persisted && (
        <Button type="button" class="secondary" busy={persist.busy.value} onClick={() => void persist.run()}>
          Ask the browser to protect it
        </Button>
      )}
      <Fault error={about.error.value} />
      <Export />
      <Import onDone={about.reload} />
    </section>
  );
}

function Export() {
  const said = useSignal("");
  const task = useTask(async () => {
    said.value = "";
    const data = await connection.peek()?.page?.export();
    if (data) {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([data as Uint8Array<ArrayBuffer>]));
      link.download = `obverse-${new Date().toISOString().slice(0, 10)}.db`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      said.value = `Saved as ${link.download}, ${bytes(data.length)}.`;
      announce(said.peek());
    }
  });
  return (
    <details>
      <summary>Export</summary>
      <p>One file with all data of the node in this page: coins, histories, the chain in this page, and the node's secret identity key. Keep it private. It does not contain your recovery phrase.</p>
      <Fault error={task.error.value} />
      <Button type="button" busy={task.busy.value} onClick={() => void task.run()}>
        Export the data
      </Button>
      {said.value && <p>{said.value}</p>}
    </details>
  );
}

function Import({ onDone }: { onDone: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const file = useSignal<File | null>(null);
  const done = useSignal(false);
  const drop = () => {
    file.value = null;
    if (input.current) {
      input.current.value = "";
    }
  };
  const task = useTask(async () => {
    const chosen = file.peek();
    drop();
    if (chosen) {
      await replaceData(new Uint8Array(await chosen.arrayBuffer()));
      done.value = true;
      announce("Data imported");
      onDone();
    }
  });
  return (
    <details>
      <summary>Import</summary>
      <p>Replaces all data of the node in this page with an export. An export works only with the wallet it came from: in another browser, restore that wallet first. The wallet and its recovery phrase do not change.</p>
      <label>
        File of an export
        <input
          ref={input}
          type="file"
          disabled={task.busy.value}
          onChange={(event) => {
            done.value = false;
            file.value = event.currentTarget.files?.[0] ?? null;
          }}
        />
      </label>
      <Fault error={task.error.value} />
      {done.value && <p>Data imported.</p>}
      {file.value && (
        <Dialog title="Replace the data?" onClose={drop}>
          <p>All data of the node in this page are replaced by those in {file.value.name}. Export the present data before, if you may want them back.</p>
          <div class="actions">
            <Button type="button" class="danger" onClick={() => void task.run()}>
              Replace
            </Button>
            <button type="button" class="secondary" onClick={drop}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </details>
  );
}
