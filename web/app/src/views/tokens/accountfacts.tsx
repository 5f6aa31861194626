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
  here: "this node makes the next block when there is something to put in",
  asked: "a block is made when somebody asks for it",
  elsewhere: "another node makes the blocks",
};

/** The chain, and what others need to send something to this key. */
export function AccountFacts({ account, changed }: { account: Account; changed: () => void }) {
  const make = useTask(async () => {
    await ask("generate", 1);
    changed();
  });
  return (
    <>
      <h2>You on this chain</h2>
      <dl>
        <Fact name="Public key">
          <Address value={account.key} what="your public key" />
          <small>Tokens are sent to it.</small>
        </Fact>
        <Fact name="Address">
          <Address value={account.address} what="your address" />
          <small>Coins of this chain are sent to it.</small>
        </Fact>
        <ChainCoin />
        <Fact name="Block">
          <Amount value={account.height} /> <small>of the chain {account.coin}: {makers[account.blocks]}</small>{" "}
          {account.blocks === "asked" && (
            <Button type="button" class="quiet" busy={make.busy.value} onClick={() => void make.run()}>
              Make a block
            </Button>
          )}
        </Fact>
      </dl>
      <Fault error={make.error.value} />
    </>
  );
}
