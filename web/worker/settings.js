/**
 * The names of the nodes, and the settings of each. Names are in NODES; a variable or secret for
 * one node has its name at the end, and the first node's may go without.
 *
 *   NODES="main,games"    OBVERSE_PASSPHRASE=…  OBVERSE_PASSPHRASE_GAMES=…  CONFIG_GAMES={"chain":{"ac_name":"GAMES"}}
 */

const VARIABLES = ["CONFIG", "OBVERSE_RPC_PASSWORD", "OBVERSE_PASSPHRASE", "OBVERSE_DAEMON_RPCPASSWORD"];

const NAME = /^[a-z0-9][a-z0-9-]{0,30}$/;

/** @param {Record<string, any>} env */
export function names(env) {
  const list = String(env.NODES ?? "main").split(",").map((name) => name.trim());
  for (const name of list) {
    if (!NAME.test(name)) {
      throw new Error(`NODES: ${JSON.stringify(name)} is not a name: lower-case letters, digits and -, at most 31`);
    }
  }
  return list;
}

/**
 * Returns the name of an object. The id contains no name if an alarm of workerd wakes the object.
 * @param {Record<string, any>} env
 * @param {{toString(): string}} id
 */
export function nameOf(env, id) {
  const name = names(env).find((name) => String(env.NODE.idFromName(name)) === String(id));
  if (name === undefined) {
    throw new Error("NODES: this object's name is missing");
  }
  return name;
}

/**
 * @param {Record<string, any>} env
 * @param {string} name
 * @returns {Record<string, string>}
 */
export function settingsOf(env, name) {
  const end = `_${name.toUpperCase().replaceAll("-", "_")}`;
  const first = names(env)[0] === name;
  /** @type {Record<string, string>} */
  const settings = {};
  for (const variable of VARIABLES) {
    const value = env[variable + end] ?? (first ? env[variable] : undefined);
    if (value !== undefined) {
      settings[variable] = typeof value === "string" ? value : JSON.stringify(value); // wrangler parses JSON variables
    }
  }
  return settings;
}
