// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";

/// Tokens of which there are many each, and which everybody may mint.
contract Token1155 is ERC1155 {
    mapping(uint256 id => string) private uris;

    constructor() ERC1155("") {}

    function mint(address to, uint256 id, uint256 amount, string calldata uri_) external {
        uris[id] = uri_;
        _mint(to, id, amount, "");
        emit URI(uri_, id);
    }

    function uri(uint256 id) public view override returns (string memory) {
        return uris[id];
    }
}
