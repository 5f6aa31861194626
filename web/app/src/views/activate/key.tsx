import { appOf } from "../../coins/keyplace.ts";
import type { Chain, Family, KeyPlace } from "../../coins/catalog.ts";
import { t } from "../../language.ts";
import { Check } from "../../ui/check.tsx";
import { Field } from "../../ui/field.tsx";
import { useLoad } from "../../ui/task.ts";

interface Properties {
  chain: Chain | undefined;
  family: Family;
  /** The places to choose from. */
  offered: readonly KeyPlace[];
  place: KeyPlace;
  onPlace: (place: KeyPlace) => void;
  /** The selected session; "" if none. */
  topic: string;
  onTopic: (topic: string) => void;
  /** What is wrong with the choice. */
  error: string;
  api: string;
  onApi: (api: string) => void;
}

/** Returns the name and the description of each place. */
function namesOf(family: Family): Record<KeyPlace, [name: string, hint: string]> {
  const evm = family === "evm";
  return {
    own: [t("activate.keyown"), ""],
    browser: [evm ? t("activate.keyevm") : "Keplr", evm ? t("activate.keyevmabout") : t("activate.keykeplrabout")],
    device: [t("activate.keydevice"), t("activate.keydeviceabout", { family: appOf(family) })],
    watch: [t("watch.key"), ""],
    session: [t("activate.keyphone"), evm ? t("activate.keyphonesends") : t("activate.keyphonesigns")],
  };
}

/** The choice of where a coin's key is. */
export function Key({ chain, family, offered, place, onPlace, topic, onTopic, error, api, onApi }: Properties) {
  const names = namesOf(family);
  return (
    <>
      <fieldset class="column">
        <legend>{t("activate.key")}</legend>
        {offered.map((one) => (
          <Check key={one} name="key" checked={place === one} onCheck={() => onPlace(one)}>
            {names[one][0]} <small>{names[one][1]}</small>
          </Check>
        ))}
      </fieldset>
      {place === "session" && <Sessions chain={chain} family={family} topic={topic} onTopic={onTopic} />}
      {error && (
        <div class="fault" role="alert">
          <p>{error}</p>
        </div>
      )}
      {place === "browser" && family === "cosmos" && (
        <details>
          <summary>{t("activate.keplr")}</summary>
          <Field label={t("activate.rest")} hint={t("activate.resthint")} type="url" value={api} onText={onApi} />
        </details>
      )}
    </>
  );
}

/** The sessions with wallets, loaded when they are needed. */
function Sessions(properties: { chain: Chain | undefined; family: Family; topic: string; onTopic: (topic: string) => void }) {
  const loaded = useLoad(() => import("./sessions.tsx"), []);
  const List = loaded.value.value?.default;
  return List ? <List {...properties} /> : null;
}
