// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IJobEscrow, JobStatus } from "../src/interfaces/IJobEscrow.sol";
import { BaseTest } from "./BaseTest.sol";

contract OpenDisputeTest is BaseTest {
    bytes32 private jobId = _jobId(1);

    function test_refusesJobThatNeverWas() public {
        _expectNotSettled();
    }

    function test_refusesLockedJob() public {
        _lock(jobId, alice, 100, MAX);
        _expectNotSettled();
    }

    function test_refusesRefundedJob() public {
        _lock(jobId, alice, 100, MAX);
        _refund(jobId);
        _expectNotSettled();
    }

    function test_refusesASecondDispute() public {
        _settled(jobId, alice);
        _dispute(jobId);
        _expectNotSettled();
    }

    function testFuzz_refusesResolvedJob(bool upheld) public {
        _settled(jobId, alice);
        _dispute(jobId);
        _resolve(jobId, upheld);
        _expectNotSettled();
    }

    function testFuzz_refusesOthersThanTheWallet(address caller) public {
        vm.assume(caller != alice);
        _settled(jobId, alice);
        vm.expectRevert(abi.encodeWithSelector(IJobEscrow.NotWalletOfJob.selector, jobId, caller));
        _open(caller);
    }

    function testFuzz_refusesAfterTheWindow(uint32 elapsed) public {
        elapsed = uint32(bound(elapsed, DISPUTE + 1, 365 days));
        _settled(jobId, alice);
        uint256 closedAt = block.timestamp + DISPUTE;
        skip(elapsed);
        vm.expectRevert(
            abi.encodeWithSelector(IJobEscrow.DisputeWindowOver.selector, jobId, closedAt)
        );
        _open(alice);
    }

    /// @dev No role is needed, so no operator either.
    function testFuzz_opensWithinTheWindow(uint32 elapsed, bytes32 claimedHash) public {
        elapsed = uint32(bound(elapsed, 0, DISPUTE));
        _settled(jobId, alice);
        skip(elapsed);

        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobDisputed(jobId, alice, workerId, claimedHash);
        vm.prank(alice);
        escrow.openDispute(jobId, claimedHash);

        _assertStatus(jobId, JobStatus.Disputed);
        _assertShares(0, 0, 40 * UNITS);
        _assertAccount(alice, START_CREDITS - 40, 0);
    }

    function _open(address caller) private {
        vm.prank(caller);
        escrow.openDispute(jobId, _claimedHash(jobId));
    }

    function _expectNotSettled() private {
        vm.expectRevert(abi.encodeWithSelector(IJobEscrow.JobNotSettled.selector, jobId));
        _open(alice);
    }
}
