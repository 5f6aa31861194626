/**
 * The Worker: finds the object that a request is for. An object is named by the first label of
 * the host (BY_HOST=yes) or by a path that begins with /n/NAME/; all else is for the first node.
 */

import { isPage, page } from "./page.js";
import { names } from "./settings.js";

export { Node } from "./node.js";

const PATH = /^\/n\/([^/]*)(\/.*)?$/;

export default {
  /**
   * @param {Request} request
   * @param {Record<string, any>} env
   */
  async fetch(request, env) {
    try {
      return await answer(request, env);
    } catch (error) {
      console.error(String(error)); // the object has failed or been replaced during the request
      return Response.json({ error: "the node did not answer, see the log of the Worker" }, { status: 500 });
    }
  },
};

/**
 * @param {Request} request
 * @param {Record<string, any>} env
 */
async function answer(request, env) {
  const all = names(env);
  const url = new URL(request.url);
  const inPath = PATH.exec(url.pathname);
  let name = all[0];
  if (env.ASSETS && !inPath && isPage(request.method, url.pathname)) {
    return page(await env.ASSETS.fetch(request), url.pathname);
  }
  if (inPath) {
    name = inPath[1];
    url.pathname = inPath[2] ?? "/";
  } else if (env.BY_HOST === "yes") {
    name = url.hostname.split(".")[0];
  }
  if (!all.includes(name)) {
    return Response.json({ error: "there is no node of this name" }, { status: 404 });
  }
  const node = env.NODE.get(env.NODE.idFromName(name));
  return node.fetch(inPath ? new Request(url, request) : request);
}
