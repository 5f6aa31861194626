/** The light client with the native program: four validators on this machine, queried over HTTP. */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import readline from "node:readline";
import { test } from "node:test";
import { connect } from "obverse/http";
import { LightError, lightClient } from "obverse/light";
import { folder, until, web } from "./support.js";

const COUNT = 4;
const program = path.join(web, "../bin/obverse");

/** Reports whether a port is free. @param {number} port */
const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/** Returns ports for the nodes of a network: two for each node, in steps of 10. */
async function freePorts() {
  for (;;) {
    const first = 20000 + Math.floor(Math.random() * 10000);
    const all = Array.from({ length: COUNT }, (_, n) => [first + 10 * n, first + 10 * n + 1]).flat();
    if ((await Promise.all(all.map(isFree))).every(Boolean)) {
      return first;
    }
  }
}

/**
 * Starts a node and returns a client of both APIs.
 * @param {import("node:test").TestContext} t
 * @param {string} datadir
 * @param {(() => unknown)[]} ends
 */
async function start(t, datadir, ends) {
  const { rpc_password: userpass, daemon: { rpcuser: user, rpcpassword: password } } = JSON.parse(readFileSync(path.join(datadir, "obverse.json"), "utf8"));
  const running = spawn(program, ["validator", "--datadir", datadir, "rpcport=0", "daemon.rpcport=0"], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((resolve) => running.on("exit", resolve));
  ends.push(() => running.kill() && ended);
  const line = await Promise.race([readline.createInterface(running.stdout)[Symbol.asyncIterator]().next(), ended.then(() => assert.fail("the node did not start"))]);
  const { node, daemon } = JSON.parse(line.value);
  const client = connect({ url: node, userpass, daemon: { url: daemon, user, password } });
  t.after(() => client.stop());
  return client;
}

test("answers of four validators are verified, and those of a node that lies are not", async (t) => {
  /** @type {(() => unknown)[]} */
  const ends = [];
  const at = path.join(folder(t, () => Promise.all(ends.map((end) => end()))), "net");
  execFileSync(program, ["testnet", "--validators", String(COUNT), "--output", at, "--port", String(await freePorts()), "-ac_name=LIGHT", "-ac_supply=1000", "-ac_cc=2"]);
  const nodes = await Promise.all(Array.from({ length: COUNT }, (_, n) => start(t, path.join(at, `node${n}`), ends)));
  const [rich] = nodes;
  const send = async (method, ...params) => {
    const { hex } = await rich.daemon(method, ...params);
    const id = await rich.daemon("sendrawtransaction", hex);
    for (const node of nodes) {
      await until(async () => (await node.daemon("getrawtransaction", id, 1).catch(() => ({}))).confirmations > 0, `${method} in a block of each node`);
    }
    return id;
  };
  const id = await send("tokencreate", "Gold", "0.00001", "a token"); // in the first block that is signed
  const pin = await nodes[3].daemon("getlightblock", 1);
  const { owner } = await rich.daemon("tokeninfo", id);
  const friend = "021d580113c3261f07156f1b82c339d4e1145a5ff479115e64903ff994a229ab75";

  const asking = (node) => lightClient({ pin, ask: (method, params) => node.daemon(method, ...params) });
  const lights = nodes.map(asking);
  for (const [n, sent] of [10, 20, 12].entries()) {
    await send("tokentransfer", id, friend, String(sent));
    const want = [10n, 30n, 42n][n];
    for (const light of lights) {
      assert.equal((await light.tokenBalance(id, friend)).balance, want);
      assert.equal((await light.tokenBalance(id, owner)).balance, 1000n - want);
    }
  }
  assert.equal((await lights[0].tokenBalance(id, "0227fac751b9a096aa38a029a9a11db2f8a650e6caf2a30c6c37c43a48ccbd00cd")).balance, 0n);
  assert.equal((await lights[1].tokenInfo(id)).name, "Gold");
  assert.ok((await lights[2].update()) >= 4);

  const liar = lightClient({ pin: lights[0].trusted(), ask: async (method, params) => ({ ...(await rich.daemon(method, ...params)), balance: 1000 }) });
  await assert.rejects(liar.tokenBalance(id, friend), (error) => error instanceof LightError && error.kind === "BadProof");
  const other = lightClient({ pin: { chain_id: "OTHER", time: new Date().toISOString().slice(0, 19) + "Z", validators: pin.validator_set.validators }, ask: (method, params) => rich.daemon(method, ...params) });
  await assert.rejects(other.tokenInfo(id), (error) => error instanceof LightError && error.kind === "BadHeader");
});
