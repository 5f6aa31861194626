// Package swap is the ledger of atomic swaps: which are in progress, how far each has
// come, and how much of each coin they still need, so that the same coins are not
// offered twice. It is not an engine: it sends nothing, watches no chain and knows no
// balance.
//
// # For authors of an engine
//
// Begin a swap before anything is promised to the other side, and record every step
// with Advance. Before a transaction is broadcast, record that it is pending; after it
// was seen, that it was sent. In between a crash may leave the question open, and then
// only the chain can answer it, so the ledger keeps the coins locked. What the engine
// itself must know after a crash (transaction ids, time locks) goes into Data, which is
// written in the same step as the state. After Open, Running lists what a former run
// left: each of them is the engine's to continue or to fail; the ledger does neither.
//
//	Negotiating ──▶ DexFeePending ──▶ DexFeeSent ──▶ PaymentPending ──▶ PaymentSent
//	     └────────────── without a dex fee ───────────────▲                │    │
//	                                                                       ▼    ▼
//	                                      Finished ◀── SpendPending ◀──▶ RefundPending ──▶ Refunded
//
// Every state but the last three may become Failed. A pending spend may turn into a
// refund and the other way round, since the other side may come first.
//
// Sources: Komodo DeFi Framework mm2_main/src/lp_swap (locked_amount of maker_swap.rs
// and taker_swap.rs) for what is locked until when.
//
// Invariant: Locked is the sum of what the states of the running swaps hold, and what
// a swap holds never grows.
package swap
