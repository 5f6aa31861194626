import { useEffect } from "preact/hooks";
import { t } from "../../language.ts";
import { href } from "../../route.ts";
import { lookAtSent, sent, type Sent } from "./waiting.ts";

/** Reports whether a transaction that was broadcast here is pending. */
export const useWaits = (): boolean => sent.value.some(({ is }) => is === "waiting");

const words = ({ is, height }: Sent): string => (is === "waiting" ? t("tokens.waits") : is === "in a block" ? t("tokens.inblock", { height }) : t("tokens.gone"));

/** The state of a transaction, announced when it changes. */
export function SentState({ txid, tip }: { txid: string; tip: string }) {
  useEffect(() => void lookAtSent(), [tip]);
  const one = sent.value.find((known) => known.txid === txid);
  return <span role="status">{one ? words(one) : ""}</span>;
}

/** The transactions that were broadcast here. */
export function SentList({ tip }: { tip: string }) {
  useEffect(() => void lookAtSent(), [tip]);
  if (sent.value.length === 0) {
    return null;
  }
  return (
    <>
      <h2>{t("tokens.sent")}</h2>
      <ul class="sent">
        {sent.value.map((one) => (
          <li key={one.txid}>
            <a href={href("tokens", ["decode", one.txid])}>{one.what}</a> <small>{words(one)}</small>
          </li>
        ))}
      </ul>
    </>
  );
}
