/** The wallet page, which the Worker serves from its static assets with the headers of a native node. */

/** What is the node's and not the page's. */
const OWN = ["/daemon", "/event-stream", "/livez", "/readyz", "/metrics", "/backup"];

/** @param {string} method @param {string} path */
export const isPage = (method, path) => (method === "GET" || method === "HEAD") && !OWN.includes(path);

/** What the page may do: native/webpage/serve.go has the same, and the reasons. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; " +
  "img-src 'self' data: blob:; font-src 'self'; manifest-src 'self'; " +
  "connect-src 'self' https: wss: http://127.0.0.1:* ws://127.0.0.1:* http://localhost:* ws://localhost:*; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What a browser may keep without asking: what has a hash of its content in its name. @param {string} path */
const keep = (path) => (path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache");

/** @param {Response} file @param {string} path */
export function page(file, path) {
  const answer = new Response(file.body, file);
  answer.headers.set("Cache-Control", file.ok ? keep(path) : "no-store");
  answer.headers.set("Content-Security-Policy", POLICY);
  answer.headers.set("Referrer-Policy", "no-referrer");
  answer.headers.set("X-Content-Type-Options", "nosniff");
  return answer;
}
