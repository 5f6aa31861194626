// Package tx makes transactions of Cosmos chains: messages, sign documents in both signing modes of
// wallets, fees, and errors for refusals by the chain. It queries nodes through the interface Node
// and signs through key.Account. It stores nothing and holds no key.
//
// A transaction is made in steps, each of which depends on the previous ones: check the request
// (transfer), open the sender, query the state of the account, determine the fee by a
// simulation (price), compare the amount and the fee with the balance (afford), choose a
// sequence, and sign the draft. coin.SendQueue.Execute performs these steps in the account's
// turn and submits the transaction.
//
// Sources: Cosmos SDK x/auth (SignDoc, StdSignDoc, ante errors), x/bank and ibc-go
// transfer (messages and their amino JSON), ADR-036 (signed texts), ICS 20 (transfers to
// other chains); Komodo DeFi Framework coins/tendermint/tendermint_coin.rs for defaults.
//
// Invariant: A signed transaction does exactly what was requested, and its signature was
// verified, even if an external wallet made it.
package tx
