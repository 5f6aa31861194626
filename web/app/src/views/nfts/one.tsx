import { useSignal } from "@preact/signals";
import { nameOf as nameOfCoin, nftNetworkOf } from "../../coins/catalog.ts";
import { keyOf } from "../../coins/keyplace.ts";
import { servicesOf } from "../../coins/remembered.ts";
import { watched } from "../../coins/watched.ts";
import { t } from "../../language.ts";
import { rpc } from "../../node.ts";
import { markOf, setMark, type Mark } from "../../nfts/marks.ts";
import { servicesRequest, chainName, NONE, searchOf } from "../../nfts/networks.ts";
import { isSuspect, load, nameOf, notHere, type Known, type Token } from "../../nfts/nft.ts";
import { pictureOf, retry } from "../../nfts/pictures.ts";
import { href } from "../../route.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Fault } from "../../ui/fault.tsx";
import { Progress } from "../../ui/progress.tsx";
import { rich } from "../../ui/rich.tsx";
import { useLoad, useTask } from "../../ui/task.ts";
import { Title } from "../../ui/title.tsx";
import { ChangeServices } from "./changeservices.tsx";
import { Facts, Links, Traits } from "./facts.tsx";
import { pictureFault, ServiceFault } from "./fault.tsx";
import { listOf } from "./gallery.tsx";
import { Picture, showsPictures } from "./picture.tsx";
import { Transfers } from "./transfers.tsx";

/** One NFT with all details. */
export function One({ platform, address, id }: { platform: string; address: string; id: string }) {
  const token: Token = { chain: chainName(platform), token_address: address, token_id: id };
  const looked = useSignal(0);
  const known = useLoad(() => load(token), [looked.value]);
  const nft = known.value.value;
  return (
    <>
      <p class="back">
        <a href={listOf(platform)}>{t("nft.back", { network: nameOfCoin(platform) })}</a>
      </p>
      <Title text={nft ? nameOf(nft) : "NFT"}>
        <bdi>{nft ? nameOf(nft) : "NFT"}</bdi>
      </Title>
      <Fault error={notHere(known.error.value)} retry={known.reload} />
      {!nft && !known.error.value && <Progress label={t("nft.loading")} />}
      {nft && <Shown platform={platform} token={token} nft={nft} onLooked={() => looked.value++} />}
    </>
  );
}

function Shown({ platform, token, nft, onLooked }: { platform: string; token: Token; nft: Known; onLooked: () => void }) {
  const mark = markOf(token);
  const suspect = isSuspect(nft) || mark === "spam";
  return (
    <>
      {isSuspect(nft) && <Warning nft={nft} />}
      {mark && <p class="note">{t(mark === "spam" ? "nft.yourspam" : "nft.yourhidden")}</p>}
      <div class="one">
        <div class="large">
          <Picture token={token} suspect={suspect} alt={t("nft.pictureof", { name: nameOf(nft) })} of={nft}>
            <PictureFault token={token} suspect={suspect} />
          </Picture>
        </div>
        <div>
          <Facts platform={platform} nft={nft} />
          {watched() === undefined && keyOf(platform) !== "device" && (
            <p>
              <a class="go" href={href("send", [platform, token.token_address, token.token_id])}>
                {t("view.send")}
              </a>
            </p>
          )}
          <LookAnew platform={platform} token={token} onLooked={onLooked} />
          <Marks token={token} mark={mark} />
        </div>
      </div>
      {nft.uri_meta.description && (
        <p class="description">
          <bdi>{nft.uri_meta.description}</bdi>
        </p>
      )}
      <Traits attributes={nft.uri_meta.attributes} />
      <Links nft={nft} />
      <Transfers token={token} platform={platform} />
    </>
  );
}

/** Buttons that hide or report an NFT, or undo that. */
function Marks({ token, mark }: { token: Token; mark: Mark | null }) {
  const set = (next: Mark | null) => (
    <button type="button" class="quiet" onClick={() => setMark(token, next)}>
      {t(next === null ? "nft.unhide" : next === "spam" ? "nft.report" : "nft.hide")}
    </button>
  );
  return (
    <div class="actions">
      {mark ? set(null) : set("hidden")}
      {mark !== "spam" && set("spam")}
    </div>
  );
}

function Warning({ nft }: { nft: Known }) {
  return (
    <div class="note warn">
      <p>
        {rich("nft.warning", { kind: <strong>{nft.possible_phishing ? t("nft.isphishing") : t("nft.isspam")}</strong>, reason: nft.possible_phishing ? t("nft.whyphishing") : t("nft.whyspam") })}
      </p>
    </div>
  );
}

/** Why there is no picture, if something can be done about it. It takes the picture's space, so that nothing moves. */
function PictureFault({ token, suspect }: { token: Token; suspect: boolean }) {
  const picture = pictureOf(token, suspect);
  if (picture.is === "shown" || (picture.is === "missing" && picture.why === "absent")) {
    return null;
  }
  const failed = pictureFault(picture.is === "missing" ? picture.error : null);
  const [why, todo] =
    picture.is === "waiting"
      ? ["", t("nft.load")]
      : picture.why === "spam"
        ? [t("nft.notloadedwhy"), t("nft.loadanyway")]
        : [failed.why, failed.again ? t("again") : ""];
  return (
    <span class="remark" role="status">
      <small>{why}</small>
      {todo && (
        <button type="button" class="quiet" onClick={() => retry(token, suspect)}>
          {todo}
        </button>
      )}
    </span>
  );
}

/** Refreshes the metadata of an NFT. */
function LookAnew({ platform, token, onLooked }: { platform: string; token: Token; onLooked: () => void }) {
  const known = useSignal(0);
  const services = servicesOf(nftNetworkOf(platform));
  const task = useTask(async () => {
    await rpc("refresh_nft_metadata", { ...token, ...servicesRequest(services ?? NONE, showsPictures.peek()) });
    if (showsPictures.peek()) {
      retry(token);
    }
    onLooked();
    announce(t("nft.onerefreshed"));
  });
  const search = useLoad(() => searchOf(platform), [platform]).value.value;
  if (!services?.antispam && (services?.indexer || !search)) {
    return <ChangeServices key={known.value} platform={platform} onChanged={() => known.value++} />;
  }
  return (
    <>
      <div class="actions">
        <Button type="button" class="secondary" busy={task.busy.value} onClick={() => void task.run()}>
          {task.busy.value ? t("nft.askingservices") : t("nft.refresh")}
        </Button>
      </div>
      <ServiceFault error={notHere(task.error.value)} then={t("nft.unchanged")} />
    </>
  );
}
