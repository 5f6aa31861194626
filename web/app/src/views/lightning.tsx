import { isLightning } from "../coins/catalog.ts";
import { failure, holdings, refresh } from "../coins/holdings.ts";
import { t } from "../language.ts";
import { connection } from "../node.ts";
import { href, route } from "../route.ts";
import { Fault } from "../ui/fault.tsx";
import { Progress } from "../ui/progress.tsx";
import { Title } from "../ui/title.tsx";
import { Activate } from "./lightning/activate.tsx";
import { Coin } from "./lightning/coin.tsx";
import "../coins/coins.css";
import "./lightning.css";

/** The Lightning network peers of the coin that the page's address names, or of the first one. */
export default function Lightning() {
  return (
    <div class="lightning">
      <Title text={t("view.lightning")} />
      {content()}
    </div>
  );
}

function content() {
  if (connection.value?.kind === "page") {
    return <NoTcp />;
  }
  if (holdings.value === null) {
    return failure.value ? <Fault error={failure.value} retry={() => void refresh()} /> : <Progress label={t("lightning.looking")} />;
  }
  const active = holdings.value.map(({ ticker }) => ticker).filter(isLightning);
  const [requested] = route.value.args;
  const ticker = active.find((coin) => coin === requested) ?? active[0];
  return ticker === undefined ? <Activate requested={requested ?? ""} active={active} /> : <Coin key={ticker} ticker={ticker} active={active} />;
}

function NoTcp() {
  return (
    <>
      <p>{t("lightning.notinpage")}</p>
      <p>{t("lightning.native")}</p>
      <p>
        <a class="go" href={href("settings")}>
          {t("lightning.connectnative")}
        </a>
      </p>
    </>
  );
}
