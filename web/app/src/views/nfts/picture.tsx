import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t, type Text } from "../../language.ts";
import { recall, remember } from "../../memory.ts";
import { nameOf, type Nft, type Token } from "../../nfts/nft.ts";
import { pictureOf, want, type Picture as Of } from "../../nfts/pictures.ts";

const SETTING = "nft.pictures";

/** Whether pictures are loaded: image hosts can see the user's IP address. */
export const showsPictures = signal(recall(SETTING) !== "no");

export function showPictures(on: boolean) {
  showsPictures.value = on;
  remember(SETTING, on ? "yes" : "no");
}

const words: Record<"absent" | "spam" | "failed", Text> = { absent: "nft.nopicture", spam: "nft.maybespam", failed: "nft.notloaded" };

/** Returns a text in place of a picture. */
function wordOf(picture: Of): string {
  if (picture.is === "missing") {
    return t(words[picture.why]);
  }
  return picture.is === "waiting" && !showsPictures.value ? t("nft.notloaded") : "";
}

/**
 * A picture in a square of fixed size. It is loaded when it
 * comes near the visible area.
 * @param alt a description for screen readers; "" if the adjacent text is enough
 * @param of the NFT whose collection and number replace a missing picture
 * @param children displayed below the text when there is no picture
 */
export function Picture({ token, suspect, alt, of, children }: { token: Token; suspect: boolean; alt: string; of: Named; children?: ComponentChildren }) {
  const box = useRef<HTMLSpanElement>(null);
  const picture = pictureOf(token, suspect);
  const waits = picture.is === "waiting" && showsPictures.value;
  useEffect(() => {
    if (!waits || !box.current) {
      return undefined;
    }
    let cancel = () => {};
    const observer = new IntersectionObserver(
      (seen) => {
        cancel();
        cancel = seen.some(({ isIntersecting }) => isIntersecting) ? want(token) : () => {};
      },
      { rootMargin: "300px" },
    );
    observer.observe(box.current);
    return () => {
      observer.disconnect();
      cancel();
    };
  }, [waits, token.chain, token.token_address, token.token_id]);
  const word = wordOf(picture);
  return (
    <span class="picture" ref={box}>
      {picture.is === "shown" && <img src={picture.url} alt={alt} class={picture.crisp ? "crisp" : ""} decoding="async" />}
      {word && (
        <span class="muted">
          {!suspect && <StandIn of={of} />}
          {word}
          {children}
        </span>
      )}
    </span>
  );
}

type Named = Pick<Nft, "name" | "token_id" | "token_address"> & { uri_meta: { name: string | null } };

/** The first letter of the collection and the number of the NFT, in a colour derived from the contract. */
function StandIn({ of }: { of: Named }) {
  const letter = (of.name || of.uri_meta.name || "NFT").match(/[\p{L}\p{N}]/u)?.[0] ?? "#";
  return (
    <span class="standin" aria-hidden="true" style={{ "--hue": String(parseInt(of.token_address.slice(2, 8), 16) % 360) }}>
      <b>{letter.toUpperCase()}</b>
      <span>{nameOf({ name: "", token_id: of.token_id, uri_meta: { name: null } }).slice(4)}</span>
    </span>
  );
}
