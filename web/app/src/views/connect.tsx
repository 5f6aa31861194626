import { connection } from "../node.ts";
import { link } from "../dapps/link.ts";
import { failure, more, outcome, rejectAll, pending } from "../dapps/requests.ts";
import { t } from "../language.ts";
import { href } from "../route.ts";
import { Progress } from "../ui/progress.tsx";
import { rich } from "../ui/rich.tsx";
import { Title } from "../ui/title.tsx";
import { Accounts } from "./connect/accounts.tsx";
import { Native } from "./connect/native.tsx";
import { Sign } from "./connect/sign.tsx";
import "../coins/coins.css";
import "./connect.css";

/** The requests of the site that opened this window, one at a time. */
export default function Connect() {
  const now = pending.value;
  if (!link.value) {
    return (
      <>
        <Title text={t("connect.title")} />
        <p>
          {rich("connect.nosite", { link: <a href={href("")}>{t("connect.open")}</a> })}
        </p>
      </>
    );
  }
  if (!now) {
    return connection.value ? <Nothing /> : <Progress label={t("node.starting")} />;
  }
  return (
    <>
      {now.is === "connect" ? <Accounts key={`${now.request.id} ${now.offers.length}`} now={now} /> : now.is === "sign" ? <Sign key={now.request.id} now={now} /> : <Native key={now.request.id} now={now} />}
      {more.value > 0 && failure.value === null && (
        <p class="muted">
          {t("connect.more", { more: more.value })}{" "}
          <button type="button" class="quiet" onClick={rejectAll}>
            {t("connect.rejectall")}
          </button>
        </p>
      )}
    </>
  );
}

function Nothing() {
  return (
    <>
      <Title text={t("connect.nothing")} />
      {outcome.value && <p role="status">{outcome.value}</p>}
      <p>
        {rich("connect.keepopen", { site: <strong>{link.value?.origin}</strong> })}
      </p>
    </>
  );
}
