/** Steps that are common to tests of tokens. */

import { checkAccess, checkWidth, picture, sizes, visit } from "./support.js";

/** Keys on the curve that do not belong to a wallet of the tests. */
export const OTHER = "0227fac751b9a096aa38a029a9a11db2f8a650e6caf2a30c6c37c43a48ccbd00cd";
export const BURN = `02${"dead".repeat(16)}`;

/** Returns the value of a fact in a view. */
export const fact = (page, name) => page.locator(`dt:text-is("${name}") + dd`);

/** Returns the exact amount of a fact, with all digits. */
export const amount = (page, name) => fact(page, name).locator("data").getAttribute("value");

export const button = (page, name) => page.getByRole("button", { name, exact: true });

/** Checks a view in all sizes and colour schemes. */
export async function look(page, name) {
  await picture(page, `tokens-${name}`);
  await checkAccess(page);
  await page.setViewportSize(sizes.phone);
  await checkWidth(page);
  await page.setViewportSize(sizes.desktop);
}

/** Fills in the form and builds the transaction. */
export async function build(page, { name, count, description = "" }) {
  await visit(page, "tokens/create", "Create a token");
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("How many").fill(count);
  await page.getByLabel("Description").fill(description);
  await button(page, "Continue").click();
}

/** Broadcasts the reviewed transaction, waits for its block and returns to the list. */
export async function broadcast(page) {
  await button(page, "Broadcast").click();
  await page.getByRole("heading", { level: 1, name: "Broadcast" }).waitFor();
  await page.getByText(/: in block \d+\.$/).waitFor();
  await page.getByRole("link", { name: "To the tokens" }).click();
  await page.getByRole("heading", { level: 1, name: "Tokens" }).waitFor();
}
