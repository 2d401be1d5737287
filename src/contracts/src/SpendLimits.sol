// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Account, EscrowState } from "./EscrowState.sol";
import { IEscrowAccounts } from "./interfaces/IEscrowAccounts.sol";

/// @notice What a wallet lets a day cost. All of it lives in the word that a lock writes anyway.
abstract contract SpendLimits is EscrowState {
    /// @inheritdoc IEscrowAccounts
    function setSpendLimit(uint32 creditsPerDay) external {
        _accounts[msg.sender].spendLimit = creditsPerDay;
        emit SpendLimitSet(msg.sender, creditsPerDay);
    }

    /// @inheritdoc IEscrowAccounts
    function spendLimit(address wallet) external view returns (uint32 creditsPerDay, uint32 spent) {
        Account storage account = _accounts[wallet];
        return (account.spendLimit, _spentOn(account, _dayOf(block.timestamp)));
    }

    /// @dev Counts also without a limit, so that one set at noon knows of the morning.
    function _spentOn(Account storage account, uint16 day) internal view returns (uint32) {
        return account.spentOn == day ? account.spent : 0;
    }

    function _isOverLimit(Account storage account, uint256 spent) internal view returns (bool) {
        return account.spendLimit != 0 && spent > account.spendLimit;
    }

    function _capped(uint256 spent) internal pure returns (uint32) {
        // casting to 'uint32' is safe because more is cut down to what fits
        // forge-lint: disable-next-line(unsafe-typecast)
        return uint32(spent < type(uint32).max ? spent : type(uint32).max);
    }

    /// @dev What a lock of `day` gives back counts for that day only.
    function _spentLess(Account storage account, uint16 day, uint32 returned)
        internal
        view
        returns (uint32)
    {
        uint32 spent = account.spent;
        if (account.spentOn != day) return spent;
        return returned < spent ? spent - returned : 0;
    }

    function _dayOf(uint256 time) internal pure returns (uint16) {
        // casting to 'uint16' is safe until the year 2149
        // forge-lint: disable-next-line(unsafe-typecast)
        return uint16(time / 1 days);
    }
}
