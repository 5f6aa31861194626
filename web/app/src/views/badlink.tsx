import { t } from "../language.ts";
import { setUp } from "../session/session.ts";
import { linkFault, wantsPassword } from "../session/linktoken.ts";
import { rich } from "../ui/rich.tsx";
import { describe } from "../words.ts";

/** Shown when the page did not connect by its one-time link: why, and what can be done. */
export default function BadLink() {
  const why = linkFault.value;
  if (why === null) {
    return null;
  }
  const enter = () => {
    linkFault.value = null;
    wantsPassword.value = true;
    setUp();
  };
  return (
    <div class="note warn" role="alert">
      <p>
        <strong>{t(why === "refused" ? "link.refused" : why === "toomany" ? "link.toomany" : "link.failed")}</strong> {typeof why === "object" ? describe(why.error).what : why === "refused" && t("link.once")}
      </p>
      <p>{rich("link.renew", { make: <code>make run</code>, serve: <code>obverse serve</code> })}</p>
      <button type="button" class="secondary" onClick={enter}>
        {t("link.password")}
      </button>
    </div>
  );
}
