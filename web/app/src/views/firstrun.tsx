import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../language.ts";
import { servedBy } from "../node.ts";
import { canEncrypt } from "../session/crypto.ts";
import { wantsPassword } from "../session/linktoken.ts";
import { begin, profile } from "../session/session.ts";
import { Icon } from "../ui/icon.tsx";
import { Title } from "../ui/title.tsx";
import { Download, warmUp } from "./firstrun/download.tsx";
import Create from "./firstrun/create.tsx";
import External from "./firstrun/external.tsx";
import Native from "./firstrun/native.tsx";
import Watch from "./firstrun/watch.tsx";
import Restore from "./firstrun/restore.tsx";
import "./firstrun.css";

const ways = { watch: Watch, create: Create, restore: Restore, external: External, native: Native };
type Way = keyof typeof ways;

/** The first visit, or the creation of another wallet. */
export default function FirstRun() {
  const way = useSignal<Way | null>(null);
  const wanted = wantsPassword.value;
  useEffect(() => {
    if (wanted) {
      [way.value, wantsPassword.value] = ["native", false];
    }
  }, [wanted]);
  if (way.value) {
    const Steps = ways[way.value];
    return <Steps back={() => (way.value = null)} />;
  }
  return <Ways choose={(chosen) => (way.value = chosen)} />;
}

function Ways({ choose }: { choose: (way: Way) => void }) {
  const served = useSignal(false);
  useEffect(() => void servedBy().then((url) => (served.value = url !== null)), []);
  useEffect(() => warmUp(), []);
  const native = <Choose way="native" choose={choose} title={t("first.native")} text={t(served.value ? "first.servednative" : "first.othernative")} />;
  if (!canEncrypt()) {
    return (
      <>
        <Title text={t("first.welcome")} />
        <p>{t("first.unencrypted")}</p>
        <ul class="ways">{native}</ul>
      </>
    );
  }
  return (
    <>
      <Title text={t(profile.value ? "first.another" : "first.welcome")} />
      <p class="lead">{t("first.what")}</p>
      <ul class="ways">
        <Choose way="create" choose={choose} title={t("first.create")} text={t("first.createabout")} main />
        <Choose way="restore" choose={choose} title={t("first.restore")} text={t("first.restoreabout")} />
      </ul>
      <Download />
      <ul class="trust">
        {(["first.keys", "first.nothing"] as const).map((text) => (
          <li key={text}>
            <Icon name="check" />
            {t(text)}
          </li>
        ))}
      </ul>
      <ul class="ways more">
        <Choose way="watch" choose={choose} title={t("watch.add")} text={t("watch.about")} />
        <Choose way="external" choose={choose} title={t("first.external")} text={t("first.externalabout")} />
        {native}
      </ul>
      {profile.value && (
        <button type="button" class="secondary" onClick={() => void begin()}>
          {t("cancel")}
        </button>
      )}
    </>
  );
}

function Choose({ way, choose, title, text, main = false }: { way: Way; choose: (way: Way) => void; title: string; text: string; main?: boolean }) {
  return (
    <li>
      <button type="button" class={`way ${main ? "main" : ""}`} onClick={() => choose(way)}>
        <strong>{title}</strong>
        <span>{text}</span>
      </button>
    </li>
  );
}
