import { setTheme, theme, type Theme } from "../../theme.ts";
import { Choice } from "../../ui/field.tsx";

export function Appearance() {
  return (
    <section class="settings">
      <Choice label="Theme" value={theme.value} onText={(text) => setTheme(text as Theme)}>
        <option value="system">As the system</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </Choice>
    </section>
  );
}
