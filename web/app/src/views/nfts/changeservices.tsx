import { useSignal } from "@preact/signals";
import { nftNetworkOf } from "../../coins/catalog.ts";
import { noteNfts, servicesOf } from "../../coins/remembered.ts";
import { t } from "../../language.ts";
import { connection } from "../../node.ts";
import { NONE } from "../../nfts/networks.ts";
import { announce } from "../../ui/announce.tsx";
import { focusWrong } from "../../ui/focus.ts";
import { Form } from "../../ui/form.tsx";
import { indexerFault, ServiceFields } from "./services.tsx";

/** A form for the services to use from now on. The node stores no services: each request names them. */
export function ChangeServices({ platform, onChanged, chained = false }: { platform: string; onChanged: () => void; chained?: boolean }) {
  const ticker = nftNetworkOf(platform);
  const known = servicesOf(ticker);
  const services = useSignal(known ?? NONE);
  const confirming = useSignal(false);
  const open = useSignal(!known?.antispam && !chained);
  const save = () => {
    confirming.value = true;
    if (services.peek().antispam === "" || indexerFault(services.peek(), connection.peek()?.kind === "page")) {
      focusWrong();
      return;
    }
    noteNfts(ticker, platform, services.peek());
    confirming.value = false;
    open.value = false;
    announce(t("nft.remembered"));
    onChanged();
  };
  return (
    <details class="narrowform otherwise" open={open.value} onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary>{t(known?.antispam ? "nft.services" : chained ? "nft.otherwise" : "nft.nameservices")}</summary>
      <Form onSubmit={save}>
        <ServiceFields services={services.value} onServices={(next) => (services.value = next)} asked={confirming.value} both />
        <div class="actions">
          <button type="submit" class="secondary">
            {t("nft.useservices")}
          </button>
        </div>
      </Form>
    </details>
  );
}
