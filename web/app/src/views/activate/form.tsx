import { useSignal } from "@preact/signals";
import { activate, activation, interrupted, type Wanted } from "../../coins/activation.ts";
import { chainOf, tokens as allTokens, type Family, type KeyPlace } from "../../coins/catalog.ts";
import { chooseDevice } from "../../coins/device.ts";
import { watched } from "../../coins/watched.ts";
import { addressFault } from "../../coins/reasons.ts";
import { servicesOf, settingsOf } from "../../coins/remembered.ts";
import { t } from "../../language.ts";
import { connection } from "../../node.ts";
import { hasNfts, NONE } from "../../nfts/networks.ts";
import { profile } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Field } from "../../ui/field.tsx";
import { focusWrong } from "../../ui/focus.ts";
import { Form } from "../../ui/form.tsx";
import { rich } from "../../ui/rich.tsx";
import { indexerFault, ServiceFields } from "../nfts/services.tsx";
import { Key } from "./key.tsx";
import { Outcome } from "./outcome.tsx";
import { Servers } from "./servers.tsx";
import { tickersIn, TokenList } from "./tokenlist.tsx";

/** Reports whether all keys of this wallet are in a browser wallet. */
const isExternal = (): boolean => connection.peek()?.kind === "page" && profile.peek()?.page?.kind === "external";

/** Returns the possible places of a coin's key: a page reaches browser wallets, and a wallet without a passphrase has no keys in the node. */
const placesFor = (inPage: boolean): readonly KeyPlace[] => watched() !== undefined ? ["watch"] : [...(isExternal() ? [] : ["own" as const]), ...(inPage ? ["browser" as const] : []), "device", "session"];

/** The history of an EVM coin is loaded when its view first requests it, and stored from then on. */
const hasHistory = (ticker: string) => {
  const last = settingsOf(ticker);
  return last?.family === "evm" && last.history;
};

/** Returns the settings of a failed or interrupted activation, otherwise those of the last successful one. */
function before(ticker: string): Wanted {
  const last = activation.peek();
  const [failed, cut] = [last?.wanted, interrupted.peek()].map((wanted) => (wanted?.ticker === ticker ? wanted : undefined));
  const none = { ticker, tokens: [], nodes: [], api: "", history: true, key: watched() !== undefined ? ("watch" as const) : isExternal() ? ("browser" as const) : ("own" as const) };
  return failed ?? cut ?? { ...none, ...settingsOf(ticker) };
}

/** A form that activates a chain's coin. */
export function ActivateForm({ ticker, other }: { ticker: string; other: string }) {
  const name = useSignal(ticker || other);
  const start = before(name.peek());
  const isKnown = (token: string) => allTokens.some((one) => one.ticker === token);
  const family = useSignal<Family>(chainOf(ticker)?.family ?? start.family ?? "cosmos");
  const tokens = useSignal<readonly string[]>(start.tokens.filter(isKnown));
  const typed = useSignal(start.tokens.filter((token) => !isKnown(token)).join(" "));
  const nodes = useSignal<readonly string[]>(start.nodes.length > 0 ? start.nodes : [""]);
  const api = useSignal(start.api);
  const history = useSignal(start.history);
  const place = useSignal<KeyPlace>(start.key);
  const topic = useSignal(start.topic ?? "");
  const keyFault = useSignal("");
  const withNfts = useSignal(start.nfts !== undefined);
  const nfts = useSignal(start.nfts ?? servicesOf(`NFT_${ticker}`) ?? NONE);
  const confirming = useSignal(false);
  const chosen = name.value.trim();
  const evm = family.value === "evm";
  const inPage = connection.value?.kind === "page";
  const given = nodes.value.map((url) => url.trim()).filter(Boolean);
  const listsNfts = evm && withNfts.value && hasNfts(chosen);
  const submit = async () => {
    confirming.value = true;
    keyFault.value = place.peek() === "session" && topic.peek() === "" ? t("activate.pairfirst") : "";
    if (chosen === "" || given.length === 0 || given.some((url) => addressFault(url, inPage)) || keyFault.peek() !== "" || (listsNfts && indexerFault(nfts.value, inPage))) {
      activation.value = null; // the outcome of the last attempt does not apply to the new settings
      focusWrong();
      return;
    }
    if (place.peek() === "device" && inPage && (keyFault.value = await chooseDevice()) !== "") {
      return;
    }
    const all = [...new Set([...tokens.value, ...(evm ? tickersIn(typed.value) : [])])];
    void activate({ ticker: chosen, tokens: all, nodes: given, family: family.value, api: place.value === "browser" ? api.value.trim() : "", history: evm ? hasHistory(chosen) : history.value, key: place.value, ...(place.value === "session" ? { topic: topic.value } : {}), ...(listsNfts ? { nfts: nfts.value } : {}) });
  };
  const toggle = (token: string, on: boolean) => (tokens.value = on ? [...tokens.value, token] : tokens.value.filter((one) => one !== token));
  return (
    <Form onSubmit={() => void submit()}>
      <Outcome ticker={chosen} />
      {ticker === "" && <Field label={t("activate.ticker")} hint={t("activate.tickerhint")} value={name.value} onText={(text) => (name.value = text)} error={confirming.value && chosen === "" ? t("activate.noticker") : ""} required />}
      {ticker === "" && <FamilyChoice family={family.value} onFamily={(chosenFamily) => (family.value = chosenFamily)} />}
      <TokenList platform={chosen} family={family.value} chosen={tokens.value} onToggle={toggle} typed={typed.value} onTyped={(text) => (typed.value = text)} />
      <Servers chain={chainOf(chosen)} family={family.value} nodes={nodes.value} onNodes={(list) => (nodes.value = list)} error={(url, n) => (!confirming.value ? "" : given.length === 0 ? (n === 0 ? t("activate.noserver") : "") : addressFault(url, inPage))} />
      <Key
        chain={chainOf(chosen)}
        family={family.value}
        offered={placesFor(inPage)}
        place={place.value}
        onPlace={(chosenPlace) => (place.value = chosenPlace)}
        topic={topic.value}
        onTopic={(chosenTopic) => (topic.value = chosenTopic)}
        error={keyFault.value}
        api={api.value}
        onApi={(text) => (api.value = text)}
      />
      {!evm && (
        <Check checked={history.value} onCheck={(on) => (history.value = on)}>
          {t("activate.history")}
        </Check>
      )}
      {evm && hasNfts(chosen) && (
        <Check checked={withNfts.value} onCheck={(on) => (withNfts.value = on)}>
          {rich("activate.nftstoo", { small: <small>{t("activate.nftslater")}</small> })}
        </Check>
      )}
      {listsNfts && <ServiceFields services={nfts.value} onServices={(services) => (nfts.value = services)} asked={confirming.value} />}
      <div class="actions">
        <Button>{t("activate.activate", { ticker: chosen })}</Button>
      </div>
    </Form>
  );
}

function FamilyChoice({ family, onFamily }: { family: Family; onFamily: (family: Family) => void }) {
  return (
    <fieldset class="column">
      <legend>{t("activate.family")}</legend>
      <Check name="family" checked={family === "cosmos"} onCheck={() => onFamily("cosmos")}>
        {rich("activate.cosmos", { small: <small>{t("activate.cosmosabout")}</small> })}
      </Check>
      <Check name="family" checked={family === "evm"} onCheck={() => onFamily("evm")}>
        {rich("activate.evm", { small: <small>{t("activate.evmabout")}</small> })}
      </Check>
    </fieldset>
  );
}
