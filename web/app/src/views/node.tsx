import { t } from "../language.ts";
import { useEvery } from "../ui/every.ts";
import { Fault } from "../ui/fault.tsx";
import { Progress } from "../ui/progress.tsx";
import { useLoad } from "../ui/task.ts";
import { Title } from "../ui/title.tsx";
import { Events } from "./node/events.tsx";
import { facts } from "./node/facts.ts";
import { NodeLog } from "./node/nodelog.tsx";
import { Status } from "./node/status.tsx";
import { choices } from "./node/streams.ts";
import "./node.css";

/** The node's state, its events and its log. They are rendered together, so that nothing moves. */
export default function Node() {
  const known = useLoad(facts, [], useEvery(5000));
  const offered = useLoad(choices, [known.value.value?.coins.join() ?? ""]);
  const [status, streams] = [known.value.value, offered.value.value];
  const error = known.error.value ?? offered.error.value;
  return (
    <div class="node">
      <Title text={t("view.node")} />
      {status && streams ? (
        <>
          <Status known={status} />
          <Events offered={streams} />
          <NodeLog />
        </>
      ) : error === null ? (
        <Progress label={t("nodes.asking")} />
      ) : (
        <Fault error={error} retry={() => (known.reload(), offered.reload())} />
      )}
    </div>
  );
}
