import { t } from "../../language.ts";

/** Reports whether data can be modified on the way to a site. */
const isOpen = (origin: string) => origin.startsWith("http:") && !/^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(origin);

/** The site that makes the request, according to the browser. */
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
