// A page's own worker, which runs a node in its thread.
import { init } from "/dist/local.js";

onmessage = async ({ data }) => {
  try {
    const node = await init({ config: data });
    postMessage([await node.rpc("get_public_key"), node.status()]);
    await node.stop();
  } catch (error) {
    postMessage(String(error.stack));
  }
};
