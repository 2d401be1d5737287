// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import { ERC20Burnable } from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";
import { ERC20Permit } from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import { ERC20Votes } from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import { Nonces } from "@openzeppelin/contracts/utils/Nonces.sol";
import { Time } from "@openzeppelin/contracts/utils/types/Time.sol";

/// @title RCompute
/// @notice The governance token: it votes, and workers stake it. Minted once, all of it; it can
/// only become less. A balance votes once its owner has delegated it, be it to itself.
contract RCompute is ERC20, ERC20Burnable, ERC20Permit, ERC20Votes {
    string private constant NAME = "RCompute";

    /// @param holder receives the whole supply
    /// @param supply in units of 18 decimals, at most 2^96 - 1, so that stakes fit their slot
    constructor(address holder, uint256 supply) ERC20(NAME, "RCOMPUTE") ERC20Permit(NAME) {
        _mint(holder, supply);
    }

    /// @notice Votes are counted at block times, since block numbers mean different spans of time
    /// on different chains (ERC-6372).
    function clock() public view override returns (uint48) {
        return Time.timestamp();
    }

    // solhint-disable-next-line func-name-mixedcase
    function CLOCK_MODE() public pure override returns (string memory) {
        return "mode=timestamp";
    }

    function nonces(address owner) public view override(ERC20Permit, Nonces) returns (uint256) {
        return super.nonces(owner);
    }

    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Votes) {
        super._update(from, to, value);
    }

    function _maxSupply() internal pure override returns (uint256) {
        return type(uint96).max;
    }
}
