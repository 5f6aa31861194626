import { isEvm } from "../../coins/family.ts";
import { symbolOf } from "../../coins/names.ts";
import { nftText, outbox } from "../../coins/outbox.ts";
import { t } from "../../language.ts";
import { Amount } from "../../ui/amount.tsx";
import { ShortAddress } from "../../ui/shortaddress.tsx";

/** The transactions sent of a coin: the pending ones, and all if there is no history. */
export function SentFrom({ ticker }: { ticker: string }) {
  const list = outbox.value.filter(({ coin, height }) => coin === ticker && (height === null || isEvm(ticker)));
  if (list.length === 0) {
    return null;
  }
  return (
    <section>
      <h2>{t("send.sentfrom")}</h2>
      <ul class="sentfrom">
        {list.map(({ hash, amount, to, height, nft }) => (
          <li key={hash}>
            <p>
              {nft ? nftText(nft) : <Amount value={amount} unit={symbolOf(ticker)} />} <small role="status">{height === null ? t("send.waits") : t("send.inblock", { height })}</small>
            </p>
            <dl>
              <dt>{t("send.to")}</dt>
              <dd>
                {to.map((address) => (
                  <ShortAddress key={address} value={address} />
                ))}
              </dd>
              <dt>{t("activity.hash")}</dt>
              <dd>
                <ShortAddress value={isEvm(ticker) ? `0x${hash}` : hash} what={t("activity.thehash")} />
              </dd>
            </dl>
          </li>
        ))}
      </ul>
    </section>
  );
}
