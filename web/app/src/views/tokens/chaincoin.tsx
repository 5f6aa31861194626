import { chainCoin, lastChainCoin } from "../../coins/chaincoin.ts";
import { t } from "../../language.ts";
import { connection } from "../../node.ts";
import { Amount } from "../../ui/amount.tsx";
import { Fact } from "../../ui/fact.tsx";
import { useLoad } from "../../ui/task.ts";

/** The node key's balance of the chain's coin, from which tokens are created. */
export function ChainCoin() {
  const { name, balance } = useLoad(chainCoin).value.value ?? lastChainCoin() ?? {};
  return (
    <Fact name={t("chain.title")}>
      {name === undefined || balance === undefined ? "…" : <Amount value={balance} unit={name} />}{" "}
      <small>{t(connection.value?.kind === "page" ? "chain.page" : "chain.native")}</small>
    </Fact>
  );
}
