import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { familyOfAddress, isName, plain, prefixOf } from "../../coins/addresses.ts";
import { contactOf, contacts } from "../../coins/contacts.ts";
import { familyOf } from "../../coins/family.ts";
import { walletAddresses } from "../../coins/holdings.ts";
import { learnReceivers, recentReceivers, resolve } from "../../coins/receivers.ts";
import { t } from "../../language.ts";
import { Field } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { lazy } from "../../ui/lazy.tsx";
import { headTail } from "../../ui/tail.ts";
import { visible } from "../../visible.ts";
import { Untrusted } from "../../ui/untrusted.tsx";
import { codeScanned } from "./scanned.ts";

const Scanner = lazy(() => import("./scan.tsx"));

/** Reports whether the browser can detect QR codes. */
const canScan = () => "BarcodeDetector" in globalThis && !!navigator.mediaDevices;

const MOST = 5; // suggestions
const PAUSE = 400; // ms after a key press before a name is resolved

interface Properties {
  ticker: string;
  /** The user's address of the coin. */
  mine: string;
  value: string;
  /** The unused parts of the payment request that filled in the form. */
  unused: string;
  /** Called with an address, a name or a payment request. */
  onText: (text: string) => void;
  error: string | undefined;
  disabled: boolean;
}

/** The receiver: an address that is typed, pasted, scanned or chosen, or a name. */
export function Receiver({ ticker, mine, value, unused, onText, error, disabled }: Properties) {
  const wrong = useSignal("");
  const take = (text: string) => type(visible(text).trim());
  const paste = async () => {
    try {
      take(await navigator.clipboard.readText());
    } catch {
      wrong.value = t("send.nopaste");
    }
  };
  const type = (text: string) => {
    wrong.value = "";
    onText(text);
  };
  const scanning = codeScanned.value !== null;
  const prefix = prefixOf(mine);
  return (
    <div class="to">
      <Field
        label={t("send.to")}
        name="to"
        hint={prefix ? t("send.hintcosmos", { prefix }) : t("send.hintevm")}
        value={value}
        onText={type}
        error={wrong.value || error}
        disabled={disabled}
        required
        after={
          <>
            <button type="button" class="quiet" disabled={disabled} onClick={() => void paste()} aria-label={t("send.paste")} title={t("send.paste")}>
              <Icon name="paste" />
            </button>
            {canScan() && (
              <button type="button" class="quiet" disabled={disabled} onClick={() => (codeScanned.value = take)} aria-label={t("send.scan")} title={t("send.scan")}>
                <Icon name="scan" />
              </button>
            )}
          </>
        }
      />
      {unused !== "" && (
        <p class="note">
          {t("request.unused")} <Untrusted text={unused} />
        </p>
      )}
      {isName(value) ? <Stands ticker={ticker} name={value} /> : <Suggested ticker={ticker} mine={mine} typed={value} onChoose={type} disabled={disabled} />}
      {scanning && <Scanner />}
    </div>
  );
}

/** The address of a name, as soon as it is resolved. Errors are displayed when the form is submitted. */
function Stands({ ticker, name }: { ticker: string; name: string }) {
  const found = useSignal<string | null | undefined>(undefined);
  useEffect(() => {
    let over = false;
    found.value = undefined;
    const timer = setTimeout(() => {
      resolve(ticker, name).then(
        ({ address }) => over || (found.value = address),
        () => over || (found.value = null),
      );
    }, PAUSE);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [ticker, name]);
  const address = found.value;
  return (
    <p class="suggested" role="status">
      {address === undefined ? t("send.resolving", { name }) : address === null ? t("send.noname", { name }) : t("send.stands", { name, address: headTail(address) })}
    </p>
  );
}

/** Contacts and recent receivers that match the input. Choosing one makes it the receiver. */
function Suggested({ ticker, mine, typed, onChoose, disabled }: { ticker: string; mine: string; typed: string; onChoose: (address: string) => void; disabled: boolean }) {
  useEffect(() => void learnReceivers(ticker, walletAddresses()), [ticker, mine]);
  const known = contactOf(typed);
  if (familyOfAddress(typed.trim()) !== null) {
    return known ? (
      <p class="suggested">
        <strong><bdi>{known.name}</bdi></strong>
      </p>
    ) : null;
  }
  const fits = (address: string) => plain(address).startsWith(plain(typed)) || plain(contactOf(address)?.name ?? "").includes(plain(typed));
  const of = contacts.value.filter(({ family }) => family === familyOf(ticker)).map(({ address }) => address);
  // Addresses on this chain come before those that are reached over IBC.
  const sorted = [...of.filter((address) => prefixOf(address) === prefixOf(mine)), ...recentReceivers(ticker), ...of];
  const list = [...new Map(sorted.map((address) => [plain(address), address])).values()].filter(fits).slice(0, MOST);
  const choose = (address: string) => {
    onChoose(address);
    document.querySelector<HTMLElement>('input[name="amount"]')?.focus();
  };
  return list.length === 0 ? (
    <p class="suggested" aria-hidden="true" /> // its space is reserved, since recent receivers are loaded later
  ) : (
    <ul class="suggested" aria-label={t("send.suggested")}>
      {list.map((address) => (
        <li key={address}>
          <button type="button" class="quiet withicon" disabled={disabled} onClick={() => choose(address)} title={address}>
            <Icon name={contactOf(address) ? "person" : "activity"} />
            <bdi>{contactOf(address)?.name ?? headTail(address)}</bdi>
          </button>
        </li>
      ))}
    </ul>
  );
}
