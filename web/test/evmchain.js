/**
 * A real EVM network for tests: Foundry's anvil, from an npm package that `make peer` installs, and the NFT services of
 * native/test/indexer.
 *
 *   const chain = await evmChain(t);
 *   const token = await chain.deploy("Token721");
 *   await chain.send(token, "mint(address,uint256,string)", owner, 14, "https://meta.example/14");
 *   const services = await nftServices(t, chain, { documents: { "https://meta.example/14": "{…}" } });
 */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import readline from "node:readline";
import { bodyOf, web } from "./support.js";

const peers = path.join(web, "../native/test");

/** An account with 10,000 coins that pays for transactions of tests. */
const RICH = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/** Runs a program until the end of the test and returns the first matching line of its output. */
async function run(t, program, args, fits) {
  const started = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => started.on("exit", resolve));
  t.after(() => {
    started.kill();
    return ended;
  });
  const lines = readline.createInterface(started.stdout);
  const first = new Promise((resolve) => lines.on("line", (line) => fits.test(line) && resolve(fits.exec(line)[1])));
  const line = () => Promise.race([first, ended.then(() => assert.fail(`${program} ended`))]);
  return { stdin: started.stdin, line, stop: () => (started.kill(), ended) };
}

/** Encodes a number as a word of 32 bytes. */
const word = (number) => BigInt(number).toString(16).padStart(64, "0");

const isAddress = (value) => /^0x[0-9a-fA-F]{40}$/.test(value);

/** Encodes arguments of contracts: addresses and numbers, followed by the texts. */
function encode(values) {
  let tail = "";
  const head = values.map((value) => {
    if (typeof value !== "string" || isAddress(value)) {
      return word(value);
    }
    const at = word(32 * values.length + tail.length / 2);
    const hex = Buffer.from(value).toString("hex");
    tail += word(hex.length / 2) + hex.padEnd(Math.ceil(hex.length / 64) * 64, "0");
    return at;
  });
  return head.join("") + tail;
}

/**
 * Starts a network that makes a block for each transaction.
 * @param {import("node:test").TestContext} t
 * @param {{id?: number}} [options]
 */
