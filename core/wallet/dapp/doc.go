// Package dapp is the wallet's side of programs of others: pages that ask for accounts,
// signatures and transactions, as EIP-1193 and Keplr have them. It finds the active coin
// that a request is for and turns failures into codes of EIP-1193. What a request means,
// and signing it, are the families'.
//
// Who calls it shows a person what Describe says and executes what the person agrees to.
// Nothing here asks a person, and nothing here knows who the program is.
//
// # Requests
//
// A request is a JSON object, and so is its reply: {"result": …} or
// {"error": {"code", "message", "data"?}}, whose codes are those of EIP-1193 and EIP-1474,
// so that a program of an EVM network can be given them as they are.
//
//	type Request =
//	  | {do: "accounts"}                                           → Account[]
//	  | {do: "describe", chain: Chain, method: Method, params}     → Description
//	  | {do: "execute", chain: Chain, method: Method, params}      → the method's result
//	  | {do: "read", chain: Chain, method: string, params?}        → the node's answer, of an EVM network
//
//	type Chain = `eip155:${number}` | `cosmos:${string}`           // "eip155:1", "cosmos:cosmoshub-4"
//	type Account = {chain: Chain, coin: string, address: string, pubkey?: string /* hexadecimal, compressed */, policy: string}
//
//	type Description = {
//	  coin: string, chain: Chain, address: string,                 // the coin's ticker; who signs
//	  kind: "send" | "transfer" | "approve" | "call" | "deploy" | "message" | "typedData" | "transaction",
//	  lines: {name: string, value: string}[],                      // what will happen, in words; values may have several lines
//	  warnings: string[],
//	  fee?: {coin: string, amount: string},                        // at most, in whole coins
//	  params,                                                      // what to execute: those of the request, with gas and prices filled in
//	}
//
// Execute what was described: a transaction without gas or price is refused there, so that
// the fee paid is the fee shown.
//
//	method               params                                    result
//	eth_sendTransaction  [{from, to?, value?, data?, gas?, …}]     hash
//	personal_sign        [data in hexadecimal or text, address]    signature of 65 bytes
//	eth_signTypedData_v4 [address, typed data or its JSON text]    signature of 65 bytes
//	signDirect           {signerAddress, signDoc: {bodyBytes, authInfoBytes, chainId, accountNumber}}, bytes in base64
//	                                                               {signed: SignDoc, signature: {pub_key: {type, value}, signature}}
//	signAmino            {signerAddress, signDoc: StdSignDoc}      the same, signed: StdSignDoc; a text (ADR-036) too
//
// Sources: EIP-1193 and EIP-1474 (codes), CAIP-2 (names of chains), Keplr's documentation.
//
// Invariant: nothing is signed but by execute, for the account that the request names.
package dapp
