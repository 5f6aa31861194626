import { Title } from "../ui/title.tsx";
import { Events } from "./node/events.tsx";
import { NodeLog } from "./node/nodelog.tsx";
import { Status } from "./node/status.tsx";
import "./node.css";

/** How the node is, what it tells, and what it logs. */
export default function Node() {
  return (
    <div class="node">
      <Title text="Node" />
      <Status />
      <Events />
      <NodeLog />
    </div>
  );
}
