import { t } from "../../language.ts";
import { idOf, type PageWallet, type Profile } from "../../session/profile.ts";
import { profile } from "../../session/session.ts";
import { walletsOf } from "../../session/wallets.ts";
import { Icon } from "../../ui/icon.tsx";

/** What a wallet is called. One without a name is called by its place. */
export const nameOf = (wallet: PageWallet): string => wallet.name ?? t("wallets.number", { number: walletsOf(profile.value).findIndex((one) => idOf(one) === idOf(wallet)) + 1 });

/** What is in use: a wallet in this page, or the native node's. */
export const currentName = (now: Profile | null): string => (now?.use !== "native" && now?.page ? nameOf(now.page) : t("wallets.native"));

/** What stands for a name: the number at its end, or its first letter. */
const letterOf = (name: string): string => /\d{1,2}$/.exec(name)?.[0] ?? [...name][0] ?? "";

/** The sign of a wallet in this page: its colour and first letter, round; the native node's is another one, with corners. */
export function Sign({ wallet }: { wallet: PageWallet | null | undefined }) {
  return wallet ? (
    <span class={`sign shade${wallet.colour ?? 0}`} data-letter={letterOf(nameOf(wallet))} aria-hidden="true" />
  ) : (
    <span class="sign native" aria-hidden="true">
      <Icon name="code" />
    </span>
  );
}
