// A member of a node's cluster with an id that the test chooses. A tab's own worker would choose a
// random one.
import { browser } from "/src/browser.js";
import { canonical } from "/src/canonical.js";
import { Member } from "/src/cluster.js";

/**
 * Becomes a client of the node that another context runs.
 * @param {string} name the name of the store
 * @param {Record<string, unknown>} config the config of the node
 * @param {number} client
 * @param {(text: string) => void} event called with each event
 */
export async function join(name, config, client, event) {
  const member = new Member({
    name,
    config: canonical(config),
    meeting: browser.meeting(name),
    start: () => Promise.reject(new Error("a guest runs no node")),
    events: { event, role: () => {}, failed: () => {}, wallet: () => Promise.reject(new Error("a guest has no wallet")) },
  });
  member.client = client;
  await member.open();
  return member;
}
