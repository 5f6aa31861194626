/** Whether what is sent there can be changed on its way. */
import { t } from "../../language.ts";

const isOpen = (origin: string) => origin.startsWith("http:") && !/^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(origin);

/** Who asks, as the browser says. */
export function Site({ origin, asks }: { origin: string; asks: string }) {
  return (
    <div class="site">
      <p>
        <strong translate={false}>{origin}</strong> {asks}
      </p>
      {isOpen(origin) && <p>{t("connect.unencrypted")}</p>}
    </div>
  );
}
