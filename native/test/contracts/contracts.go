// Package contracts has the contracts that tests deploy, compiled: an ERC-20, an ERC-721 and an
// ERC-1155 of OpenZeppelin that anyone may mint. Sources and compiler are next to the
// artefacts, which name what they were made from; `npm ci && npm run build` here makes them
// again. Only tests use it.
//
// Invariant: an artefact matches the source next to it.
package contracts

import (
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed artefacts/*.json *.sol
var files embed.FS

// Artefact is a compiled contract.
type Artefact struct {
	Name         string          `json:"name"`
	Source       string          `json:"source"` // file
	SHA256       string          `json:"sha256"` // of the source
	Compiler     string          `json:"compiler"`
	OpenZeppelin string          `json:"openzeppelin"`
	Settings     json.RawMessage `json:"settings"`
	ABI          json.RawMessage `json:"abi"`
	Bytecode     string          `json:"bytecode"` // 0x and hexadecimal digits, without arguments
}

// Names of the contracts.
const (
	Token20   = "Token20"   // constructor(uint8 decimals); mint(address to, uint256 amount)
	Token721  = "Token721"  // constructor(); mint(address to, uint256 id, string uri)
	Token1155 = "Token1155" // constructor(); mint(address to, uint256 id, uint256 amount, string uri)
)

// Read reads an artefact.
func Read(name string) (a Artefact, err error) {
	text, err := files.ReadFile("artefacts/" + name + ".json")
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(text, &a)
}

// Code returns the code that creates the contract: its own and the constructor's arguments.
func Code(name string, arguments ...byte) ([]byte, error) {
	a, err := Read(name)
	if err != nil {
		return nil, err
	}
	code, err := hex.DecodeString(strings.TrimPrefix(a.Bytecode, "0x"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return append(code, arguments...), nil
}
