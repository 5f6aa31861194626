import { t } from "../../language.ts";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Button } from "../../ui/button.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Fault } from "../../ui/fault.tsx";
import { useTask } from "../../ui/task.ts";
import type { Account } from "./account.ts";
import { ChainCoin } from "./chaincoin.tsx";
import { ask } from "./daemon.ts";

const makers = {
  here: "tokens.blockshere",
  asked: "tokens.blocksasked",
  elsewhere: "tokens.blockselsewhere",
} as const;

/** The chain, and the addresses for sending something to this key. */
export function AccountFacts({ account, changed }: { account: Account; changed: () => void }) {
  const make = useTask(async () => {
    await ask("generate", 1);
    changed();
  });
  return (
    <>
      <h2>{t("tokens.you")}</h2>
      <dl>
        <Fact name={t("tokens.publickey")}>
          <Address value={account.key} what={t("tokens.yourkey")} />
          <small>{t("tokens.keyabout")}</small>
        </Fact>
        <Fact name={t("tokens.address")}>
          <Address value={account.address} what={t("tokens.youraddress")} />
          <small>{t("tokens.addressabout")}</small>
        </Fact>
        <ChainCoin />
        <Fact name={t("tokens.block")}>
          <Amount value={account.height} /> <small>{t("tokens.ofchain", { coin: account.coin, makers: t(makers[account.blocks]) })}</small>{" "}
          {account.blocks === "asked" && (
            <Button type="button" class="quiet" busy={make.busy.value} onClick={() => void make.run()}>
              {t("tokens.makeblock")}
            </Button>
          )}
        </Fact>
      </dl>
      <Fault error={make.error.value} />
    </>
  );
}
