package mmrpc

// Refusal is the whole reply to a request that the transport refuses, such as one that
// comes while the node is starting: Komodo DeFi Framework's form outside a method.
func Refusal(text string) []byte { return append(appendLegacyError(nil, text), '\n') }
