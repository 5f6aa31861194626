import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { agree, lookAgain, reject, type Shown } from "../../dapps/requests.ts";
import { t } from "../../language.ts";
import { href } from "../../route.ts";
import { Address } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { useEvery } from "../../ui/every.ts";
import { Fault } from "../../ui/fault.tsx";
import { rich } from "../../ui/rich.tsx";
import { useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";
import { Site } from "./site.tsx";
import { useSettled } from "./settled.ts";

const LOOK = 1000; // ms

/** Has the user choose the accounts that a site may see and request signatures from. */
export function Accounts({ now }: { now: Shown & { is: "connect" } }) {
  const { offers, missing } = now;
  const left = useSignal<readonly string[]>([]); // chains that the site does not get
  const settled = useSettled();
  const chosen = offers.filter(({ chain }) => !left.value.includes(chain));
  const task = useTask(() => agree(now, chosen));
  const turn = useEvery(LOOK);
  useEffect(() => void lookAgain(now), [turn]);
  return (
    <>
      <Title text={t("connect.site")} />
      <Site origin={now.request.from.origin} asks={t("connect.asksaccounts")} />
      {missing.length > 0 && <p>{t("connect.nocoin", { networks: missing.join(", ") })}</p>}
      {offers.length === 0 ? (
        <p>
          {rich("connect.nocoinhere", { link: <a href={href("activate")} target="_blank">
            {t("connect.activate")}
          </a> })}
        </p>
      ) : (
        <ul class="accounts">
          {offers.map(({ chain, coin, address }) => (
            <li key={chain}>
              <Check checked={!left.value.includes(chain)} onCheck={(on) => (left.value = on ? left.value.filter((one) => one !== chain) : [...left.value, chain])}>
                {coin} <small>{chain}</small>
                <br />
                <Address value={address} copy={false} />
              </Check>
            </li>
          ))}
        </ul>
      )}
      <p class="muted">{t("connect.about")}</p>
      <Fault error={task.error.value} />
      <div class="actions">
        {offers.length > 0 && (
          <Button type="button" busy={task.busy.value} disabled={!settled.value || chosen.length === 0} onClick={() => void task.run()}>
            {t("connect.connect")}
          </Button>
        )}
        <button type="button" class="secondary" onClick={() => reject(now)}>
          {t("connect.reject")}
        </button>
      </div>
    </>
  );
}
