import { useSignal } from "@preact/signals";
import { RpcError } from "obverse";
import { entryOf, isToken, type Token } from "../../coins/directory.ts";
import { isEvm } from "../../coins/family.ts";
import { holdings, refresh } from "../../coins/holdings.ts";
import { activateToken } from "../../coins/usual.ts";
import { coinName } from "../../coins/names.ts";
import { t } from "../../language.ts";
import { rpc } from "../../node.ts";
import { go } from "../../route.ts";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Choice } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Progress } from "../../ui/progress.tsx";
import { rich } from "../../ui/rich.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { useLoad, useTask } from "../../ui/task.ts";
import { visible } from "../../visible.ts";
import { Said } from "../../words.ts";

/** Ticker suffixes of tokens by network. */
const ENDINGS: Record<string, string> = { ETH: "ERC20", MATIC: "PLG20", BNB: "BEP20", AVAX: "AVX20" };

/** Requests a token's metadata from its contract on a network. */
const infoOf = (platform: string, contract: string) => rpc("get_token_info", { protocol: { type: "ERC20", protocol_data: { platform, contract_address: contract } } });

/** Returns the first of the networks on which the contract exists; the first of all if it is on none. */
async function placeOf(contract: string, networks: readonly string[]): Promise<string> {
  const answers = await Promise.allSettled(networks.map((platform) => infoOf(platform, contract)));
  return networks[Math.max(0, answers.findIndex(({ status }) => status === "fulfilled"))] ?? "";
}

/** A form that adds a token by its contract: the metadata come from the contract, on an active network that has it or another one that the user chooses. */
export function ByAddress({ contract }: { contract: string }) {
  const networks = (holdings.value ?? []).filter(({ ticker, platform }) => platform === null && isEvm(ticker)).map(({ ticker }) => ticker);
  const place = useLoad(() => placeOf(contract, networks), [contract, networks.join(" ")]).value.value;
  const chosen = useSignal("");
  if (networks.length === 0) {
    return <p class="note">{t("add.nonetwork")}</p>;
  }
  const network = chosen.value || place;
  if (!network) {
    return <Progress label={t("add.asking")} />;
  }
  return (
    <div class="narrowform">
      <Choice label={t("add.onnetwork")} value={network} onText={(text) => (chosen.value = text)}>
        {networks.map((ticker) => (
          <option key={ticker} value={ticker}>
            {coinName(ticker)}
          </option>
        ))}
      </Choice>
      <Contract key={network} platform={network} contract={contract} />
    </div>
  );
}

/** Words the most frequent error, a contract on the wrong network. */
const plain = (error: unknown, platform: string): unknown =>
  error instanceof RpcError && error.is("RetrieveInfoError") && error.status === 400 ? new Said(t("add.nocontract", { network: coinName(platform) }), t("add.nocontracttodo"), error) : error;

function Contract({ platform, contract }: { platform: string; contract: string }) {
  const info = useLoad(() => infoOf(platform, contract));
  const found = info.value.value;
  const task = useTask(async () => {
    const ticker = found?.config_ticker ?? `${found?.info.symbol.replace(/[^A-Za-z0-9]/g, "")}-${ENDINGS[platform] ?? platform}`;
    const entry = entryOf(ticker);
    const token: Token = entry && isToken(entry) ? entry : { coin: ticker, symbol: visible(found?.info.symbol ?? ticker), name: ticker, platform, contract };
    await activateToken(token);
    await refresh();
    go("coin", [token.coin]);
  });
  return (
    <Form onSubmit={() => void task.run()}>
      <Fault error={plain(info.error.value, platform)} retry={info.reload} />
      {found && <p class="note warn">{rich("add.token", { symbol: <Untrusted text={found.info.symbol} />, decimals: found.info.decimals })}</p>}
      <Fault error={task.error.value} />
      <div class="actions">
        <Button busy={task.busy.value} disabled={!found}>
          {t("add.add")}
        </Button>
      </div>
    </Form>
  );
}
