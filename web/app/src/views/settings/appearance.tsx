import { language, languages, setLanguage, t, type Language } from "../../language.ts";
import { setTheme, theme, type Theme } from "../../theme.ts";
import { Fault } from "../../ui/fault.tsx";
import { Choice } from "../../ui/field.tsx";
import { useTask } from "../../ui/task.ts";

export function Appearance() {
  const choose = useTask(setLanguage);
  return (
    <section class="settings">
      <Choice label={t("settings.theme")} value={theme.value} onText={(text) => setTheme(text as Theme)}>
        <option value="system">{t("settings.system")}</option>
        <option value="light">{t("settings.light")}</option>
        <option value="dark">{t("settings.dark")}</option>
      </Choice>
      <Choice label={t("settings.language")} value={language.value} onText={(text) => void choose.run(text as Language)}>
        {Object.entries(languages).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </Choice>
      <Fault error={choose.error.value} />
    </section>
  );
}
