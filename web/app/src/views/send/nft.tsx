import { useEffect } from "preact/hooks";
import { renew, type Holding } from "../../coins/holdings.ts";
import { begin, draft, empty, itemIn } from "../../coins/sending.ts";
import { t } from "../../language.ts";
import { chainName, hasNfts, turned } from "../../nfts/networks.ts";
import { isNotHere, load, nameOf, notHere } from "../../nfts/nft.ts";
import { route } from "../../route.ts";
import { Amount } from "../../ui/amount.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Field } from "../../ui/field.tsx";
import { Progress } from "../../ui/progress.tsx";
import { useLoad } from "../../ui/task.ts";
import { Said } from "../../words.ts";
import type { AmountProperties } from "./amountfield.tsx";
import { SendForm } from "./form.tsx";
import { NftFacts } from "./nftfacts.tsx";

/** The form for the NFT that the page's address names: #/send/network/contract/id. */
export default function SendNft({ holding }: { holding: Holding }) {
  const { ticker } = holding;
  const [, address = "", id = ""] = route.value.args;
  const known = useLoad(async () => {
    if (!hasNfts(ticker)) {
      throw new Said(t("send.nftgone"), t("send.nftgonetodo"));
    }
    const token = { chain: chainName(ticker), token_address: address, token_id: id };
    const nft = await load(token);
    return { ...token, name: nameOf(nft), kind: nft.contract_type, amount: nft.amount };
  }, [ticker, address, id, turned.value]);
  const nft = known.value.value;
  useEffect(() => renew(ticker), [ticker]);
  useEffect(() => {
    const now = draft.peek();
    if (!nft) {
      return;
    }
    if (now.coin !== ticker || itemIn(now) !== itemIn({ nft })) {
      begin({ ...empty(ticker), amount: "1", nft });
    } else if (now.nft?.amount !== nft.amount) {
      draft.value = { ...now, nft }; // an earlier transfer of it is confirmed by now
    }
  }, [nft]);
  const { coin, nft: asked } = draft.value;
  // The same contract address may exist on several networks.
  if (asked && coin === ticker && asked.token_address === address && asked.token_id === id && !isNotHere(known.error.value)) {
    return (
      <SendForm holding={holding} HowMuch={HowMany}>
        <dl class="facts">
          <NftFacts nft={{ ...asked, amount: "1" }} />
        </dl>
      </SendForm>
    );
  }
  return known.error.value ? <Fault error={notHere(known.error.value)} retry={known.reload} /> : <Progress label={t("nft.loading")} />;
}

/** The number of NFTs to send, if the wallet has several of the same. */
function HowMany({ draft: { amount, nft }, onChange, error, disabled }: AmountProperties) {
  return nft && (nft.amount !== "1" || error) ? (
    <Field
      label={t("send.nftcount")}
      name="amount"
      inputMode="numeric"
      value={amount}
      onText={(text) => onChange({ amount: text })}
      error={error}
      hint={
        <>
          {t("nft.hold")} <Amount value={nft.amount} />
        </>
      }
      disabled={disabled}
      required
    />
  ) : null;
}
