/** Generated pictures for tests. */

import { deflateSync, crc32 } from "node:zlib";

const table = Array.from({ length: 256 }, (_, n) => Array.from({ length: 8 }).reduce((c) => (c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1), n) >>> 0);

/** Returns the CRC-32, which older versions of Node lack. */
const sum = (bytes) => (crc32 ? crc32(bytes) : (bytes.reduce((c, byte) => table[(c ^ byte) & 255] ^ (c >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0);

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(sum(body));
  return Buffer.concat([length, body, check]);
}

/**
 * Encodes a PNG.
 * @param {number} width
 * @param {number} height
 * @param {((x: number, y: number) => [number, number, number]) | null} colour returns the colour of a pixel; if null, all pixels are black
 */
export function png(width, height, colour) {
  const depth = colour ? 3 : 1;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, colour ? 2 : 0, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (1 + depth * width));
  for (let y = 0; colour && y < height; y++) {
    for (let x = 0; x < width; x++) {
      rows.set(colour(x, y), y * (1 + 3 * width) + 1 + 3 * x);
    }
  }
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

/** @type {Map<string, Buffer>} */
const landscapes = new Map();

/** Returns a landscape with a sun. Each number gives a different picture. */
export function landscape(n, width = 480, height = 360) {
  const name = `${n} ${width} ${height}`;
  const drawn = landscapes.get(name) ?? draw(n, width, height);
  landscapes.set(name, drawn);
  return drawn;
}

const draw = (n, width, height) =>
  png(width, height, (x, y) => {
    const [sunX, sunY, hill] = [width * (0.2 + ((n * 37) % 60) / 100), height * 0.3, height * (0.62 + 0.08 * Math.sin((x / width) * 6 + n))];
    if (y > hill) {
      return [40 + ((n * 29) % 60), 90 + ((n * 17) % 80), 70];
    }
    return (x - sunX) ** 2 + (y - sunY) ** 2 < (height / 9) ** 2 ? [250, 210, 120] : [120 + ((n * 41) % 90), 160 + Math.round((60 * y) / height), 210];
  });

/** Returns a picture with few pixels for a number. */
export const sprite = (n) => png(24, 24, (x, y) => ((x - 12) ** 2 + (y - 12) ** 2 > 110 ? [235, 240, 245] : (x * 7 + y * 13 + n) % 5 < 2 ? [200, 80, 60] : [60, 90, 160]));
