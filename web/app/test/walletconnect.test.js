import assert from "node:assert/strict";
import { evmChain } from "../../test/evmchain.js";
import { sessionWallet } from "../../test/sessionwallet.js";
import { sharing } from "../../test/sharing.js";
import { checkAccess, checkWidth, FAST, isOpen, picture, sizes, until, visit, wallet } from "./support.js";

const OTHER = "0x00000000219ab540356cBB839Cbe05303d7705Fa";

const button = (page, name) => page.getByRole("button", { name, exact: true });

const withPeer = sharing("an open wallet and another that WalletConnect reaches", async (t) => {
  const peer = await sessionWallet(t);
  const opened = await wallet(t, { speed: FAST });
  const chain = await evmChain(t);
  const { evm } = await peer.do("account");
  await chain.give(evm, 10n ** 18n);
  await peer.do("network", { url: chain.url });
  return { ...opened, peer, chain, own: evm };
});

/** Fills in the form for ETH with a wallet on a phone. */
async function fill(page, { url }) {
  await visit(page, "activate/ETH", "Activate a coin");
  await page.getByRole("radio", { name: /^A wallet on your phone/ }).check();
  await page.getByLabel("Server 1", { exact: true }).fill(url);
}

withPeer("without a project ID the page says what is missing, and where to enter it", async (t, { page, chain }) => {
  await fill(page, chain);
  await button(page, "Activate ETH").click();
  await page.getByRole("alert").filter({ hasText: "Pair a wallet first." }).waitFor();
  await button(page, "Pair a wallet").click();
  const dialog = page.getByRole("dialog", { name: "Pair a wallet" });
  await dialog.getByRole("alert").filter({ hasText: "The node needs a project ID for WalletConnect. Enter one in the settings." }).waitFor();
  await checkAccess(page);
  await dialog.getByRole("link", { name: "Open the settings" }).click();
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
});

withPeer("the relay is set in the settings, and its errors are reported", async (t, { page, peer }) => {
  await visit(page, "settings", "Settings");
  const section = page.locator("section").filter({ has: page.getByRole("heading", { name: "WalletConnect" }) });
  await section.getByText("Paired wallets").click();
  await section.getByRole("alert").filter({ hasText: "The node needs a project ID for WalletConnect." }).waitFor();
  await section.getByText("Paired wallets").click();
  await section.getByLabel("Project ID").fill("not an id!");
  await section.getByText("Another relay").click();
  await section.getByLabel("Address of the relay").fill("https://relay.example");
  await section.getByRole("button", { name: "Save" }).click();
  await section.getByText("A project ID has up to 64 letters, digits and hyphens.").waitFor();
  await section.getByText("A relay's address begins with wss://").waitFor();
  await section.getByLabel("Project ID").fill("0".repeat(32));
  await section.getByLabel("Address of the relay").fill(peer.relay);
  await section.getByRole("button", { name: "Save" }).click();
  await until(async () => (await page.getByRole("alert").count()) === 0);
  await isOpen(page);
  await section.getByText("Paired wallets").click();
  await section.getByText("No wallet is paired.").waitFor();
});

withPeer("a wallet pairs by the code that the page shows", async (t, { page, peer, chain, own, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await fill(page, chain);
  await button(page, "Pair a wallet").click();
  const dialog = page.getByRole("dialog", { name: "Pair a wallet" });
  await dialog.getByRole("img", { name: "QR code to pair a wallet" }).waitFor();
  for (const size of Object.values(sizes)) {
    await page.setViewportSize(size);
    await checkWidth(page);
  }
  await checkAccess(page);
  await picture(page, "pair");
  await dialog.getByRole("button", { name: "Copy the code" }).click();
  const uri = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(uri, /^wc:[0-9a-f]{64}@2\?/);
  await peer.do("pair", { uri });
  const { id, params } = await peer.receive("session_proposal");
  const { chains, methods, events } = params.optionalNamespaces.eip155;
  assert.deepEqual(chains, ["eip155:1"]);
  await peer.do("approve", { id, namespaces: { eip155: { chains, methods, events, accounts: [`eip155:1:${own}`] } } });
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("radio", { name: new RegExp(`^wallet ${own.slice(0, 10)}`, "i") }).waitFor();
});

withPeer("a coin is activated with it, and what it sends arrives", async (t, { page, peer, chain, own, said }) => {
  await fill(page, chain);
  await page.getByRole("radio", { name: /^wallet 0x/ }).waitFor();
  await button(page, "Activate ETH").click();
  await page.getByRole("heading", { level: 1, name: "ETH is active" }).waitFor();
  await visit(page, "receive/ETH", "Receive");
  await until(async () => (await page.locator("main").innerText()).replaceAll(/\s/g, "").includes(own), "the address is the wallet's");
  await visit(page, "send/ETH", "Send");
  await page.getByRole("textbox", { name: "To", exact: true }).fill(OTHER);
  await page.getByRole("textbox", { name: /^Amount in/ }).fill("0.25");
  await button(page, "Continue").click();
  await button(page, "Send 0.25 ETH").click();
  await until(async () => (await chain.has(OTHER)) === 25n * 10n ** 16n, "it arrives");
  await page.getByRole("link", { name: "Done" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor(); // the next test opens another view
  assert.deepEqual(said, []);
});

withPeer("what its user rejects there is not sent", async (t, { page, peer, chain }) => {
  await peer.do("mode", { mode: "reject-evm" });
  await visit(page, "send/ETH", "Send");
  await page.getByRole("textbox", { name: "To", exact: true }).fill(OTHER);
  await page.getByRole("textbox", { name: /^Amount in/ }).fill("0.1");
  await button(page, "Continue").click();
  await button(page, "Send 0.1 ETH").click();
  await page.getByRole("alert").filter({ hasText: "You rejected this in the wallet." }).waitFor();
  assert.equal(await chain.has(OTHER), 25n * 10n ** 16n);
  await peer.do("mode", { mode: "sign" });
});

withPeer("the session is there after a reload, and ends in the settings", async (t, { page, peer }) => {
  await page.reload();
  await isOpen(page);
  await visit(page, "settings", "Settings");
  await page.getByText("Paired wallets").click();
  await page.getByRole("button", { name: "Disconnect wallet" }).click();
  await page.getByText("No wallet is paired.").waitFor();
  await peer.receive("session_delete");
});
