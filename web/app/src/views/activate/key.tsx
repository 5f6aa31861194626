import type { KeyPlace } from "../../coins/keyplace.ts";
import { appOf } from "../../coins/keyplace.ts";
import type { Chain, Family } from "../../coins/catalog.ts";
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
  /** The session that was chosen; "": none. */
  topic: string;
  onTopic: (topic: string) => void;
  /** What is wrong with the choice. */
  error: string;
  api: string;
  onApi: (api: string) => void;
}

/** What each place is called, and what happens there. */
function namesOf(family: Family): Record<KeyPlace, [name: string, hint: string]> {
  const evm = family === "evm";
  return {
    own: ["This wallet's own", ""],
    browser: [evm ? "A wallet such as MetaMask" : "Keplr", evm ? "It has the key, and asks you before it signs and sends" : "Your wallet has the key and asks you before it signs"],
    device: ["A hardware wallet", `Ledger with its ${appOf(family)} app: the key stays in the device, which asks you before it signs`],
    watch: [t("watch.key"), ""],
    session: ["A wallet on your phone", evm ? "By WalletConnect: it asks you before it signs and sends" : "By WalletConnect: it asks you before it signs"],
  };
}

/** Whose key a coin uses. */
export function Key({ chain, family, offered, place, onPlace, topic, onTopic, error, api, onApi }: Properties) {
  const names = namesOf(family);
  return (
    <>
      <fieldset class="column">
        <legend>Key</legend>
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
          <summary>If Keplr does not know this chain</summary>
          <Field label="REST address of a server" hint="Keplr adds the chain with this address and the first one above." type="url" value={api} onText={onApi} />
        </details>
      )}
    </>
  );
}

/** The sessions with wallets, loaded when they are asked for. */
function Sessions(properties: { chain: Chain | undefined; family: Family; topic: string; onTopic: (topic: string) => void }) {
  const loaded = useLoad(() => import("./sessions.tsx"), []);
  const List = loaded.value.value?.default;
  return List ? <List {...properties} /> : null;
}
