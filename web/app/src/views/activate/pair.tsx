import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { RpcError, type Methods } from "obverse";
import type { Family } from "../../coins/catalog.ts";
import QR from "../../coins/qr.tsx";
import { relayFault } from "../../coins/relayfault.ts";
import { t } from "../../language.ts";
import { connection, rpc } from "../../node.ts";
import { href } from "../../route.ts";
import { Copy } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Said } from "../../words.ts";

type Session = NonNullable<Methods["wc_get_session"]["result"]["session"]>;

const BETWEEN = 1000; // ms between checks whether the wallet has approved
const PATIENCE = 5 * 60 * 1000; // ms; the validity of a proposal

const ASKED: Record<Family, { name: string; methods: string[]; events: string[] }> = {
  cosmos: { name: "cosmos", methods: ["cosmos_getAccounts", "cosmos_signDirect", "cosmos_signAmino"], events: [] },
  evm: { name: "eip155", methods: ["eth_sendTransaction", "personal_sign"], events: ["accountsChanged", "chainChanged"] },
};

/** Proposes a session and waits for the wallet while waits returns true. */
async function pair(chain: string, family: Family, onUri: (uri: string) => void, waits: () => boolean): Promise<Session | null> {
  const { name, methods, events } = ASKED[family];
  const { url, pairing_topic } = await rpc("wc_new_connection", { required_namespaces: {}, optional_namespaces: { [name]: { chains: [chain], methods, events } } });
  onUri(url);
  const end = Date.now() + PATIENCE;
  while (waits()) {
    const { session } = await rpc("wc_get_session", { topic: pairing_topic, with_pairing_topic: true });
    if (session) {
      return session;
    }
    if (Date.now() > end) {
      throw new Said(t("activate.codeexpired"), t("activate.codeexpiredtodo"));
    }
    await new Promise((resolve) => setTimeout(resolve, BETWEEN));
  }
  return null;
}

/** A dialog that pairs a wallet: it displays the code to scan and waits for approval. */
export function Pair({ chain, family, onPaired, onClose }: { chain: string; family: Family; onPaired: (session: Session) => void; onClose: () => void }) {
  const uri = useSignal("");
  const error = useSignal<unknown>(null);
  useEffect(() => {
    let mounted = true;
    pair(chain, family, (given) => (uri.value = given), () => mounted).then(
      (session) => session && mounted && onPaired(session),
      (failed: unknown) => (error.value = relayFault(failed)),
    );
    return () => void (mounted = false);
  }, []);
  const needsProject = error.value instanceof Said && error.value.cause instanceof RpcError && connection.value?.kind === "page";
  return (
    <Dialog title={t("activate.pair")} onClose={onClose}>
      {error.value ? (
        <Fault error={error.value} />
      ) : uri.value === "" ? (
        <p role="status">{t("activate.relay")}</p>
      ) : (
        <>
          <p>{t("activate.scan")}</p>
          <div class="code">
            <QR text={uri.value} label={t("activate.qr")} />
          </div>
          <Copy text={uri.value} what={t("activate.thecode")} label={t("activate.copycode")} />
          <p role="status">{t("activate.waiting")}</p>
        </>
      )}
      <div class="actions">
        {needsProject && (
          <a class="go" href={href("settings")}>
            {t("activate.opensettings")}
          </a>
        )}
        <button type="button" class="secondary" onClick={onClose}>
          {t("cancel")}
        </button>
      </div>
    </Dialog>
  );
}
