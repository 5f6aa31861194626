import { render } from "preact";
import type { ReadonlySignal } from "@preact/signals";
import type { WalletInfo } from "obverse";
import { t } from "../language.ts";
import { Dialog } from "../ui/dialog.tsx";
import "./walletchoice.css";

/** Closes the open dialog as if the user had cancelled it. */
let cancel = () => {};

/**
 * Has the user choose one of the wallets in a dialog over the open view. It returns the uuid, or null for none.
 * @param connection the node that asks; the dialog closes when another node replaces it
 */
export function chooseWallet(wallets: readonly WalletInfo[], connection: ReadonlySignal<unknown>): Promise<string | null> {
  cancel();
  return new Promise((resolve) => {
    const place = document.body.appendChild(document.createElement("div"));
    const node = connection.peek();
    const answer = (uuid: string | null) => {
      cancel = () => {};
      render(null, place);
      place.remove();
      leave();
      resolve(uuid);
    };
    cancel = () => answer(null);
    const leave = connection.subscribe((now) => now !== node && cancel());
    render(<Choice wallets={wallets} onAnswer={answer} />, place);
  });
}

function Choice({ wallets, onAnswer }: { wallets: readonly WalletInfo[]; onAnswer: (uuid: string | null) => void }) {
  return (
    <Dialog title={t("coins.whichwallet")} onClose={() => onAnswer(null)}>
      <p>{t("coins.whichwalletabout")}</p>
      <ul class="wallets">
        {wallets.map(({ uuid, name, rdns, icon }) => (
          <li key={uuid}>
            <button type="button" class="wallet" onClick={() => onAnswer(uuid)}>
              {icon === "" ? <span class="noicon" aria-hidden="true" /> : <img src={icon} alt="" width="40" height="40" />}
              <span>
                <strong>{name}</strong>
                <small>{rdns}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
      <div class="actions">
        <button type="button" class="secondary" onClick={() => onAnswer(null)}>
          {t("cancel")}
        </button>
      </div>
    </Dialog>
  );
}
