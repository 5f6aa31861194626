import { useSignal } from "@preact/signals";
import { restorableCoins } from "../../coins/remembered.ts";
import { wantSame } from "../../coins/usual.ts";
import { t } from "../../language.ts";
import { go as goTo } from "../../route.ts";
import { accountOf, idOf, rootOf, type PageWallet } from "../../session/profile.ts";
import { profile, setUp } from "../../session/session.ts";
import { addAccount, phraseInUse, switchTo, switchToNative, walletsOf } from "../../session/wallets.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useLoad, useTask } from "../../ui/task.ts";
import { Edit } from "./edit.tsx";
import { nameOf, Sign } from "./sign.tsx";

/** Adds an account with the coins of the one in use. */
async function newAccount(): Promise<void> {
  const coins = restorableCoins();
  await addAccount((number) => t("wallets.account", { number }));
  wantSame(coins);
}

/** Returns the name of the wallet that an account belongs to. */
function rootName(account: PageWallet): string {
  const root = walletsOf(profile.value).find((wallet) => idOf(wallet) === rootOf(account));
  return root ? nameOf(root) : "…";
}

const about = { passphrase: "wallets.keyshere", external: "wallets.keyselsewhere", watch: "watch.title" } as const;

/** The wallets in this page and the native node, with the one in use and the actions for each. */
export function Wallets({ onClose }: { onClose: () => void }) {
  const edited = useSignal<PageWallet | null>(null);
  const phrase = useLoad(phraseInUse, []);
  const { use, page, native } = profile.value ?? {};
  const go = useTask(async (does: () => Promise<void>) => {
    await does();
    onClose();
  });
  if (edited.value) {
    return <Edit wallet={edited.value} back={() => (edited.value = null)} onClose={onClose} />;
  }
  const isUsed = (wallet: PageWallet) => use === "page" && idOf(wallet) === idOf(page);
  return (
    <Dialog title={t("wallets.title")} side onClose={onClose}>
      <ul class="wallets">
        {walletsOf(profile.value).map((wallet) => (
          <li key={idOf(wallet)}>
            <button type="button" class="wallet" {...(isUsed(wallet) && { "aria-current": "true" as const })} onClick={() => (isUsed(wallet) ? onClose() : void go.run(() => switchTo(idOf(wallet))))}>
              <Sign wallet={wallet} />
              <span>
                <strong>{nameOf(wallet)}</strong>
                <small>{accountOf(wallet) ? t("wallets.accountof", { number: accountOf(wallet) + 1, name: rootName(wallet) }) : t(about[wallet.kind])}</small>
              </span>
              {isUsed(wallet) && <Icon name="check" />}
            </button>
            <button type="button" class="icononly" aria-label={t("wallets.edit", { name: nameOf(wallet) })} onClick={() => (edited.value = wallet)}>
              <Icon name="settings" />
            </button>
          </li>
        ))}
        {native && (
          <li class="apart">
            <button type="button" class="wallet" {...(use === "native" && { "aria-current": "true" as const })} onClick={() => (use === "native" ? onClose() : void go.run(switchToNative))}>
              <Sign wallet={null} />
              <span>
                <strong>{t("wallets.native")}</strong>
                <small>{t("wallets.nativeabout", { host: new URL(native.url).host })}</small>
              </span>
              {use === "native" && <Icon name="check" />}
            </button>
          </li>
        )}
      </ul>
      <Fault error={go.error.value} />
      {use === "page" && phrase.value.value && (
        <>
          <p class="muted">{t("wallets.accountabout")}</p>
          <Button type="button" class="secondary" busy={go.busy.value} onClick={() => void go.run(newAccount)}>
            {t("wallets.addaccount")}
          </Button>
        </>
      )}
      <div class="actions">
        <button
          type="button"
          class="secondary"
          onClick={() => {
            onClose();
            goTo("");
            setUp();
          }}
        >
          {t("wallets.add")}
        </button>
        <button type="button" class="secondary" onClick={onClose}>
          {t("wallets.close")}
        </button>
      </div>
    </Dialog>
  );
}
