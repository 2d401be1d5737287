// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import { Address } from "@openzeppelin/contracts/utils/Address.sol";

/// @title DepositForwarder
/// @notice One wallet's deposit address, made by its escrow. It has no code before the first
/// `sweep`, and takes tokens all the same. Only the escrow moves what is here.
contract DepositForwarder {
    using SafeERC20 for IERC20;

    address private immutable ESCROW = msg.sender;

    error OnlyTheEscrow();

    /// @param token zero for the chain's own coin
    function pass(address token, address to, uint256 amount) external {
        require(msg.sender == ESCROW, OnlyTheEscrow());
        if (token == address(0)) Address.sendValue(payable(to), amount);
        else IERC20(token).safeTransfer(to, amount);
    }
}
