// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IJobEscrow, JobStatus } from "../src/interfaces/IJobEscrow.sol";
import { BaseTest } from "./BaseTest.sol";

contract RefundExpiredTest is BaseTest {
    bytes32 private jobId = _jobId(1);

    function test_refusesJobThatWasNeverLocked() public {
        _expectNotLocked();
    }

    function test_refusesSettledJob() public {
        _lock(jobId, alice, 40, MAX);
        _settle(_completion(jobId, 1));
        skip(EXPIRY);
        _expectNotLocked();
    }

    function test_refusesRefundedJob() public {
        _lock(jobId, alice, 40, MAX);
        skip(EXPIRY);
        escrow.refundExpired(jobId);
        _expectNotLocked();
    }

    function testFuzz_refusesBeforeExpiry(uint256 elapsed) public {
        elapsed = bound(elapsed, 0, EXPIRY - 1);
        uint256 expiresAt = block.timestamp + EXPIRY;
        _lock(jobId, alice, 40, MAX);
        skip(elapsed);
        vm.expectRevert(abi.encodeWithSelector(IJobEscrow.JobNotExpired.selector, jobId, expiresAt));
        escrow.refundExpired(jobId);
    }

    function testFuzz_returnsTheLockToAnyonesCall(address caller, uint32 credits, uint32 elapsed)
        public
    {
        credits = uint32(bound(credits, 1, START_CREDITS));
        elapsed = uint32(bound(elapsed, EXPIRY, type(uint32).max));
        _lock(jobId, alice, credits, MAX);
        skip(elapsed);

        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobRefunded(jobId, alice, credits);
        vm.prank(caller);
        escrow.refundExpired(jobId);

        _assertAccount(alice, START_CREDITS, 0);
        _assertStatus(jobId, JobStatus.Refunded);
    }

    /// @dev A settlement that comes late still counts while nobody took the lock back.
    function test_settlesAfterExpiryWhileLocked() public {
        _lock(jobId, alice, 40, MAX);
        skip(EXPIRY + 1);
        _settle(_completion(jobId, 1));
        _assertStatus(jobId, JobStatus.Settled);
    }

    function _expectNotLocked() private {
        vm.expectRevert(abi.encodeWithSelector(IJobEscrow.JobNotLocked.selector, jobId));
        escrow.refundExpired(jobId);
    }
}
