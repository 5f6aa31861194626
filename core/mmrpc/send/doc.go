// Package send has the methods of the node API that make, sign and send transactions, or
// ask what one needs: withdrawals, raw transactions, replacements, staking, allowances of
// tokens and names. The packages tx of core/wallet do the work.
//
// Source: Komodo DeFi Framework's lp_coins and rpc_command.
package send
