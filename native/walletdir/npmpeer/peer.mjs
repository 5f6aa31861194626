/**
 * Opens and writes wallet files of Komodo DeFi Framework with hash-wasm's Argon2 and Node's own cryptography.
 * Each line on standard input is a request, {"file", "password"} or {"phrase", "password"}; the answer is a line with
 * {"phrase"}, {"file"} or {"error"}.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createInterface } from "node:readline";
import { argon2id } from "hash-wasm";

const params = { algorithm: "argon2id", version: 19, m_cost: 65536, t_cost: 2, p_cost: 1, output_len: 32 };

/** Salts are base64 without padding, as in PHC strings. */
const salted = (/** @type {string} */ text) => Buffer.from(text, "base64");

async function keys(/** @type {string} */ password, /** @type {any} */ argon) {
  const derive = (/** @type {string} */ salt) =>
    argon2id({
      ...{ password: Buffer.from(password, "utf8"), salt: salted(salt), outputType: "binary" },
      ...{ parallelism: argon.params.p_cost, iterations: argon.params.t_cost, memorySize: argon.params.m_cost, hashLength: argon.params.output_len ?? 32 },
    });
  return { aes: await derive(argon.salt_aes), hmac: await derive(argon.salt_hmac) };
}

const tagOf = (/** @type {Uint8Array} */ key, /** @type {Buffer} */ ciphertext, /** @type {Buffer} */ iv) =>
  createHmac("sha256", key).update(ciphertext).update(iv).digest();

async function open(/** @type {any} */ file, /** @type {string} */ password) {
  const [iv, ciphertext, tag] = [file.iv, file.ciphertext, file.tag].map((text) => Buffer.from(text, "base64"));
  const { aes, hmac } = await keys(password, file.key_derivation_details.Argon2);
  if (!timingSafeEqual(tagOf(hmac, ciphertext, iv), tag)) {
    return { error: "MAC tag mismatch" };
  }
  const cipher = createDecipheriv("aes-256-cbc", aes, iv);
  return { phrase: Buffer.concat([cipher.update(ciphertext), cipher.final()]).toString("utf8") };
}

async function write(/** @type {string} */ phrase, /** @type {string} */ password) {
  const salt = () => randomBytes(16).toString("base64").replaceAll("=", "");
  const argon = { params, salt_aes: salt(), salt_hmac: salt() };
  const { aes, hmac } = await keys(password, argon);
  const iv = randomBytes(16);
  const cipher = createCipheriv("aes-256-cbc", aes, iv);
  const ciphertext = Buffer.concat([cipher.update(phrase, "utf8"), cipher.final()]);
  const [one, two, three] = [iv, ciphertext, tagOf(hmac, ciphertext, iv)].map((bytes) => bytes.toString("base64"));
  return { file: { version: 1, encryption_algorithm: "AES256CBC", key_derivation_details: { Argon2: argon }, iv: one, ciphertext: two, tag: three } };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { file, phrase, password } = JSON.parse(line);
  const answer = file ? await open(file, password) : await write(phrase, password);
  console.log(JSON.stringify(answer));
}
