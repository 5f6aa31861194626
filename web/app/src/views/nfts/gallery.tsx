import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { nftNetworkOf, nameOf as nameOfCoin } from "../../coins/catalog.ts";
import { Network } from "../../coins/coinchoice.tsx";
import { returning } from "../../coins/holdings.ts";
import { servicesOf, type Services } from "../../coins/remembered.ts";
import { t } from "../../language.ts";
import { rpc } from "../../node.ts";
import { asked, chainName } from "../../nfts/networks.ts";
import { isSuspect, nameOf, tokenOf, type Nft } from "../../nfts/nft.ts";
import { go, href, route } from "../../route.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/check.tsx";
import { Fault } from "../../ui/fault.tsx";
import { rich } from "../../ui/rich.tsx";
import { useLoad, useTask } from "../../ui/task.ts";
import { ChangeServices } from "./changeservices.tsx";
import { ServiceFault } from "./fault.tsx";
import { Picture, showPictures, showsPictures } from "./picture.tsx";

const SIZE = 12;

/** Whether possible spam is shown, until the page is loaded anew. */
const showsSpam = signal(false);

/** The page of each network that was looked at last, for the way back to it. */
const lastPages = new Map<string, number>();

/** Back to a network's list, where it was left. */
export const listOf = (platform: string): string => {
  const page = lastPages.get(platform) ?? 1;
  return href("nfts", [platform], page > 1 ? { page: String(page) } : {});
};

const pageOf = (query: URLSearchParams): number => Math.max(1, Math.min(1e6, Math.trunc(Number(query.get("page"))) || 1));

/** The NFTs of a network, page by page. */
export function Gallery({ platform }: { platform: string }) {
  const chains = [chainName(platform)];
  const page = pageOf(route.value.query);
  const spam = showsSpam.value;
  const updated = useSignal(0);
  const services = useSignal(servicesOf(nftNetworkOf(platform)));
  useEffect(() => void lastPages.set(platform, page), [page]);
  const load = useLoad(async () => {
    const [list, all] = await Promise.all([
      rpc("get_nft_list", { chains, limit: SIZE, page_number: page, protect_from_spam: true, filters: { exclude_spam: !spam, exclude_phishing: !spam } }),
      rpc("get_nft_list", { chains, limit: 1 }),
    ]);
    return { ...list, all: all.total, page };
  }, [page, spam, updated.value]);
  const list = load.value.value;
  return (
    <>
      <p>
        <Network ticker={platform} />
      </p>
      <Fault error={load.error.value} retry={load.reload} />
      <Tools platform={platform} services={services.value} count={list?.all ?? null} onUpdated={() => updated.value++} />
      {list && list.all > 0 && <Switches hidden={spam ? 0 : list.all - list.total} />}
      {list && <Tiles platform={platform} nfts={list.nfts} />}
      {list && <Empty all={list.all} total={list.total} page={list.page} platform={platform} />}
      {list && <Pages platform={platform} page={list.page} pages={Math.ceil(list.total / SIZE)} />}
      <ChangeServices platform={platform} onChanged={() => (services.value = servicesOf(nftNetworkOf(platform)))} />
    </>
  );
}

/** Lists what there is anew. */
function Tools({ platform, services, count, onUpdated }: { platform: string; services: Services | undefined; count: number | null; onUpdated: () => void }) {
  const task = useTask(async () => {
    if (services) {
      await rpc("update_nft", { chains: [chainName(platform)], ...asked(services) });
      onUpdated();
      announce(t("nft.refreshed", { network: nameOfCoin(platform) }));
    }
  });
  const comes = returning.value.includes(nftNetworkOf(platform)); // the node cannot ask for them yet
  return (
    <>
      <div class="tools">
        <span>
          {count === null ? "…" : t("nft.count", { count })}
          {comes && <small>{t("nft.last")}</small>}
        </span>
        {services?.antispam && (
          <Button type="button" class="secondary" busy={task.busy.value} disabled={comes} onClick={() => void task.run()}>
            {task.busy.value ? t("nft.asking") : t("nft.refresh")}
          </Button>
        )}
      </div>
      <ServiceFault error={task.error.value} then={t("nft.samelist")} />
    </>
  );
}

function Switches({ hidden }: { hidden: number }) {
  return (
    <fieldset class="switches">
      <legend class="unseen">{t("nft.shown")}</legend>
      <Check checked={showsSpam.value} onCheck={(on) => (showsSpam.value = on)}>
        {rich("nft.spam", { small: hidden > 0 && <small>{t("nft.hidden", { hidden })}</small> })}
      </Check>
      <Check checked={showsPictures.value} onCheck={showPictures}>
        {rich("nft.loadpictures", { small: <small>{t("nft.picturesabout")}</small> })}
      </Check>
    </fieldset>
  );
}

function Tiles({ platform, nfts }: { platform: string; nfts: Nft[] }) {
  return (
    <ul class="tiles">
      {nfts.map((nft) => (
        <li key={`${nft.token_address} ${nft.token_id}`}>
          <a href={href("nfts", [platform, nft.token_address, nft.token_id])}>
            <Picture token={tokenOf(chainName(platform), nft)} suspect={isSuspect(nft)} alt="" />
            <bdi class="name">{nameOf(nft)}</bdi>
            <small>
              <bdi>{(nft.uri_meta.name && nft.name) || nft.contract_type.replace("ERC", "ERC-")}</bdi>
              {nft.amount !== "1" && ` × ${nft.amount.length > 9 ? t("nft.many") : nft.amount}`}
            </small>
            {isSuspect(nft) && <small class="suspect">{nft.possible_phishing ? t("nft.maybephishing") : t("nft.maybespam")}</small>}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Empty({ all, total, page, platform }: { all: number; total: number; page: number; platform: string }) {
  if (all === 0) {
    return <p>{t("nft.none", { network: nameOfCoin(platform) })}</p>;
  }
  if (total === 0) {
    return <p>{t("nft.allspam")}</p>;
  }
  return (page - 1) * SIZE >= total ? (
    <p>
      {rich("nft.nopage", { page, link: <a href={href("nfts", [platform])}>{t("nft.firstpage")}</a> })}
    </p>
  ) : null;
}

function Pages({ platform, page, pages }: { platform: string; page: number; pages: number }) {
  const turn = (to: number) => go("nfts", [platform], to > 1 ? { page: String(to) } : {});
  if (pages <= 1) {
    return null;
  }
  return (
    <nav class="pages" aria-label={t("nft.pages")}>
      <button type="button" class="secondary" disabled={page <= 1} onClick={() => turn(page - 1)}>
        {t("nft.newer")}
      </button>
      <span role="status">
        {t("nft.pageof", { page, pages })}
      </span>
      <button type="button" class="secondary" disabled={page >= pages} onClick={() => turn(page + 1)}>
        {t("nft.older")}
      </button>
    </nav>
  );
}
