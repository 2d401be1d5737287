// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";
import { SafeCast } from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import { IJobEscrow, Job, JobStatus, SkipReason } from "../src/interfaces/IJobEscrow.sol";
import { BaseTest } from "./BaseTest.sol";

contract RefundBatchTest is BaseTest {
    using SafeCast for uint256;

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
        escrow.refundBatch(new bytes32[](0));
    }

    function test_skipsJobThatWasNeverLocked() public {
        _expectSkipped();
        _refund(jobId);
        _assertStatus(jobId, JobStatus.None);
    }

    function test_skipsSettledJob() public {
        _lock(jobId, alice, 40, MAX);
        _settle(_completion(jobId, 1));
        _expectSkipped();
        _refund(jobId);
        _assertStatus(jobId, JobStatus.Settled);
        _assertAccount(alice, START_CREDITS - 40, 0);
    }

    function test_skipsRefundedJob() public {
        _lock(jobId, alice, 40, MAX);
        _refund(jobId);
        _expectSkipped();
        _refund(jobId);
        _assertAccount(alice, START_CREDITS, 0);
    }

    function testFuzz_returnsTheWholeLock(uint32 credits, uint32 otherCredits) public {
        credits = uint32(bound(credits, 1, START_CREDITS));
        otherCredits = uint32(bound(otherCredits, 1, START_CREDITS));
        _lock(_jobId(1), alice, credits, LITE);
        _lock(_jobId(2), bob, otherCredits, PRO);
        bytes32[] memory jobIds = new bytes32[](4);
        (jobIds[0], jobIds[1], jobIds[2], jobIds[3]) = (_jobId(1), _jobId(1), _jobId(3), _jobId(2));

        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobRefunded(_jobId(1), alice, credits);
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSkipped(_jobId(1), uint8(SkipReason.NotLocked));
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSkipped(_jobId(3), uint8(SkipReason.NotLocked));
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobRefunded(_jobId(2), bob, otherCredits);
        vm.prank(settler);
        escrow.refundBatch(jobIds);

        _assertAccount(alice, START_CREDITS, 0);
        _assertAccount(bob, START_CREDITS, 0);
        _assertSameJob(
            escrow.jobs(_jobId(1)),
            Job(alice, credits, LITE, JobStatus.Refunded, block.timestamp.toUint32(), 0, false)
        );
    }

    function _expectSkipped() private {
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSkipped(jobId, uint8(SkipReason.NotLocked));
    }
}
