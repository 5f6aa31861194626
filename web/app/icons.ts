/** The icons of the page as an app of its own: its sign, src/ui/brand.tsx, on a plate, drawn when the page is built. */

import { crc32, deflateSync } from "node:zlib";

/** The plate and what is on it, as they are in light. */
const PLATE = [0x0b, 0x5c, 0xad] as const;
const SIGN = [0xff, 0xff, 0xff] as const;

/** The sign is drawn in a square of this size: a ring around the middle, and a sickle at its right. */
const SIDE = 32;
const [MIDDLE, RADIUS, HALF_STROKE, WAIST] = [16, 14, 1.25, 9];

export interface Form {
  /** Size of the sign, as a part of the icon's. A launcher cuts maskable icons down to the circle of 0.8. */
  sign: number;
  /** Radius of the plate's corners, as a part of the icon's size. */
  corner: number;
}

export const rounded: Form = { sign: 0.7, corner: 0.22 };
export const full: Form = { sign: 0.6, corner: 0 };

const colour = (parts: readonly number[]) => `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/** An icon as SVG. */
export const svg = ({ sign, corner }: Form): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE} ${SIDE}"><rect width="${SIDE}" height="${SIDE}" rx="${SIDE * corner}" fill="${colour(PLATE)}"/>` +
  `<g transform="translate(${MIDDLE} ${MIDDLE}) scale(${sign}) translate(-${MIDDLE} -${MIDDLE})" fill="${colour(SIGN)}">` +
  `<circle cx="${MIDDLE}" cy="${MIDDLE}" r="${RADIUS}" fill="none" stroke="${colour(SIGN)}" stroke-width="${2 * HALF_STROKE}"/>` +
  `<path d="M${MIDDLE} ${MIDDLE - RADIUS}a${RADIUS} ${RADIUS} 0 0 1 0 ${2 * RADIUS} ${WAIST} ${RADIUS} 0 0 0 0-${2 * RADIUS}z"/></g></svg>`;

/** Whether a point is on the sign; x and y count from its middle. */
function onSign(x: number, y: number): boolean {
  const distance = Math.hypot(x, y);
  return Math.abs(distance - RADIUS) <= HALF_STROKE || (x >= 0 && distance <= RADIUS && (x / WAIST) ** 2 + (y / RADIUS) ** 2 >= 1);
}

/** Whether a point is on the plate; x and y count from its middle. */
function onPlate(x: number, y: number, radius: number): boolean {
  const [outX, outY] = [Math.abs(x) - (MIDDLE - radius), Math.abs(y) - (MIDDLE - radius)];
  return outX <= 0 || outY <= 0 ? true : Math.hypot(outX, outY) <= radius;
}

const FINE = 4; // points of each side of a pixel

/** A pixel: red, green, blue, opacity. */
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

/** A chunk of a PNG. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** An icon as PNG, so many pixels wide and high. */
export function png(size: number, form: Form): Buffer {
  const rows = Array.from({ length: size }, (_, row) => [0, ...Array.from({ length: size }, (_, column) => pixel(column, row, size, form)).flat()]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6], 8); // 8 bits of each of red, green, blue and opacity
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", header), chunk("IDAT", deflateSync(Buffer.from(rows.flat()), { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}
