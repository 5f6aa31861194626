import { useEffect, useLayoutEffect } from "preact/hooks";
import { Gate } from "../coins/gate.tsx";
import { renew, type Holding } from "../coins/holdings.ts";
import { followPrices } from "../coins/prices.ts";
import { watched } from "../coins/watched.ts";
import { t } from "../language.ts";
import { draftOf } from "../coins/payable.ts";
import { BadRequest } from "../coins/request.ts";
import { back, begin, draft, empty, stage } from "../coins/sending.ts";
import { route, type Route } from "../route.ts";
import { lazy } from "../ui/lazy.tsx";
import { Title } from "../ui/title.tsx";
import { Said } from "../words.ts";
import { SendForm } from "./send/form.tsx";
import { Review } from "./send/review.tsx";
import { Way } from "./send/way.tsx";
import "./send.css";

const SendNft = lazy(() => import("./send/nft.tsx"), "more");

/** Sends coins or an NFT: a form, a review, and the confirmation. */
export default function Send() {
  useLink();
  useEffect(followPrices, []); // also for a review that stays open
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
          <Review tx={now.tx} order={now.order} named={now.named} {...(now.instead && { instead: now.instead })} />
        </>
      );
    default:
      return <Way now={now} />;
  }
}

/** The address of the page that last filled in the form. */
let filled: Route | null = null;

const isLink = ({ query }: Route): boolean => query.size > 0;

/** Reports whether the page's address requests something other than the form or its review. */
const isOther = (wanted: Route): boolean => (isLink(wanted) ? wanted !== filled : filled !== null);

/** Leaves a review or an outcome for the form when the page's address requests something else. A transaction that is being submitted stays. */
function useLink() {
  const asked = route.value;
  useLayoutEffect(() => {
    if (isLink(asked) && isOther(asked) && !["draft", "sending", "unsure"].includes(stage.peek().is)) {
      back();
    }
  }, [asked]);
}

function Begin({ holding }: { holding: Holding }) {
  const { ticker } = holding;
  const asked = route.value;
  useEffect(() => renew(ticker), [ticker]);
  useLayoutEffect(() => {
    // Before the user can type into a form that is emptied or filled in here. A form that the user returns to is unchanged.
    if (draft.value.coin !== ticker || draft.value.nft || isOther(asked)) {
      filled = isLink(asked) ? asked : null;
      fillIn(asked.query, ticker);
    }
  }, [ticker, asked, draft.value.coin]);
  return draft.value.coin === ticker && !draft.value.nft ? <SendForm holding={holding} /> : null;
}

/** Fills in the form from a link, or empties it and displays why the link cannot be used. */
function fillIn(query: URLSearchParams, ticker: string) {
  try {
    begin(draftOf(query, ticker));
  } catch (error) {
    if (!(error instanceof BadRequest)) {
      throw error;
    }
    begin(empty(ticker), new Said(t("request.refused"), error.message));
  }
}
