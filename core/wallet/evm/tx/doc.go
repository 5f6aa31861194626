// Package tx makes, signs and sends transactions of EVM networks and waits for their
// confirmation. It also signs and verifies texts. It uses nodes and accounts through
// interfaces.
//
// A transaction is made in steps, each of which depends on the previous ones: check the request
// (transfer), open the sender, query the state of the account, determine the price and the gas,
// compare the amount and the fee with the balance (afford), compare the fee with the usual one,
// and sign the draft. coin.SendQueue.Execute performs these steps in the account's turn and
// submits the transaction.
//
// Sources: EIP-1559 for fees; EIP-191 for texts; Komodo DeFi Framework coins/eth.rs and
// coins/eth/eth_withdraw.rs.
//
// Invariant: An account only signs transactions for its own network that its balance, according
// to the nodes, can pay. The user or a wallet sees every fee of more than one coin before it is
// paid.
package tx
