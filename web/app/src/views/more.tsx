import { views } from "../navigation.ts";
import { href } from "../route.ts";
import { Title } from "../ui/title.tsx";

/** The views that the bar of a phone has no room for. */
export default function More() {
  return (
    <>
      <Title text="More" />
      <ul class="links">
        {views
          .filter((view) => !view.icon)
          .map((view) => (
            <li key={view.path}>
              <a href={href(view.path)}>{view.label}</a>
            </li>
          ))}
      </ul>
    </>
  );
}
