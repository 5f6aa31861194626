import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { nameOf, nftNetworkOf } from "../../coins/catalog.ts";
import { servicesOf } from "../../coins/remembered.ts";
import { stopped } from "../../coins/stopped.ts";
import { t } from "../../language.ts";
import { connection } from "../../node.ts";
import { enableNfts, NONE } from "../../nfts/networks.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { focusWrong } from "../../ui/focus.ts";
import { Form } from "../../ui/form.tsx";
import { Progress } from "../../ui/progress.tsx";
import { useTask } from "../../ui/task.ts";
import { ServiceFault } from "./fault.tsx";
import { indexerFault, ServiceFields } from "./services.tsx";

/** Activates the NFTs of a network: from the chain itself, unless the user named an indexer or switched them off. */
export function Enable({ platform }: { platform: string }) {
  const ticker = nftNetworkOf(platform);
  const services = useSignal(servicesOf(ticker) ?? NONE);
  const confirming = useSignal(false);
  const task = useTask(async () => {
    await enableNfts(platform, services.peek());
    announce(t("nft.listed", { network: nameOf(platform) }));
  });
  const search = () => {
    services.value = NONE;
    void task.run();
  };
  const waits = services.peek().indexer !== "" || stopped().includes(ticker);
  useEffect(() => void (waits || search()), []);
  const submit = () => {
    confirming.value = true;
    if (indexerFault(services.peek(), connection.peek()?.kind === "page")) {
      focusWrong();
    } else {
      void task.run();
    }
  };
  return (
    <div class="narrowform">
      <p>{t("nft.notlisted", { network: nameOf(platform) })}</p>
      <ServiceFault error={task.error.value} then={t("nft.unchanged")} />
      {task.busy.value ? (
        <Progress label={t(services.value.indexer ? "nft.askingall" : "nft.searching")}>
          <p>{t("nft.thousands")}</p>
        </Progress>
      ) : (
        <div class="actions">
          <Button type="button" onClick={search}>
            {t("nft.search")}
          </Button>
        </div>
      )}
      <details class="otherwise" open={waits}>
        <summary>{t("nft.otherwise")}</summary>
        <Form onSubmit={submit}>
          <ServiceFields services={services.value} onServices={(next) => (services.value = next)} asked={confirming.value} />
          <div class="actions">
            <Button busy={task.busy.value} class="secondary">
              {t("nft.list")}
            </Button>
          </div>
        </Form>
      </details>
    </div>
  );
}
