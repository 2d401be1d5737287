// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";

import { DisputeItem, IJobEscrow, JobStatus, SkipReason } from "../src/interfaces/IJobEscrow.sol";
import { BaseTest } from "./BaseTest.sol";

contract DisputeBatchTest is BaseTest {
    uint256 private constant CHARGED = 40;

    bytes32 private jobId = _jobId(1);

    function testFuzz_refusesOthersThanTheSettler(address caller) public {
        vm.assume(caller != settler);
        vm.expectRevert(
            abi.encodeWithSelector(
                IAccessControl.AccessControlUnauthorizedAccount.selector,
                caller,
                escrow.SETTLER_ROLE()
            )
        );
        vm.prank(caller);
        escrow.disputeBatch(new DisputeItem[](0));
    }

    function test_skipsJobThatNeverWas() public {
        _expectSkipped(SkipReason.NotSettled);
        _assertStatus(jobId, JobStatus.None);
    }

    function test_skipsLockedJob() public {
        _lock(jobId, alice, 100, MAX);
        _expectSkipped(SkipReason.NotSettled);
        _assertStatus(jobId, JobStatus.Locked);
    }

    function test_skipsRefundedJob() public {
        _lock(jobId, alice, 100, MAX);
        _refund(jobId);
        _expectSkipped(SkipReason.NotSettled);
        _assertStatus(jobId, JobStatus.Refunded);
    }

    function test_skipsDisputedJob() public {
        _settled(jobId, alice);
        _dispute(jobId);
        skip(1);
        _expectSkipped(SkipReason.NotSettled);
        assertEq(escrow.jobs(jobId).since, block.timestamp - 1);
        _assertShares(0, 0, CHARGED * UNITS);
    }

    function testFuzz_skipsResolvedJob(bool upheld) public {
        _settled(jobId, alice);
        _dispute(jobId);
        _resolve(jobId, upheld);
        _expectSkipped(SkipReason.NotSettled);
        _assertStatus(jobId, upheld ? JobStatus.Upheld : JobStatus.Rejected);
        assertEq(escrow.disputedUnits(), 0);
    }

    function testFuzz_skipsAfterTheWindow(uint32 elapsed) public {
        elapsed = uint32(bound(elapsed, DISPUTE + 1, 365 days));
        _settled(jobId, alice);
        skip(elapsed);
        _expectSkipped(SkipReason.DisputeWindowOver);
        _assertStatus(jobId, JobStatus.Settled);
        _assertShares(CHARGED * 7_500, CHARGED * 2_500, 0);
    }

    /// @dev The window counts from the settlement, however long that took.
    function test_windowBeginsWithTheSettlement() public {
        _lock(jobId, alice, 100, MAX);
        skip(3 * DISPUTE);
        _settle(_completion(jobId, 1));
        skip(DISPUTE);
        _dispute(jobId);
        _assertStatus(jobId, JobStatus.Disputed);
    }

    function test_opensTheRestOfABatchWithABadItem() public {
        _settled(jobId, alice);
        _lock(_jobId(3), bob, 2, LITE);
        _settle(_completionBy(otherWorkerKey, otherWorkerId, _jobId(3), 1));
        DisputeItem[] memory items = new DisputeItem[](4);
        items[0] = DisputeItem(jobId, _claimedHash(jobId));
        items[1] = DisputeItem(_jobId(2), _claimedHash(_jobId(2)));
        items[2] = DisputeItem(jobId, _claimedHash(jobId));
        items[3] = DisputeItem(_jobId(3), _claimedHash(_jobId(3)));

        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobDisputed(jobId, alice, workerId, _claimedHash(jobId));
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSkipped(_jobId(2), uint8(SkipReason.NotSettled));
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSkipped(jobId, uint8(SkipReason.NotSettled));
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobDisputed(_jobId(3), bob, otherWorkerId, _claimedHash(_jobId(3)));
        vm.prank(settler);
        escrow.disputeBatch(items);

        _assertShares(0, 0, (CHARGED + 2) * UNITS);
        assertEq(escrow.earnings(otherWorkerId), 0);
    }

    function test_takesAnEmptyBatch() public {
        vm.prank(settler);
        escrow.disputeBatch(new DisputeItem[](0));
    }

    /// @dev What is held is what this very job earned: another job of the same worker keeps its
    /// own, and a stake that came or went since changes nothing.
    function testFuzz_holdsWhatTheJobEarned(bool staked, uint32 outputTokens, uint32 elapsed)
        public
    {
        outputTokens = uint32(bound(outputTokens, 0, 3_000));
        elapsed = uint32(bound(elapsed, 0, DISPUTE));
        _settled(_jobId(2), alice);
        _setStaked(workerId, workerKey, staked);
        _lock(jobId, alice, 100, MAX);
        _settle(_completion(jobId, outputTokens));
        _setStaked(workerId, workerKey, !staked);
        (uint64 availableBefore,,,) = escrow.accounts(alice);
        skip(elapsed);

        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobDisputed(jobId, alice, workerId, _claimedHash(jobId));
        _dispute(jobId);

        uint256 charged = _expectedPrice(40, 20, outputTokens);
        _assertShares(CHARGED * 7_500, CHARGED * 2_500, charged * UNITS);
        _assertAccount(alice, availableBefore, 0);
        _assertStatus(jobId, JobStatus.Disputed);
        assertEq(escrow.jobs(jobId).since, block.timestamp);
        assertEq(escrow.jobs(jobId).credits, charged);
    }

    function _expectSkipped(SkipReason reason) private {
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSkipped(jobId, uint8(reason));
        _dispute(jobId);
    }
}
