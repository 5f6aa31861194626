// Package send implements the methods of the node API that build, sign and send transactions,
// or prepare them: withdrawals, raw transactions, replacements, staking, token allowances and
// names. The packages tx of core/wallet do the work.
//
// Source: Komodo DeFi Framework's lp_coins and rpc_command.
package send
