// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { IJobEscrow, JobStatus, SkipReason } from "../src/interfaces/IJobEscrow.sol";
import { MoneyBase } from "./MoneyBase.sol";

contract SetSpendLimitTest is MoneyBase {
    function setUp() public override {
        super.setUp();
        // The first second of a day.
        vm.warp(block.timestamp / 1 days * 1 days);
    }

    function test_thereIsNoneAtFirst() public {
        _lock(_jobId(1), alice, START_CREDITS, MAX);
        _assertStatus(_jobId(1), JobStatus.Locked);
        _assertLimit(0, START_CREDITS);
    }

    function testFuzz_setsTheSendersOwn(uint32 limit) public {
        vm.expectEmit(address(escrow));
        emit IEscrowAccounts.SpendLimitSet(alice, limit);
        _set(limit);
        _assertLimit(limit, 0);
        (uint32 bobs,) = escrow.spendLimit(bob);
        assertEq(bobs, 0);
        _assertAccount(alice, START_CREDITS, 0);
    }

    function testFuzz_skipsWhatIsAboveIt(uint32 limit, uint32 first, uint32 second) public {
        limit = uint32(bound(limit, 1, START_CREDITS / 2));
        first = uint32(bound(first, 1, limit));
        second = uint32(bound(second, limit - first + 1, START_CREDITS / 2));
        _set(limit);
        _lock(_jobId(1), alice, first, MAX);
        _assertStatus(_jobId(1), JobStatus.Locked);
        _expectSkipped(_jobId(2), second);
        _assertLimit(limit, first);
        _assertAccount(alice, START_CREDITS - first, first);
        // Another wallet is not concerned.
        _lock(_jobId(3), bob, second, MAX);
        _assertStatus(_jobId(3), JobStatus.Locked);
    }

    function test_countsAnewEachDay() public {
        _set(100);
        _lock(_jobId(1), alice, 100, MAX);
        skip(1 days - 1);
        _expectSkipped(_jobId(2), 1);
        skip(1);
        _assertLimit(100, 0);
        _lock(_jobId(2), alice, 100, MAX);
        _assertStatus(_jobId(2), JobStatus.Locked);
    }

    /// @dev A limit counts what answers cost, not what was set aside for them.
    function test_givesBackWhatAJobDoesNotCost() public {
        _set(100);
        _lock(_jobId(1), alice, 100, MAX);
        _settle(_completion(_jobId(1), 1));
        _assertLimit(100, 40);
        _lock(_jobId(2), alice, 60, MAX);
        _assertLimit(100, 100);
        _refund(_jobId(2));
        _assertLimit(100, 40);
        _lock(_jobId(3), alice, 60, MAX);
        skip(EXPIRY);
        escrow.refundExpired(_jobId(3));
        _assertLimit(100, 40);
    }

    /// @dev What a lock of yesterday gives back was not taken from today.
    function test_givesNothingBackToAnotherDay() public {
        _set(100);
        skip(1 days - 10);
        _lock(_jobId(1), alice, 100, MAX);
        skip(20);
        _lock(_jobId(2), alice, 50, MAX);
        _settle(_completion(_jobId(1), 1));
        _assertLimit(100, 50);
        _settle(_completion(_jobId(2), 1));
        _assertLimit(100, 40);
    }

    function test_givesNoRefundBackToAnotherDay() public {
        skip(1 days - 10);
        _lock(_jobId(1), alice, 100, MAX);
        _lock(_jobId(2), alice, 100, MAX);
        skip(EXPIRY);
        _set(100);
        _lock(_jobId(3), alice, 50, MAX);
        _refund(_jobId(1));
        escrow.refundExpired(_jobId(2));
        _assertLimit(100, 50);
    }

    /// @dev Also where nothing was locked since midnight.
    function test_givesNothingBackToADayWithoutLocks() public {
        _set(100);
        skip(1 days - 10);
        _lock(_jobId(1), alice, 100, MAX);
        skip(20);
        _settle(_completion(_jobId(1), 1));
        _assertLimit(100, 0);
    }

    function test_countsWhatWasSpentBeforeItWasSet() public {
        _lock(_jobId(1), alice, 80, MAX);
        _set(100);
        _expectSkipped(_jobId(2), 21);
        _lock(_jobId(3), alice, 20, MAX);
        _assertLimit(100, 100);
    }

    function test_canBeTakenAway() public {
        _set(1);
        _expectSkipped(_jobId(1), 2);
        _set(0);
        _lock(_jobId(1), alice, START_CREDITS, MAX);
        _assertStatus(_jobId(1), JobStatus.Locked);
    }

    /// @dev More in a day than the counter holds: it stays at its end, and giving back is safe.
    function test_countsNoFurtherThanItCan() public {
        uint32 most = type(uint32).max;
        _fund(alice, 3 * uint64(most));
        _lock(_jobId(1), alice, most, MAX);
        _lock(_jobId(2), alice, most, MAX);
        _assertLimit(0, most);
        _set(most);
        _expectSkipped(_jobId(3), 1);
        _refund(_jobId(1));
        _refund(_jobId(2));
        _assertLimit(most, 0);
    }

    /// @dev It is about jobs: the money can always leave.
    function test_holdsNoWithdrawalBack() public {
        _set(1);
        vm.prank(alice);
        escrow.requestWithdrawal(START_CREDITS);
        skip(THAW);
        vm.prank(alice);
        escrow.completeWithdrawal(alice);
        assertEq(token.balanceOf(alice), START_CREDITS * UNITS);
    }

    function _set(uint32 limit) private {
        vm.prank(alice);
        escrow.setSpendLimit(limit);
    }

    function _expectSkipped(bytes32 jobId, uint32 credits) private {
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSkipped(jobId, uint8(SkipReason.SpendLimitReached));
        _lock(jobId, alice, credits, MAX);
        _assertStatus(jobId, JobStatus.None);
    }

    function _assertLimit(uint32 limit, uint32 spent) private view {
        (uint32 actualLimit, uint32 actualSpent) = escrow.spendLimit(alice);
        assertEq(actualLimit, limit, "limit");
        assertEq(actualSpent, spent, "spent");
    }
}
