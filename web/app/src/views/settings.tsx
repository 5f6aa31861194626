import { setTheme, theme, type Theme } from "../theme.ts";
import { Choice } from "../ui/field.tsx";
import { Title } from "../ui/title.tsx";

/** What the user can choose about this page. */
export default function Settings() {
  return (
    <>
      <Title text="Settings" />
      <Choice label="Theme" value={theme.value} onText={(text) => setTheme(text as Theme)}>
        <option value="system">As the system</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </Choice>
    </>
  );
}
