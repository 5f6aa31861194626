import { link } from "../../dapps/link.ts";
import { rich } from "../../ui/rich.tsx";
import "../../dapps/requests.ts"; // it accepts requests of any site from now on

/** Names the site that opened this window, before the wallet is open. */
export default function Asking() {
  return link.value ? (
    <p>
      {rich("connect.asking", { site: <strong>{link.value.origin}</strong> })}
    </p>
  ) : null;
}
