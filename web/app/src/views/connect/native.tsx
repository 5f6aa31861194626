import { reject, type Shown } from "../../dapps/requests.ts";
import { Title } from "../../ui/title.tsx";
import { Site } from "./site.tsx";

/** Says that the keys of a native node are out of a site's reach. */
export function Native({ now }: { now: Shown }) {
  return (
    <>
      <Title text="Connect a site" />
      <Site origin={now.request.from.origin} asks="asks to use this wallet." />
      <p>Sites can use the wallet in this page. You are using a native node: choose the node in this page in the settings to connect sites.</p>
      <div class="actions">
        <button type="button" onClick={() => reject(now)}>
          Reject
        </button>
      </div>
    </>
  );
}
