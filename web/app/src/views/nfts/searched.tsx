import { useSignal } from "@preact/signals";
import { t } from "../../language.ts";
import { rpc } from "../../node.ts";
import { chainName, type searchOf } from "../../nfts/networks.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { focusWrong } from "../../ui/focus.ts";
import { Form } from "../../ui/form.tsx";
import { useTask } from "../../ui/task.ts";
import { showsPictures } from "./picture.tsx";

const reasons = { NoLogs: "nft.nologs", TooMany: "nft.toomany" } as const;

/** The blocks that were searched for NFTs. */
export function Searched({ search: { from_block: from, to_block: to, complete, reason } }: { search: NonNullable<Awaited<ReturnType<typeof searchOf>>> }) {
  const why = reasons[reason as keyof typeof reasons];
  return (
    <small role="status">
      {from !== null && to !== null && (from === 0 && complete ? t("nft.searchedall", { to }) : t("nft.searched", { from, to }))}
      {why && ` ${t(why)}`}
    </small>
  );
}

/** A form that adds a contract whose NFTs are older than the blocks that servers can search. */
export function AddCollection({ platform, onAdded }: { platform: string; onAdded: () => void }) {
  const contract = useSignal("");
  const wrong = useSignal("");
  const task = useTask(async () => {
    await rpc("update_nft", { chains: [chainName(platform)], contracts: [contract.peek()], fetch_metadata: showsPictures.peek() });
    contract.value = "";
    onAdded();
  });
  const submit = () => {
    wrong.value = /^0x[0-9a-f]{40}$/i.test(contract.peek()) ? "" : t("nft.contractwrong");
    if (wrong.peek()) {
      focusWrong();
    } else {
      void task.run();
    }
  };
  return (
    <details class="narrowform otherwise">
      <summary>{t("nft.addcollection")}</summary>
      <Form onSubmit={submit}>
        <Field label={t("nft.contract")} placeholder="0x…" hint={t("nft.addhint")} value={contract.value} onText={(text) => (contract.value = text.trim())} error={wrong.value} />
        <Fault error={task.error.value} />
        <div class="actions">
          <Button class="secondary" busy={task.busy.value}>
            {t("nft.add")}
          </Button>
        </div>
      </Form>
    </details>
  );
}
