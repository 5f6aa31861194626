import { useEffect, useLayoutEffect } from "preact/hooks";
import { isEvm } from "../coins/family.ts";
import { Gate } from "../coins/gate.tsx";
import { renew, type Holding } from "../coins/holdings.ts";
import { followPrices } from "../coins/prices.ts";
import { watched } from "../coins/watched.ts";
import { t } from "../language.ts";
import { written } from "../money.ts";
import { begin, draft, empty, stage } from "../coins/sending.ts";
import { route, type Route } from "../route.ts";
import { lazy } from "../ui/lazy.tsx";
import { Title } from "../ui/title.tsx";
import { SendForm } from "./send/form.tsx";
import { Review } from "./send/review.tsx";
import { Way } from "./send/way.tsx";
import "./send.css";

const SendNft = lazy(() => import("./send/nft.tsx"), "more");

/** Sends coins, or an NFT: a form, a look at what is to be sent, and its way into a block. */
export default function Send() {
  const now = stage.value;
  if (watched() !== undefined) {
    return (
      <>
        <Title text={t("view.send")} />
        <p>{t("watch.nosend")}</p>
      </>
    );
  }
  switch (now.is) {
    case "draft":
    case "asking":
      return (
        <>
          <Title text={t("view.send")} />
          <Gate todo={t("send.gate")}>{(holding) => (route.value.args[2] ? <SendNft holding={holding} /> : <Begin holding={holding} />)}</Gate>
        </>
      );
    case "review":
      return (
        <>
          <Title text={t(!now.instead ? "send.check" : now.instead === "cancel" ? "send.cancel" : "send.speedup")} />
          <Review tx={now.tx} named={now.named} {...(now.instead && { instead: now.instead })} />
        </>
      );
    default:
      return <Way now={now} />;
  }
}

/** The link by which the form was filled in last. */
let filled: Route | null = null;

function Begin({ holding }: { holding: Holding }) {
  const { ticker } = holding;
  useEffect(() => renew(ticker), [ticker]);
  useEffect(followPrices, []);
  useLayoutEffect(() => {
    // Before anything can be typed into a form that is emptied or filled here.
    const asked = route.peek();
    const { query } = asked;
    // A link fills the form in once: who comes back to the form finds it as it was.
    if (draft.peek().coin !== ticker || draft.peek().nft || (query.has("to") && asked !== filled)) {
      filled = asked;
      begin({ ...empty(ticker), to: query.get("to") ?? "", amount: written(query.get("amount") ?? ""), memo: isEvm(ticker) ? "" : (query.get("memo") ?? "") });
    }
  }, [ticker]);
  return draft.value.coin === ticker && !draft.value.nft ? <SendForm holding={holding} /> : null;
}
