// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721URIStorage} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721URIStorage.sol";

/// Tokens of which there is one each, and which everybody may mint.
contract Token721 is ERC721URIStorage {
    constructor() ERC721("Pictures of a test", "T721") {}

    function mint(address to, uint256 id, string calldata uri) external {
        _mint(to, id);
        _setTokenURI(id, uri);
    }
}
