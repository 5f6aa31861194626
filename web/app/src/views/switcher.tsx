import { useSignal } from "@preact/signals";
import { t } from "../language.ts";
import { profile } from "../session/session.ts";
import { Icon } from "../ui/icon.tsx";
import { Wallets } from "./wallets/list.tsx";
import { Sign, currentName } from "./wallets/sign.tsx";
import "./wallets.css";

/** The wallet in use, and the way to the others. */
export default function Switcher() {
  const open = useSignal(false);
  const now = profile.value;
  const name = currentName(now);
  return (
    <>
      <button type="button" class="who" aria-haspopup="dialog" aria-label={t("wallets.switch", { name })} onClick={() => (open.value = true)}>
        <Sign wallet={now?.use === "native" ? null : now?.page} />
        <span class="name">{name}</span>
        <Icon name="next" />
      </button>
      {open.value && <Wallets onClose={() => (open.value = false)} />}
    </>
  );
}
