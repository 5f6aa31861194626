// Package activate implements the methods of the node API that activate coins, list the active
// ones and disable them. It defines the parameters of each family and the policies of private
// keys. The packages cosmos, evm, nft and lightning of core/wallet do the work.
//
// Source: Komodo DeFi Framework's coins_activation.
package activate
