import { t } from "../language.ts";
import { href } from "../route.ts";
import { Icon } from "../ui/icon.tsx";
import { Title } from "../ui/title.tsx";

const views = [
  ["activate", "view.activate", "dev.activate"],
  ["lightning", "view.lightning", "dev.lightning"],
  ["node", "view.node", "dev.node"],
  ["console", "view.console", "dev.console"],
] as const;

/** Links to the views for node operators and developers. */
export default function Developer() {
  return (
    <>
      <Title text={t("nav.developer")} />
      <p>{t("dev.about")}</p>
      <ul class="links">
        {views.map(([path, label, about]) => (
          <li key={path}>
            <a href={href(path)}>
              <span>
                {t(label)}
                <small>{t(about)}</small>
              </span>
              <Icon name="next" />
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
