import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { nftNetworkOf, nameOf as nameOfCoin } from "../../coins/catalog.ts";
import { returning } from "../../coins/holdings.ts";
import { servicesOf, type Services } from "../../coins/remembered.ts";
import { t } from "../../language.ts";
import { rpc } from "../../node.ts";
import { markOf } from "../../nfts/marks.ts";
import { servicesRequest, chainName, NONE, searchOf, turned } from "../../nfts/networks.ts";
import { isSuspect, nameOf, tokenOf, type Nft, type Token } from "../../nfts/nft.ts";
import { retryAbsent } from "../../nfts/pictures.ts";
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
import { AddCollection, Searched } from "./searched.tsx";

const SIZE = 12;

type Search = NonNullable<Awaited<ReturnType<typeof searchOf>>>;

/** Whether possible spam is displayed, until the page is reloaded. */
const showsSpam = signal(false);

/** The last page of each network, for the way back. */
const lastPages = new Map<string, number>();

/** Returns the address of a network's list, at its last page. */
export const listOf = (platform: string): string => {
  const page = lastPages.get(platform) ?? 1;
  return href("nfts", [platform], page > 1 ? { page: String(page) } : {});
};

const pageOf = (query: URLSearchParams): number => Math.max(1, Math.min(1e6, Math.trunc(Number(query.get("page"))) || 1));

/** The NFTs of a network by page. */
export function Gallery({ platform }: { platform: string }) {
  const chains = [chainName(platform)];
  const page = pageOf(route.value.query);
  const spam = showsSpam.value;
  const updated = useSignal(0);
  const services = useSignal(servicesOf(nftNetworkOf(platform)));
  useEffect(() => void lastPages.set(platform, page), [page]);
  const load = useLoad(async () => {
    const [list, all, search] = await Promise.all([
      rpc("get_nft_list", { chains, limit: SIZE, page_number: page, protect_from_spam: true, filters: { exclude_spam: !spam, exclude_phishing: !spam } }),
      rpc("get_nft_list", { chains, limit: 1 }),
      searchOf(platform),
    ]);
    return { ...list, all: all.total, page, search };
  }, [page, spam, updated.value, turned.value]);
  const list = load.value.value;
  const search = (!services.value?.indexer && list?.search) || null;
  const chain = chainName(platform);
  const nfts = list?.nfts.filter((nft) => spam || !markOf(tokenOf(chain, nft))) ?? [];
  return (
    <>
      <Fault error={load.error.value} retry={load.reload} />
      <Tools platform={platform} services={services.value} search={search} count={list?.all ?? null} onUpdated={() => updated.value++} />
      {list && list.all > 0 && <Switches hidden={spam ? 0 : list.all - list.total + list.nfts.length - nfts.length} />}
      {list && <Tiles platform={platform} nfts={nfts} />}
      {list?.incomplete && !search && <p class="muted">{t(Array.isArray(list.incomplete) && list.incomplete.some((gap) => gap?.reason === "TooMany") ? "nft.toomany" : "nft.unanswered")}</p>}
      {list && !(list.all === 0 && list.incomplete && !search) && <Empty all={list.all} total={list.total} page={list.page} platform={platform} />}
      {list && <Pages platform={platform} page={list.page} pages={Math.ceil(list.total / SIZE)} />}
      {search && <AddCollection platform={platform} onAdded={() => updated.value++} />}
      {(list || Boolean(load.error.value)) && <ChangeServices key={String(search !== null)} platform={platform} chained={search !== null} onChanged={() => (services.value = servicesOf(nftNetworkOf(platform)))} />}
    </>
  );
}

/** Refreshes the list, searches it and changes the services. */
function Tools({ platform, services, search, count, onUpdated }: { platform: string; services: Services | undefined; search: Search | null; count: number | null; onUpdated: () => void }) {
  const task = useTask(async (by?: "itself") => {
    await rpc("update_nft", { chains: [chainName(platform)], ...servicesRequest(services ?? NONE, showsPictures.peek()) });
    retryAbsent();
    onUpdated();
    by ?? announce(t("nft.refreshed", { network: nameOfCoin(platform) }));
  });
  const comes = returning.value.includes(nftNetworkOf(platform)); // the node cannot search yet
  const from = useRef<number | null | undefined>(undefined); // the first block of the previous search
  useEffect(() => {
    if (search && !comes && !task.error.peek() && (from.current === undefined || (!search.complete && from.current !== search.from_block))) {
      from.current = search.from_block;
      void task.run("itself");
    }
  }, [search, comes]);
  const before = useRef(services);
  useEffect(() => {
    if (before.current !== services) {
      before.current = services;
      void task.run();
    }
  }, [services]);
  return (
    <>
      <div class="tools">
        <span>
          {count === null ? "…" : t("nft.count", { count })}
          {comes && <small>{t("nft.last")}</small>}
          {search && " "}{search && <Searched search={search} />}
        </span>
        {(search || services?.antispam) && (
          <Button type="button" class="secondary" busy={task.busy.value} disabled={comes} onClick={() => void task.run()}>
            {t(!task.busy.value ? "nft.refresh" : search ? "nft.looksup" : "nft.asking")}
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
            <Picture token={tokenOf(chainName(platform), nft)} suspect={isSuspect(nft) || markOf(tokenOf(chainName(platform), nft)) === "spam"} alt="" of={nft} />
            <bdi class="name">{nameOf(nft)}</bdi>
            <small>
              <bdi>{(nft.uri_meta.name && nft.name) || nft.contract_type.replace("ERC", "ERC-")}</bdi>
              {nft.amount !== "1" && ` × ${nft.amount.length > 9 ? t("nft.many") : nft.amount}`}
            </small>
            <Marked token={tokenOf(chainName(platform), nft)} />
            {isSuspect(nft) && <small class="suspect">{nft.possible_phishing ? t("nft.maybephishing") : t("nft.maybespam")}</small>}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The user's mark of an NFT. */
function Marked({ token }: { token: Token }) {
  const mark = markOf(token);
  return mark && <small class="suspect">{t(mark === "spam" ? "nft.yourspam" : "nft.yourhidden")}</small>;
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
