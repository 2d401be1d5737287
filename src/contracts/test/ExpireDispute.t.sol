// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IJobEscrow, JobStatus } from "../src/interfaces/IJobEscrow.sol";
import { BaseTest } from "./BaseTest.sol";

contract ExpireDisputeTest is BaseTest {
    bytes32 private jobId = _jobId(1);

    function test_refusesJobThatIsNotDisputed() public {
        _expectNotDisputed();
        _settled(jobId, alice);
        skip(ARBITRATION);
        _expectNotDisputed();
    }

    function test_refusesResolvedJob() public {
        _settled(jobId, alice);
        _dispute(jobId);
        _resolve(jobId, true);
        skip(ARBITRATION);
        _expectNotDisputed();
        _assertStatus(jobId, JobStatus.Upheld);
    }

    function test_refusesASecondTime() public {
        _settled(jobId, alice);
        _dispute(jobId);
        skip(ARBITRATION);
        escrow.expireDispute(jobId);
        _expectNotDisputed();
        vm.expectRevert(abi.encodeWithSelector(IJobEscrow.JobNotDisputed.selector, jobId));
        _resolve(jobId, true);
    }

    /// @dev The window counts from the opening, not from the settlement.
    function testFuzz_refusesBeforeTheWindowIsOver(uint256 elapsed) public {
        elapsed = bound(elapsed, 0, ARBITRATION - 1);
        _settled(jobId, alice);
        skip(DISPUTE);
        _dispute(jobId);
        uint256 endsAt = block.timestamp + ARBITRATION;
        skip(elapsed);
        vm.expectRevert(
            abi.encodeWithSelector(IJobEscrow.ArbitrationNotOver.selector, jobId, endsAt)
        );
        escrow.expireDispute(jobId);
    }

    function testFuzz_restoresTheSharesAtAnyonesCall(address caller, bool staked, uint32 elapsed)
        public
    {
        elapsed = uint32(bound(elapsed, ARBITRATION, 365 days));
        _setStaked(workerId, workerKey, staked);
        _settled(jobId, alice);
        _dispute(jobId);
        _setStaked(workerId, workerKey, !staked);
        skip(elapsed);

        vm.expectEmit(address(escrow));
        emit IJobEscrow.DisputeResolved(jobId, alice, workerId, false, 0);
        vm.prank(caller);
        escrow.expireDispute(jobId);

        uint256 bps = staked ? 8_500 : 7_500;
        _assertShares(40 * bps, 40 * (10_000 - bps), 0);
        _assertAccount(alice, START_CREDITS - 40, 0);
        _assertStatus(jobId, JobStatus.Rejected);
    }

    function _expectNotDisputed() private {
        vm.expectRevert(abi.encodeWithSelector(IJobEscrow.JobNotDisputed.selector, jobId));
        escrow.expireDispute(jobId);
    }
}
