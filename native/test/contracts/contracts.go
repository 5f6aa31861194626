// Package contracts contains compiled contracts that tests deploy: an ERC-20, an ERC-721 and an
// ERC-1155 of OpenZeppelin that anyone may mint. Sources and compiler are next to the artefacts,
// which contain the names and hashes of their sources; `npm ci && npm run build` in this folder
// builds them again. Only tests use it.
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
	Source       string          `json:"source"` // name of the file
	SHA256       string          `json:"sha256"` // hash of the source
	Compiler     string          `json:"compiler"`
	OpenZeppelin string          `json:"openzeppelin"`
	Settings     json.RawMessage `json:"settings"`
	ABI          json.RawMessage `json:"abi"`
	Bytecode     string          `json:"bytecode"` // with the prefix 0x, without arguments
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

// Code returns the code that creates the contract, followed by the arguments of the constructor.
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
