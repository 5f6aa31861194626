/**
 * The receiver in a text that was pasted or scanned: an address, or a payment request as
 * ethereum:0x…@137?value=1 (EIP-681) or cosmos:cosmos1…?amount=1. The chain is "" if it names none.
 */
export function receiverIn(text: string): { to: string; chain: string } {
  const bare = text.trim();
  const [, address = bare, chain = ""] = /^[a-z][a-z0-9+.-]*:(?:pay-)?([^@?/]+)(?:@(\d+))?(?:[?/].*)?$/i.exec(bare) ?? [];
  return { to: address, chain };
}
