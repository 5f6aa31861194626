import { link } from "../../dapps/link.ts";
import "../../dapps/requests.ts"; // it listens from now on, to whoever asks

/** Says who has opened this window, before the wallet is open. */
export default function Asking() {
  return link.value ? (
    <p>
      <strong>{link.value.origin}</strong> asks this wallet for something. You will see what when the wallet is open. The site learns nothing before you agree.
    </p>
  ) : null;
}