export async function evmChain(t, { id = 1 } = {}) {
  const program = path.join(peers, "anvil/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil");
  assert(existsSync(program), "the npm package of anvil is missing: run `make peer`");
  const { line, stop } = await run(t, program, ["--host", "127.0.0.1", "--port", "0", "--chain-id", String(id)], /^Listening on (127\.0\.0\.1:\d+)/);
  const url = `http://${await line()}`;

  /** Calls a method of JSON-RPC. */
  const ask = async (method, ...params) => {
    const answer = await fetch(url, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });
    const { result, error } = await answer.json();
    assert(!error, `${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const transact = async (transaction) => {
    const hash = await ask("eth_sendTransaction", { from: RICH, ...transaction });
    let receipt = null;
    while (receipt === null) {
      receipt = await ask("eth_getTransactionReceipt", hash);
    }
    assert.equal(receipt.status, "0x1", "the transaction failed");
    return receipt;
  };
  const deploy = async (name, ...values) => {
    const { bytecode } = JSON.parse(readFileSync(path.join(peers, `contracts/artefacts/${name}.json`), "utf8"));
    const { contractAddress } = await transact({ data: bytecode + encode(values) });
    return contractAddress;
  };
  const data = async (signature, ...values) => {
    const hash = await ask("web3_sha3", `0x${Buffer.from(signature).toString("hex")}`);
    return hash.slice(0, 10) + encode(values);
  };
  return {
    url,
    id,
    ask,
    /** Sets the balance of an account in the smallest unit. */
    give: (account, wei) => ask("anvil_setBalance", account, `0x${BigInt(wei).toString(16)}`),
    /** Returns the balance of an account in the smallest unit. */
    has: async (account) => BigInt(await ask("eth_getBalance", account, "latest")),
    /** Sets whether each transaction is included in a block immediately; otherwise mine includes them. */
    automine: (on) => ask("evm_setAutomine", on),
    mine: () => ask("evm_mine"),
    /** Stops the network before the end of the test. */
    stop,
    /** Deploys a contract and returns its address. */
    deploy,
    /**
     * Sets the code at an address of a real network to that of a contract. Storage that the constructor writes
     * is lost; constants are preserved.
     */
    place: async (address, name, ...values) => ask("anvil_setCode", address, await ask("eth_getCode", await deploy(name, ...values), "latest")),
    /** Calls a function of a contract by its signature, in a transaction. */
    send: async (contract, signature, ...values) => void (await transact({ to: contract, data: await data(signature, ...values) })),
    /** Does the same for another account, which pays for the transaction. */
    sendAs: async (from, contract, signature, ...values) => {
      await ask("anvil_impersonateAccount", from);
      await transact({ from, to: contract, data: await data(signature, ...values) });
      await ask("anvil_stopImpersonatingAccount", from);
    },
    /** Returns the result of a function of a contract: a word as 64 hexadecimal digits. */
    read: async (contract, signature, ...values) => (await ask("eth_call", { to: contract, data: await data(signature, ...values) }, "latest")).slice(2),
  };
}

const anyone = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*", "Access-Control-Allow-Methods": "*" };

/** The program of the indexer, which is built once. @type {string | undefined} */
let built;

function program() {
  if (!built) {
    const folder = mkdtempSync(path.join(tmpdir(), "obverse-indexer-"));
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
    built = path.join(folder, "indexer");
    execFileSync("go", ["build", "-o", built, "./native/test/indexer/serve"], { cwd: path.join(web, ".."), stdio: ["ignore", "ignore", "inherit"] });
  }
  return built;
}

/**
 * Serves the indexer of a network's NFTs and the spam filter service, and the given pictures under /picture/.
 *
 *   services.behave(({ path }) => path.includes("/contract/scan") ? { status: 503 } : undefined);
 *   services.documents["https://meta.example/14"] = "{…}";    // from now on
 *
 * @param {import("node:test").TestContext} t
 * @param {{url: string}} chain
 * @param {{name?: string, documents?: Record<string, string>, pictures?: Record<string, {type: string, body: Buffer}>, spam?: string[], phishing?: string[], page?: number, cors?: boolean}} [options]
 *   documents are responses of other hosts, by URL; "HERE" in them and in URLs is the services' own address
 */
export async function nftServices(t, chain, { name = "ETH", documents = {}, pictures = {}, spam = [], phishing = [], page = 100, cors = true } = {}) {
  const services = { url: "", documents: /** @type {Record<string, string>} */ ({}), pictures, asked: /** @type {string[]} */ ([]), behave: (by) => void (behaviour = by) };
  let behaviour = (_request) => undefined;
  let indexer = "";
  const answer = async (request, body) => {
    services.asked.push(request.url);
    const other = await behaviour({ path: request.url, method: request.method });
    const { pathname } = new URL(request.url, services.url);
    const decoded = /\/url\/decode\/([0-9a-f]+)$/.exec(pathname);
    const document = decoded && services.documents[Buffer.from(decoded[1], "hex").toString()];
    if (other || document) {
      return { status: 200, type: "application/json", body: document ?? "", ...other };
    }
    if (pathname.startsWith("/picture/")) {
      return { status: pictures[pathname.slice(9)] ? 200 : 404, ...(pictures[pathname.slice(9)] ?? { type: "text/plain", body: "" }) };
    }
    try {
      const got = await fetch(indexer + request.url, { method: request.method, ...(request.method === "POST" ? { body } : {}) });
      return { status: got.status, type: got.headers.get("content-type") ?? "", body: await got.text() };
    } catch {
      return { status: 502, type: "text/plain", body: "" }; // the indexer has ended with the test
    }
  };
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (body === null) {
      return; // the client has disconnected
    }
    const said = request.method === "OPTIONS" ? { status: 204, type: "text/plain", body: "" } : await answer(request, body);
    response.writeHead(said.status, { "Content-Type": said.type, ...(cors ? anyone : {}) }).end(said.body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  services.url = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`;
  for (const [url, text] of Object.entries(documents)) {
    services.documents[url] = text.replaceAll("HERE", services.url);
  }
  const { stdin, line } = await run(t, program(), [], /^(http:.*)$/);
  stdin.write(JSON.stringify({ node: chain.url, chain: name, documents: services.documents, spam, phishing, page }));
  indexer = await line();
  return services;
}
