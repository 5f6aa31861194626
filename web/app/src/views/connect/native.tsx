import { reject, type Shown } from "../../dapps/requests.ts";
import { t } from "../../language.ts";
import { Title } from "../../ui/title.tsx";
import { Site } from "./site.tsx";

/** A notice that sites cannot use the keys of a native node. */
export function Native({ now }: { now: Shown }) {
  return (
    <>
      <Title text={t("connect.site")} />
      <Site origin={now.request.from.origin} asks={t("connect.asksuse")} />
      <p>{t("connect.isnative")}</p>
      <div class="actions">
        <button type="button" onClick={() => reject(now)}>
          {t("connect.reject")}
        </button>
      </div>
    </>
  );
}
