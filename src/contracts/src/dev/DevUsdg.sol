// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import { ERC20Permit } from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import { ERC3009 } from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";

/// @title DevUsdg
/// @notice DEVELOPMENT ONLY. Stands in for the payment token on local chains: the same decimals and
/// signatures, and anyone can mint. It is worth nothing and must never back real credits.
contract DevUsdg is ERC20, ERC20Permit, ERC3009 {
    string private constant NAME = "Global Dollar (development)";

    constructor() ERC20(NAME, "USDG") ERC20Permit(NAME) { }

    /// @notice DEVELOPMENT ONLY. Mints to anyone, for anyone.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }
}
