import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { servedBy } from "../node.ts";
import { canEncrypt } from "../session/crypto.ts";
import { begin, profile } from "../session/session.ts";
import { Title } from "../ui/title.tsx";
import Create from "./firstrun/create.tsx";
import External from "./firstrun/external.tsx";
import Native from "./firstrun/native.tsx";
import Restore from "./firstrun/restore.tsx";
import "./firstrun.css";

const ways = { create: Create, restore: Restore, external: External, native: Native };
type Way = keyof typeof ways;

/** The first visit, or another wallet instead of the one there is. */
export default function FirstRun() {
  const way = useSignal<Way | null>(null);
  if (way.value) {
    const Steps = ways[way.value];
    return <Steps back={() => (way.value = null)} />;
  }
  return <Ways choose={(chosen) => (way.value = chosen)} />;
}

function Ways({ choose }: { choose: (way: Way) => void }) {
  const served = useSignal(false);
  useEffect(() => void servedBy().then((url) => (served.value = url !== null)), []);
  const native = (
    <Choose way="native" choose={choose} title="Connect to a node" text={served.value ? "To the Obverse node that serves this page, or another one." : "To a native Obverse node. Its keys stay with it."} />
  );
  if (!canEncrypt()) {
    return (
      <>
        <Title text="Welcome to Obverse" />
        <p>This address is not encrypted, so the browser does not let this page keep a wallet. Open it at an https address, or at localhost, to have one here.</p>
        <ul class="ways">{native}</ul>
      </>
    );
  }
  return (
    <>
      <Title text={profile.value ? "Another wallet" : "Welcome to Obverse"} />
      <p>A wallet whose node runs in this page. Your keys stay in this browser.</p>
      <ul class="ways">
        <Choose way="create" choose={choose} title="Create a wallet" text="With a new recovery phrase, which you write down." />
        <Choose way="restore" choose={choose} title="Restore a wallet" text="With your recovery phrase or passphrase." />
        <Choose way="external" choose={choose} title="Use an external wallet" text="Keys stay in a browser extension such as Keplr or MetaMask." />
        {native}
      </ul>
      {profile.value && (
        <button type="button" class="secondary" onClick={() => void begin()}>
          Cancel
        </button>
      )}
    </>
  );
}

function Choose({ way, choose, title, text }: { way: Way; choose: (way: Way) => void; title: string; text: string }) {
  return (
    <li>
      <button type="button" class="way" onClick={() => choose(way)}>
        <strong>{title}</strong>
        <span>{text}</span>
      </button>
    </li>
  );
}
