// Package tx makes transactions of Cosmos chains: messages, sign documents in both signing modes of
// wallets, fees, and errors for refusals by the chain. It queries nodes through the interface Node
// and signs through key.Account. It stores nothing and holds no key.
//
// A transaction is made in steps, each a function of the results of those before: the request is
// checked (transfer), the sender opened, the state of the account read, the fee found by a
// simulation (price), the amount and the fee compared with the balance (afford), a sequence chosen,
// and the draft signed. coin.SendQueue.Execute does so in the account's turn and submits it.
//
// Sources: Cosmos SDK x/auth (SignDoc, StdSignDoc, ante errors), x/bank and ibc-go
// transfer (messages and their amino JSON), ADR-036 (signed texts), ICS 20 (transfers to
// other chains); Komodo DeFi Framework coins/tendermint/tendermint_coin.rs for defaults.
//
// Invariant: a signed transaction does exactly what was requested, and its signature was verified,
// whatever wallet made it.
package tx
