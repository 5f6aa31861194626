import { discover, discovery } from "../../coins/discover.ts";
import { t } from "../../language.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Progress } from "../../ui/progress.tsx";
import { useTask } from "../../ui/task.ts";

/** Finds the networks on which a restored wallet has a balance. */
export function Discover() {
  const task = useTask(discover);
  const now = discovery.value;
  if (now && now.done < now.of) {
    return <Progress label={t("discover.looking", { done: now.done, of: now.of })} done={now.done} of={now.of} />;
  }
  return (
    <div class="note discover">
      {now ? (
        <p role="status">
          {now.found.length > 0 && t("discover.found", { networks: now.found.join(", ") })} {now.tokens.length > 0 && t("discover.tokens", { tokens: now.tokens.join(", ") })}{" "}
          {now.found.length + now.tokens.length === 0 && t("discover.nothing", { count: now.of })} {now.unknown.length > 0 && t("discover.unknown", { networks: now.unknown.join(", ") })}
        </p>
      ) : (
        <p>{t("discover.about")}</p>
      )}
      <Fault error={task.error.value} />
      <Button type="button" class="quiet" busy={task.busy.value} onClick={() => void task.run()}>
        {t(now ? "discover.again" : "discover.begin")}
      </Button>
    </div>
  );
}
