import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Methods } from "obverse";
import type { Chain, Family } from "../../coins/catalog.ts";
import { relayFault } from "../../coins/relayfault.ts";
import { t } from "../../language.ts";
import { rpc } from "../../node.ts";
import { Check } from "../../ui/check.tsx";
import { Fault } from "../../ui/fault.tsx";
import { useLoad } from "../../ui/task.ts";
import { Pair } from "./pair.tsx";

type Session = Methods["wc_get_sessions"]["result"]["sessions"][number];

const NAMESPACES: Record<Family, string> = { cosmos: "cosmos", evm: "eip155" };

/** Returns a chain's name by CAIP-2. */
const nameOf = ({ family, id }: Chain): string => `${NAMESPACES[family]}:${id}`;

/** Returns the accounts of a session on a chain, or of a family if the chain is not known. */
function accountsOf({ namespaces }: Session, chain: Chain | undefined, family: Family): string[] {
  const accounts = Object.entries(namespaces).flatMap(([name, { accounts }]) => (name.split(":")[0] === NAMESPACES[family] ? accounts : []));
  return chain ? accounts.filter((account) => account.startsWith(`${nameOf(chain)}:`)) : accounts;
}

const shortened = (account: string): string => {
  const address = account.split(":").at(-1) ?? "";
  return address.length > 20 ? `${address.slice(0, 10)}…${address.slice(-6)}` : address;
};

interface Properties {
  chain: Chain | undefined;
  family: Family;
  topic: string;
  onTopic: (topic: string) => void;
}

/** The wallets connected by WalletConnect, to choose one or to pair another. */
export default function Sessions({ chain, family, topic, onTopic }: Properties) {
  const pairing = useSignal(false);
  const again = useSignal(0);
  const loaded = useLoad(() => rpc("wc_get_sessions"), [again.value]);
  const fitting = (loaded.value.value?.sessions ?? []).filter((session) => accountsOf(session, chain, family).length > 0);
  useEffect(() => {
    if (loaded.value.value && !fitting.some((session) => session.topic === topic)) {
      onTopic(fitting[0]?.topic ?? "");
    }
  }, [loaded.value.value]);
  const paired = (session: Session) => {
    pairing.value = false;
    again.value++;
    onTopic(session.topic);
  };
  return (
    <fieldset class="column">
      <legend>{t("activate.wallet")}</legend>
      <Fault error={relayFault(loaded.error.value)} />
      {fitting.map((session) => (
        <Check key={session.topic} name="session" checked={session.topic === topic} onCheck={() => onTopic(session.topic)}>
          <bdi>{session.metadata.name || t("activate.unnamed")}</bdi> <small>{accountsOf(session, chain, family).map(shortened).join(", ")}</small>
        </Check>
      ))}
      {loaded.value.value && fitting.length === 0 && <p>{chain ? t("activate.nonepairedfor", { chain: chain.name }) : t("activate.nonepaired")}</p>}
      {chain ? (
        <div>
          <button type="button" class="secondary" onClick={() => (pairing.value = true)}>
            {t("activate.pair")}
          </button>
        </div>
      ) : (
        <p>
          <small>{t("activate.unknownid")}</small>
        </p>
      )}
      {pairing.value && chain && <Pair chain={nameOf(chain)} family={family} onPaired={paired} onClose={() => (pairing.value = false)} />}
    </fieldset>
  );
}
