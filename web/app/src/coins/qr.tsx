import { encode } from "uqr";

/** Width of the quiet zone around the code in modules. */
const QUIET = 4;

/** Returns the dark modules as one path: each run of a row is a rectangle. */
function path(rows: boolean[][]): string {
  return rows
    .flatMap((row, y) => {
      const runs: string[] = [];
      for (let x = 0; x < row.length; x++) {
        const begin = x;
        while (row[x]) {
          x++;
        }
        if (x > begin) {
          runs.push(`M${begin + QUIET} ${y + QUIET}h${x - begin}v1h${begin - x}z`);
        }
      }
      return runs;
    })
    .join("");
}

/** A QR code, dark on white in every theme, since not all scanners accept inverted codes. */
export default function QR({ text, label }: { text: string; label: string }) {
  const { data } = encode(text, { ecc: "M", border: 0 });
  const size = data.length + 2 * QUIET;
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path(data)} fill="#000" />
    </svg>
  );
}
