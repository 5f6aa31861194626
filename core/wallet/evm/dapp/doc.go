// Package dapp describes and executes what programs of others ask of an account on an EVM
// network: transactions, signed texts and typed data. It also passes calls that only read
// on to the network's nodes. Package core/wallet/dapp has the requests.
//
// Calls of contracts are described if a wallet must know them (ERC-20, ERC-721). Of the
// others a person sees the contract, the function's number and the data, and is warned.
//
// Sources: EIP-1193, EIP-1474, EIP-191, EIP-712; ERC-20 and ERC-721.
//
// Invariant: what is signed is what was described, with the number that the transaction
// has in the account.
package dapp
