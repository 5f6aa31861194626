import { cancel, activation, type Wanted } from "../../coins/activation.ts";
import { DeviceStep } from "../../coins/devicestep.tsx";
import { find } from "../../coins/holdings.ts";
import { t } from "../../language.ts";
import { href } from "../../route.ts";
import { Address } from "../../ui/address.tsx";
import { Progress } from "../../ui/progress.tsx";
import { LeftOut } from "./serverlist.tsx";

/** What is activated with the coin, in words. */
const company = ({ tokens, nfts }: Wanted): string => [...tokens, ...(nfts ? ["its NFTs"] : [])].join(", ");

/** An activation at work. */
export function Running({ wanted }: { wanted: Wanted }) {
  const { nodes, key, nfts } = wanted;
  return (
    <section class="narrowform">
      <Progress label={company(wanted) ? `With ${company(wanted)}` : "Working"}>
        <p>
          {nodes.length === 1 ? "The node asks the server" : `The node asks ${nodes.length} servers at once`} for the chain and for your balance. One that does not answer is given up after 15 seconds.
          {nfts && " The indexer is asked for all NFTs of your address, which may take a while."}
          {key === "browser" && ` ${wanted.family === "evm" ? "Your wallet" : "Keplr"} asks you to let this page see your account: confirm it there.`}
        </p>
        {key === "device" && <DeviceStep family={wanted.family ?? "cosmos"} />}
        <p>You can leave this view; the activation continues.</p>
      </Progress>
      <div class="actions">
        <button type="button" class="secondary" onClick={cancel}>
          Cancel
        </button>
      </div>
    </section>
  );
}

/** A coin that has become active. */
export function Done({ wanted, address, already }: { wanted: Wanted; address: string; already: boolean }) {
  const { ticker } = wanted;
  const own = address || find(ticker)?.address;
  return (
    <section class="narrowform">
      <div class="note" role="status">
        <p>{already ? "It was already active; nothing changed. To change its servers, disable it first." : company(wanted) ? `With ${company(wanted)}. This is their address too:` : "This is its address:"}</p>
        {own && (
          <p>
            <Address value={own} what={`your ${ticker} address`} />
          </p>
        )}
      </div>
      {find(ticker) && <LeftOut ticker={ticker} />}
      <div class="actions">
        <a class="go" href={href("")} onClick={() => (activation.value = null)}>
          {t("home.go")}
        </a>
        <button type="button" class="secondary" onClick={() => (activation.value = null)}>
          Activate another coin
        </button>
      </div>
    </section>
  );
}
