import { t } from "../../language.ts";
import { idOf, type PageWallet, type Profile } from "../../session/profile.ts";
import { profile } from "../../session/session.ts";
import { walletsOf } from "../../session/wallets.ts";
import { Icon } from "../../ui/icon.tsx";

/** Returns the name of a wallet. Wallets without a name are numbered. */
export const nameOf = (wallet: PageWallet): string => wallet.name ?? t("wallets.number", { number: walletsOf(profile.value).findIndex((one) => idOf(one) === idOf(wallet)) + 1 });

/** Returns the name of the wallet in use, or of the native node. */
export const currentName = (now: Profile | null): string => (now?.use !== "native" && now?.page ? nameOf(now.page) : t("wallets.native"));

/** Returns the letter for a name: the number at its end, or its first letter. */
const letterOf = (name: string): string => /\d{1,2}$/.exec(name)?.[0] ?? [...name][0] ?? "";

/** The icon of a wallet in this page: its colour and letter, round; the native node has an icon with corners. */
export function Sign({ wallet }: { wallet: PageWallet | null | undefined }) {
  return wallet ? (
    <span class={`sign shade${wallet.colour ?? 0}`} data-letter={letterOf(nameOf(wallet))} aria-hidden="true" />
  ) : (
    <span class="sign native" aria-hidden="true">
      <Icon name="code" />
    </span>
  );
}
