import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t, type Text } from "../../language.ts";
import { connection } from "../../node.ts";
import { replaceData } from "../../session/wallets.ts";
import { bytes, keep, storage } from "../../storage.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useEvery } from "../../ui/every.ts";
import { Fault } from "../../ui/fault.tsx";
import { useLoad, useTask } from "../../ui/task.ts";

const kinds: Record<string, Text> = { opfs: "data.opfs", indexeddb: "data.indexeddb", memory: "data.memory", "": "data.othertab" };

/** Where the data are; updated if this tab takes over the node of a closed tab. */
function Kept() {
  useEvery(1000);
  const kind = connection.value?.page?.status().storage ?? "";
  return <>{kinds[kind] ? t(kinds[kind]) : kind}</>;
}

/** The location of the node's data, and their export and import. */
export function Data() {
  const page = connection.value?.page;
  const about = useLoad(storage, [page]);
  const persist = useTask(async () => {
    if (!(await keep())) {
      announce(t("data.refused"));
    }
    about.reload();
  });
  const now = about.value.value;
  return (
    <section class="settings">
      <h2>{t("data.title")}</h2>
      <dl>
        <dt>{t("data.kept")}</dt>
        <dd>
          <Kept />
        </dd>
        <dt>{t("data.size")}</dt>
        <dd>{!now ? "…" : now.quota ? t("data.atmost", { size: bytes(now.used), quota: bytes(now.quota) }) : bytes(now.used)}</dd>
        <dt>{t("data.protected")}</dt>
        <dd>{now === null ? "…" : t(now.persisted ? "data.yes" : "data.no")}</dd>
      </dl>
      {now && !now.persisted && (
        <Button type="button" class="secondary" busy={persist.busy.value} onClick={() => void persist.run()}>
          {t("data.ask")}
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
      said.value = t("data.saved", { name: link.download, size: bytes(data.length) });
      announce(said.peek());
    }
  });
  return (
    <details>
      <summary>{t("data.export")}</summary>
      <p>{t("data.exportabout")}</p>
      <Fault error={task.error.value} />
      <Button type="button" busy={task.busy.value} onClick={() => void task.run()}>
        {t("data.exportit")}
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
      announce(t("data.done"));
      onDone();
    }
  });
  return (
    <details>
      <summary>{t("data.import")}</summary>
      <p>{t("data.importabout")}</p>
      <label>
        {t("data.file")}
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
      {done.value && <p>{t("data.imported")}</p>}
      {file.value && (
        <Dialog title={t("data.replace")} onClose={drop}>
          <p>{t("data.replaceabout", { name: file.value.name })}</p>
          <div class="actions">
            <Button type="button" class="danger" onClick={() => void task.run()}>
              {t("data.replaceit")}
            </Button>
            <button type="button" class="secondary" onClick={drop}>
              {t("cancel")}
            </button>
          </div>
        </Dialog>
      )}
    </details>
  );
}
