import { useSignal } from "@preact/signals";
import { nameOf, nftNetworkOf } from "../../coins/catalog.ts";
import { Network } from "../../coins/coinchoice.tsx";
import { servicesOf } from "../../coins/remembered.ts";
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

/** Has the NFTs of a network listed for the first time. */
export function Enable({ platform }: { platform: string }) {
  const services = useSignal(servicesOf(nftNetworkOf(platform)) ?? NONE);
  const asked = useSignal(false);
  const task = useTask(async () => {
    await enableNfts(platform, services.peek());
    announce(t("nft.listed", { network: nameOf(platform) }));
  });
  const submit = () => {
    asked.value = true;
    if (indexerFault(services.peek(), connection.peek()?.kind === "page")) {
      focusWrong();
    } else {
      void task.run();
    }
  };
  return (
    <div class="narrowform">
      <p>
        <Network ticker={platform} />
      </p>
      <p>{t("nft.notlisted", { network: nameOf(platform) })}</p>
      <Form onSubmit={submit}>
        <ServiceFault error={task.error.value} then={t("nft.unchanged")} />
        <ServiceFields services={services.value} onServices={(next) => (services.value = next)} asked={asked.value} />
        {task.busy.value && (
          <Progress label={t("nft.askingall")}>
            <p>{t("nft.thousands")}</p>
          </Progress>
        )}
        <div class="actions">
          <Button busy={task.busy.value}>{t("nft.list")}</Button>
        </div>
      </Form>
    </div>
  );
}
