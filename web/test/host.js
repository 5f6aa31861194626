/**
 * Runs nodes in a page of Chromium for a test in another language, which controls them over HTTP. It prints
 * {"url": …} when it is ready, and exits at the end of its standard input.
 *
 *   POST /start              starts a node with the config in the body, and returns its number
 *   POST /NUMBER/rpc         sends the body to the node API, and returns the status and the response
 *   POST /NUMBER/daemon      sends the body to the daemon API
 *   POST /NUMBER/become      restarts the node on the same data with the config in the body
 *   POST /NUMBER/open/ID     opens the event stream of a client
 *   POST /NUMBER/next/ID     waits for the next event of the stream
 *   POST /NUMBER/close/ID    closes the stream
 *   POST /NUMBER/ended       waits until the node has ended
 *   POST /NUMBER/stop        stops the node
 */

import { createServer } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { open, serve } from "./support.js";

const profile = mkdtempSync(path.join(tmpdir(), "obverse-"));
const site = await serve();
const context = await open(profile);
const page = await context.newPage();
await page.goto(site.url);
await page.evaluate(async () => {
  const module = await WebAssembly.compileStreaming(fetch("/dist/obverse.wasm"));
  const { join } = await import("/guest.js");
  const nodes = [];
  const begin = async (config, dbdir) => {
    const settings = { ...config, dbdir };
    return { settings, node: await globalThis.obverse.init({ config: settings, module, log: () => {} }), guests: new Map() };
  };
  /** Queues the events of a client for readers that wait for them. */
  const mailbox = () => {
    const [events, waiting] = [[], []];
    return {
      put: (event) => (waiting.length > 0 ? waiting.shift()(event) : events.push(event)),
      next: () => new Promise((resolve) => (events.length > 0 ? resolve(events.shift()) : waiting.push(resolve))),
    };
  };
  globalThis.host = {
    start: async (config) => nodes.push(await begin(config, `store ${nodes.length}`)) - 1,
    rpc: (n, body) => nodes[n].node.raw.rpc(body),
    daemon: (n, body) => nodes[n].node.raw.daemon(body),
    become: async (n, config) => {
      const data = await nodes[n].node.export();
      await nodes[n].node.stop();
      nodes[n] = await begin(config, nodes[n].settings.dbdir + "+");
      await nodes[n].node.import(data);
    },
    open: async (n, id) => {
      const { settings, guests } = nodes[n];
      const box = mailbox();
      guests.set(id, { box, member: await join(settings.dbdir, settings, Number(id), box.put) });
    },
    next: (n, id) => nodes[n].guests.get(id).box.next(),
    close: (n, id) => nodes[n].guests.get(id).member.close(),
    ended: async (n) => {
      while (nodes[n].node.status().running) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    stop: async (n) => {
      await nodes[n].node.stop();
      await Promise.all([...nodes[n].guests.values()].map(({ member }) => member.close()));
    },
  };
});

/** Executes a request. */
async function act(pathname, body) {
  const [first, second, client] = pathname.slice(1).split("/");
  if (first === "start") {
    return { body: String(await page.evaluate((config) => globalThis.host.start(config), JSON.parse(body))) };
  }
  const n = Number(first);
  const given = second === "become" ? JSON.parse(body) : client ?? body;
  const answer = await page.evaluate(([n, name, given]) => globalThis.host[name](n, given), [n, second, given]);
  return typeof answer === "string" ? { body: answer } : (answer ?? { body: "" });
}

const server = createServer((request, reply) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () =>
    act(request.url, Buffer.concat(parts).toString()).then(
      ({ status = 200, body }) => reply.writeHead(status, { "Content-Type": "application/json" }).end(body),
      (error) => reply.writeHead(599).end(String(error)),
    ),
  );
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }));

process.stdin.resume();
process.stdin.on("end", async () => {
  server.close();
  server.closeAllConnections();
  await context.close();
  await site.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});
