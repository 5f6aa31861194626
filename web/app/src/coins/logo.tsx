import logos from "virtual:logos";
import { networkEntry } from "./directory.ts";
import { symbolOf } from "./names.ts";
import { platformOf } from "./catalog.ts";

const drawn = new Set(logos.split(" "));

/** Number of background shades for coins without a logo. */
const SHADES = 6;

const shade = (text: string): number => [...text].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % SHADES;

function Picture({ symbol, small = false }: { symbol: string; small?: boolean }) {
  const size = small ? 16 : 40;
  const name = symbol.toUpperCase();
  return drawn.has(name) ? (
    <img src={`./logos/${name}.svg`} alt="" width={size} height={size} loading="lazy" />
  ) : (
    <span class={`letters shade${shade(symbol)}`}>{symbol.slice(0, small ? 1 : 3)}</span>
  );
}

/** The logo of a coin; of a token with the logo of its network at the corner. */
export function Logo({ ticker }: { ticker: string }) {
  const platform = platformOf(ticker);
  return (
    <span class="logo" aria-hidden="true">
      <Picture symbol={symbolOf(ticker)} />
      {platform !== null && <Picture symbol={networkEntry(ticker)?.symbol ?? platform} small />}
    </span>
  );
}
