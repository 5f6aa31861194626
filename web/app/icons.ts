/** Draws the icons of the installed page when the page is built: the logo of src/ui/brand.tsx on a plate. */

import { crc32, deflateSync } from "node:zlib";

/** The colours of the plate and the logo in the light theme. */
const PLATE = [0x0b, 0x5c, 0xad] as const;
const SIGN = [0xff, 0xff, 0xff] as const;

/** The size of the square in which the logo is defined: a ring around the centre, and a crescent on its right. */
const SIDE = 32;
const [MIDDLE, RADIUS, HALF_STROKE, WAIST] = [16, 14, 1.25, 9];

export interface Form {
  /** The size of the logo relative to the icon. Launchers may crop maskable icons to a circle of 0.8. */
  sign: number;
  /** The radius of the plate's corners relative to the icon. */
  corner: number;
}

export const rounded: Form = { sign: 0.7, corner: 0.22 };
export const full: Form = { sign: 0.6, corner: 0 };

const colour = (parts: readonly number[]) => `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/** Returns an icon as SVG. */
export const svg = ({ sign, corner }: Form): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE} ${SIDE}"><rect width="${SIDE}" height="${SIDE}" rx="${SIDE * corner}" fill="${colour(PLATE)}"/>` +
  `<g transform="translate(${MIDDLE} ${MIDDLE}) scale(${sign}) translate(-${MIDDLE} -${MIDDLE})" fill="${colour(SIGN)}">` +
  `<circle cx="${MIDDLE}" cy="${MIDDLE}" r="${RADIUS}" fill="none" stroke="${colour(SIGN)}" stroke-width="${2 * HALF_STROKE}"/>` +
  `<path d="M${MIDDLE} ${MIDDLE - RADIUS}a${RADIUS} ${RADIUS} 0 0 1 0 ${2 * RADIUS} ${WAIST} ${RADIUS} 0 0 0 0-${2 * RADIUS}z"/></g></svg>`;

/** Reports whether a point is on the logo; x and y are relative to its centre. */
function onSign(x: number, y: number): boolean {
  const distance = Math.hypot(x, y);
  return Math.abs(distance - RADIUS) <= HALF_STROKE || (x >= 0 && distance <= RADIUS && (x / WAIST) ** 2 + (y / RADIUS) ** 2 >= 1);
}

/** Reports whether a point is on the plate; x and y are relative to its centre. */
function onPlate(x: number, y: number, radius: number): boolean {
  const [outX, outY] = [Math.abs(x) - (MIDDLE - radius), Math.abs(y) - (MIDDLE - radius)];
  return outX <= 0 || outY <= 0 ? true : Math.hypot(outX, outY) <= radius;
}

const FINE = 4; // samples along each side of a pixel

/** Returns a pixel: red, green, blue and opacity. */
function pixel(column: number, row: number, size: number, { sign, corner }: Form): number[] {
  let [plate, mark] = [0, 0];
  for (let n = 0; n < FINE * FINE; n++) {
    const [x, y] = [column + ((n % FINE) + 0.5) / FINE, row + (Math.floor(n / FINE) + 0.5) / FINE].map((at) => (at / size) * SIDE - MIDDLE) as [number, number];
    plate += Number(onPlate(x, y, SIDE * corner));
    mark += Number(onSign(x / sign, y / sign));
  }
  const part = mark / FINE ** 2;
  return [...PLATE.map((of, n) => Math.round(of + ((SIGN[n] as number) - of) * part)), Math.round((plate / FINE ** 2) * 255)];
}

/** Encodes a chunk of a PNG. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Returns an icon as PNG with the given width and height in pixels. */
export function png(size: number, form: Form): Buffer {
  const rows = Array.from({ length: size }, (_, row) => [0, ...Array.from({ length: size }, (_, column) => pixel(column, row, size, form)).flat()]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6], 8); // 8 bits each for red, green, blue and opacity
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", header), chunk("IDAT", deflateSync(Buffer.from(rows.flat()), { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}
