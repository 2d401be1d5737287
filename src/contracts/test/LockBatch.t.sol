// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";

import { IJobEscrow, Job, JobStatus, LockItem, SkipReason } from "../src/interfaces/IJobEscrow.sol";
import { BaseTest } from "./BaseTest.sol";

contract LockBatchTest is BaseTest {
    bytes32 private jobId = _jobId(1);

    function testFuzz_refusesOthersThanTheLocker(address caller) public {
        vm.assume(caller != locker);
        vm.expectRevert(
            abi.encodeWithSelector(
                IAccessControl.AccessControlUnauthorizedAccount.selector,
                caller,
                escrow.LOCKER_ROLE()
            )
        );
        vm.prank(caller);
        escrow.lockBatch(_lockItem(jobId, alice, 2, LITE));
    }

    function test_skipsZeroCredits() public {
        _expectSkipped(jobId, SkipReason.ZeroCredits);
        _lock(jobId, alice, 0, LITE);
        _assertUntouched();
    }

    function testFuzz_skipsUnknownTier(uint8 tier) public {
        tier = uint8(bound(tier, 4, type(uint8).max));
        _expectSkipped(jobId, SkipReason.UnknownTier);
        _lock(jobId, alice, 2, tier);
        _assertUntouched();
    }

    function testFuzz_skipsMoreThanAvailable(uint32 credits) public {
        credits = uint32(bound(credits, START_CREDITS + 1, type(uint32).max));
        _expectSkipped(jobId, SkipReason.InsufficientCredits);
        _lock(jobId, alice, credits, MAX);
        _assertUntouched();
    }

    function test_skipsWalletThatNeverPaid() public {
        _expectSkipped(jobId, SkipReason.InsufficientCredits);
        _lock(jobId, address(0), 2, LITE);
    }

    function test_skipsLockedJobId() public {
        _lock(jobId, alice, 2, LITE);
        _expectSkipped(jobId, SkipReason.JobIdUsed);
        _lock(jobId, bob, 8, STANDARD);
        _assertAccount(bob, START_CREDITS, 0);
        assertEq(escrow.jobs(jobId).wallet, alice);
    }

    function test_skipsSettledJobId() public {
        _lock(jobId, alice, 2, LITE);
        _settle(_completion(jobId, 1));
        _expectSkipped(jobId, SkipReason.JobIdUsed);
        _lock(jobId, alice, 2, LITE);
        _assertStatus(jobId, JobStatus.Settled);
    }

    function test_skipsRefundedJobId() public {
        _lock(jobId, alice, 2, LITE);
        _refund(jobId);
        _expectSkipped(jobId, SkipReason.JobIdUsed);
        _lock(jobId, alice, 2, LITE);
        _assertStatus(jobId, JobStatus.Refunded);
    }

    function test_locksTheRestOfABatchWithABadItem() public {
        LockItem[] memory items = new LockItem[](4);
        items[0] = LockItem(_jobId(1), alice, 2, LITE);
        items[1] = LockItem(_jobId(2), alice, START_CREDITS, LITE);
        items[2] = LockItem(_jobId(1), bob, 2, LITE);
        items[3] = LockItem(_jobId(3), bob, 8, STANDARD);

        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobLocked(_jobId(1), alice, 2, LITE);
        _expectSkipped(_jobId(2), SkipReason.InsufficientCredits);
        _expectSkipped(_jobId(1), SkipReason.JobIdUsed);
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobLocked(_jobId(3), bob, 8, STANDARD);
        vm.prank(locker);
        escrow.lockBatch(items);

        _assertAccount(alice, START_CREDITS - 2, 2);
        _assertAccount(bob, START_CREDITS - 8, 8);
    }

    function test_takesAnEmptyBatch() public {
        vm.prank(locker);
        escrow.lockBatch(new LockItem[](0));
    }

    function testFuzz_movesCreditsIntoTheLock(bytes32 id, uint32 credits, uint8 tier, uint32 at)
        public
    {
        credits = uint32(bound(credits, 1, START_CREDITS));
        tier = uint8(bound(tier, LITE, MAX));
        vm.warp(at);

        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobLocked(id, alice, credits, tier);
        _lock(id, alice, credits, tier);

        _assertAccount(alice, START_CREDITS - credits, credits);
        _assertSameJob(escrow.jobs(id), Job(alice, credits, tier, JobStatus.Locked, at, 0, false));
    }

    function _expectSkipped(bytes32 id, SkipReason reason) private {
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSkipped(id, uint8(reason));
    }

    function _assertUntouched() private view {
        _assertAccount(alice, START_CREDITS, 0);
        _assertStatus(jobId, JobStatus.None);
    }
}
