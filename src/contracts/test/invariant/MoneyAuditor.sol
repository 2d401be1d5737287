// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Pausable } from "@openzeppelin/contracts/utils/Pausable.sol";
import { Vm } from "forge-std/Vm.sol";

import { IEscrowAccounts } from "../../src/interfaces/IEscrowAccounts.sol";
import { IEscrowEarnings } from "../../src/interfaces/IEscrowEarnings.sol";
import { IJobEscrow } from "../../src/interfaces/IJobEscrow.sol";

/// @notice The part of the auditor that follows money in, money out, and the limits on both.
abstract contract MoneyAuditor {
    /// @dev Credits. All but the first three only grow.
    struct ExpectedAccount {
        uint256 available;
        uint256 locked;
        uint256 thawing;
        uint256 deposited;
        uint256 withdrawn;
        /// @dev Less what disputes have returned.
        uint256 charged;
    }

    uint256 internal constant UNITS = 10_000;
    uint256 internal constant THAW = 5 minutes;

    mapping(address => ExpectedAccount) public accounts;
    mapping(address => uint256) public thawEndsAt;
    mapping(uint256 => uint256) public earnings;
    uint256 public treasuryUnits;
    uint256 public disputedUnits;
    /// @dev Units that have left for workers and treasury.
    uint256 public claimedUnits;
    bool public paused;

    mapping(address => uint256) public spendLimit;
    mapping(address => mapping(uint256 day => uint256)) public spent;
    uint256 public settleCap;
    mapping(uint256 hour => uint256) public chargedIn;

    uint256 public depositCount;
    uint256 public withdrawalCount;
    uint256 public thawedCount;
    uint256 public cancelledCount;
    uint256 public claimCount;

    /// @return whether it was of this kind
    function _takeMoney(Vm.Log calldata log) internal returns (bool) {
        bytes32 kind = log.topics[0];
        if (kind == IEscrowAccounts.Deposited.selector) _deposited(log);
        else if (kind == IEscrowAccounts.Withdrawn.selector) _withdrawn(log);
        else if (kind == IEscrowAccounts.WithdrawalRequested.selector) _requested(log);
        else if (kind == IEscrowAccounts.WithdrawalCancelled.selector) _cancelled(log);
        else if (kind == IEscrowAccounts.WithdrawalCompleted.selector) _completed(log);
        else if (kind == IEscrowEarnings.EarningsClaimed.selector) _claimed(log);
        else if (kind == IEscrowEarnings.TreasuryClaimed.selector) _treasuryClaimed(log);
        else if (kind == IEscrowAccounts.SpendLimitSet.selector) _limited(log);
        else if (kind == IJobEscrow.SettleCapSet.selector) _capped(log);
        else if (kind == Pausable.Paused.selector) paused = true;
        else if (kind == Pausable.Unpaused.selector) paused = false;
        else return kind == IEscrowAccounts.Recovered.selector;
        return true;
    }

    function _deposited(Vm.Log calldata log) private {
        uint64 credits = abi.decode(log.data, (uint64));
        require(credits >= 100, "deposit below the minimum");
        require(!paused, "deposit while paused");
        ExpectedAccount storage account = accounts[_address(log.topics[1])];
        account.available += credits;
        account.deposited += credits;
        ++depositCount;
    }

    /// @dev Underflow in what follows means that more has left than there was.
    function _withdrawn(Vm.Log calldata log) private {
        uint64 credits = abi.decode(log.data, (uint64));
        ExpectedAccount storage account = accounts[_address(log.topics[1])];
        account.available -= credits;
        account.withdrawn += credits;
        ++withdrawalCount;
    }

    function _requested(Vm.Log calldata log) private {
        (uint64 credits, uint40 endsAt) = abi.decode(log.data, (uint64, uint40));
        address wallet = _address(log.topics[1]);
        // forge-lint: disable-next-line(block-timestamp)
        require(endsAt == block.timestamp + THAW, "thaws for another time");
        accounts[wallet].available -= credits;
        accounts[wallet].thawing += credits;
        thawEndsAt[wallet] = endsAt;
    }

    function _cancelled(Vm.Log calldata log) private {
        uint64 credits = abi.decode(log.data, (uint64));
        ExpectedAccount storage account = accounts[_address(log.topics[1])];
        require(credits == account.thawing, "not all was cancelled");
        account.thawing = 0;
        account.available += credits;
        ++cancelledCount;
    }

    function _completed(Vm.Log calldata log) private {
        uint64 credits = abi.decode(log.data, (uint64));
        address wallet = _address(log.topics[1]);
        // forge-lint: disable-next-line(block-timestamp)
        require(block.timestamp >= thawEndsAt[wallet], "paid before it had thawed");
        require(credits == accounts[wallet].thawing, "not all that thawed was paid");
        accounts[wallet].thawing = 0;
        accounts[wallet].withdrawn += credits;
        ++thawedCount;
    }

    function _claimed(Vm.Log calldata log) private {
        uint256 units = abi.decode(log.data, (uint256));
        uint256 workerId = uint256(log.topics[1]);
        earnings[workerId] -= units;
        claimedUnits += units;
        ++claimCount;
        (uint256 contestable,) = _contestable(workerId);
        require(earnings[workerId] >= contestable, "paid what can still be disputed");
    }

    function _treasuryClaimed(Vm.Log calldata log) private {
        uint256 units = abi.decode(log.data, (uint256));
        treasuryUnits -= units;
        claimedUnits += units;
        ++claimCount;
        (, uint256 contestable) = _contestable(0);
        require(treasuryUnits >= contestable, "paid what can still be disputed");
    }

    /// @dev What jobs that can be disputed now have earned: `workerId`, and the treasury by all.
    function _contestable(uint256 workerId) internal view virtual returns (uint256, uint256);

    /* LIMITS */

    function _limited(Vm.Log calldata log) private {
        spendLimit[_address(log.topics[1])] = abi.decode(log.data, (uint32));
    }

    function _capped(Vm.Log calldata log) private {
        settleCap = abi.decode(log.data, (uint64));
    }

    function _countLocked(address wallet, uint256 credits) internal {
        require(!paused, "lock while paused");
        uint256 today = block.timestamp / 1 days;
        spent[wallet][today] += credits;
        uint256 limit = spendLimit[wallet];
        require(limit == 0 || spent[wallet][today] <= limit, "locked above the wallet's limit");
    }

    /// @dev What a lock of an earlier day gives back is no concern of today.
    function _countReturned(address wallet, uint256 lockedAt, uint256 credits) internal {
        spent[wallet][lockedAt / 1 days] -= credits;
    }

    function _countCharged(uint256 credits) internal {
        uint256 hour = block.timestamp / 1 hours;
        chargedIn[hour] += credits;
        require(chargedIn[hour] <= settleCap, "charged above the cap of the hour");
    }

    function _address(bytes32 topic) internal pure returns (address) {
        return address(uint160(uint256(topic)));
    }
}
