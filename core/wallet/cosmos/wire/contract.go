package wire

// PathSmartContract is the query of what a contract of CosmWasm answers.
const PathSmartContract = "/cosmwasm.wasm.v1.Query/SmartContractState"

// SmartContractRequest asks a contract.
type SmartContractRequest struct {
	Contract string // address
	Query    []byte // JSON
}

// SmartContractResponse answers it.
type SmartContractResponse struct {
	Data []byte // JSON
}
