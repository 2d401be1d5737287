// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Create2 } from "@openzeppelin/contracts/utils/Create2.sol";
import { SafeCast } from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import { DepositForwarder } from "./DepositForwarder.sol";
import { Deposits } from "./Deposits.sol";
import { IEscrowAccounts } from "./interfaces/IEscrowAccounts.sol";

/// @notice An address a wallet, so that a plain token transfer, which carries no message, is known
/// for whose it is. Exchanges and payment codes (EIP-681) make no other.
abstract contract DepositAddresses is Deposits {
    using SafeCast for uint256;

    /// @inheritdoc IEscrowAccounts
    function depositAddress(address wallet) public view returns (address) {
        return Create2.computeAddress(_salt(wallet), keccak256(type(DepositForwarder).creationCode));
    }

    /// @inheritdoc IEscrowAccounts
    function sweep(address wallet) external nonReentrant whenNotPaused {
        DepositForwarder forwarder = _forwarderOf(wallet);
        uint64 credits = (TOKEN.balanceOf(address(forwarder)) / UNITS_PER_CREDIT).toUint64();
        uint256 balanceBefore = _credit(wallet, address(forwarder), credits);
        forwarder.pass(address(TOKEN), address(this), uint256(credits) * UNITS_PER_CREDIT);
        _requireReceived(balanceBefore, credits);
    }

    /// @inheritdoc IEscrowAccounts
    function recover(address wallet, address token, uint256 amount) external nonReentrant {
        // Others could otherwise send a payment back before it is swept.
        require(
            token != address(TOKEN) || msg.sender == wallet, OnlyTheWalletRecoversPayments(wallet)
        );
        emit Recovered(wallet, token, amount);
        _forwarderOf(wallet).pass(token, wallet, amount);
    }

    function _forwarderOf(address wallet) private returns (DepositForwarder) {
        address at = depositAddress(wallet);
        if (at.code.length != 0) return DepositForwarder(at);
        return new DepositForwarder{ salt: _salt(wallet) }();
    }

    function _salt(address wallet) private pure returns (bytes32) {
        return bytes32(uint256(uint160(wallet)));
    }
}
