// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";
import { SafeCast } from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import { IJobEscrow, JobStatus } from "../src/interfaces/IJobEscrow.sol";
import { BaseTest } from "./BaseTest.sol";

contract ResolveDisputeTest is BaseTest {
    using SafeCast for uint256;

    bytes32 private jobId = _jobId(1);

    function testFuzz_refusesOthersThanTheArbiter(address caller, bool upheld) public {
        vm.assume(caller != arbiter);
        _expectUnauthorized(caller, upheld);
    }

    /// @dev Who opens disputes and who runs the service may not decide them.
    function test_refusesTheOtherRoles() public {
        _settled(jobId, alice);
        _dispute(jobId);
        _expectUnauthorized(settler, false);
        _expectUnauthorized(locker, false);
        _expectUnauthorized(admin, false);
        _expectUnauthorized(alice, true);
        _assertStatus(jobId, JobStatus.Disputed);
    }

    function testFuzz_refusesJobThatIsNotDisputed(bool upheld) public {
        _expectNotDisputed(upheld);
        _lock(jobId, alice, 100, MAX);
        _expectNotDisputed(upheld);
        _settle(_completion(jobId, 1));
        _expectNotDisputed(upheld);

        _lock(_jobId(2), alice, 100, MAX);
        _refund(_jobId(2));
        jobId = _jobId(2);
        _expectNotDisputed(upheld);
    }

    function testFuzz_refusesASecondWord(bool first, bool second) public {
        _settled(jobId, alice);
        _dispute(jobId);
        _resolve(jobId, first);
        _expectNotDisputed(second);
        vm.expectRevert(abi.encodeWithSelector(IJobEscrow.JobNotDisputed.selector, jobId));
        escrow.expireDispute(jobId);
    }

    function testFuzz_upheldReturnsTheWholeCharge(bool staked, uint32 outputTokens, uint32 elapsed)
        public
    {
        outputTokens = uint32(bound(outputTokens, 0, 3_000));
        _settled(_jobId(2), bob);
        uint256 charged = _disputed(staked, outputTokens);
        _assertAccount(alice, (START_CREDITS - charged).toUint64(), 0);
        // Late, too: it has not expired as long as nobody has said so.
        skip(elapsed % (2 * ARBITRATION));

        vm.expectEmit(address(escrow));
        emit IJobEscrow.DisputeResolved(jobId, alice, workerId, true, charged.toUint32());
        _resolve(jobId, true);

        _assertAccount(alice, START_CREDITS, 0);
        _assertShares(40 * 7_500, 40 * 2_500, 0);
        _assertStatus(jobId, JobStatus.Upheld);
        assertEq(escrow.jobs(jobId).since, block.timestamp);
    }

    function testFuzz_rejectedRestoresTheShares(bool staked, uint32 outputTokens, uint32 elapsed)
        public
    {
        outputTokens = uint32(bound(outputTokens, 0, 3_000));
        _settled(_jobId(2), bob);
        uint256 charged = _disputed(staked, outputTokens);
        skip(elapsed % (2 * ARBITRATION));

        vm.expectEmit(address(escrow));
        emit IJobEscrow.DisputeResolved(jobId, alice, workerId, false, 0);
        _resolve(jobId, false);

        uint256 bps = staked ? 8_500 : 7_500;
        _assertAccount(alice, (START_CREDITS - charged).toUint64(), 0);
        _assertShares(40 * 7_500 + charged * bps, 40 * 2_500 + charged * (10_000 - bps), 0);
        _assertStatus(jobId, JobStatus.Rejected);
    }

    /// @dev Credits that came back are credits like any other.
    function test_returnedCreditsCanBeSpent() public {
        _settled(jobId, alice);
        _dispute(jobId);
        _resolve(jobId, true);
        _lock(_jobId(2), alice, START_CREDITS, MAX);
        _assertAccount(alice, 0, START_CREDITS);
    }

    /// @dev Settled and disputed with one stake, resolved with another.
    function _disputed(bool staked, uint32 outputTokens) private returns (uint256 charged) {
        _lock(jobId, alice, 100, MAX);
        _setStaked(workerId, workerKey, staked);
        _settle(_completion(jobId, outputTokens));
        _dispute(jobId);
        _setStaked(workerId, workerKey, !staked);
        return _expectedPrice(40, 20, outputTokens);
    }

    function _expectUnauthorized(address caller, bool upheld) private {
        bytes32 role = escrow.ARBITER_ROLE();
        vm.expectRevert(
            abi.encodeWithSelector(
                IAccessControl.AccessControlUnauthorizedAccount.selector, caller, role
            )
        );
        vm.prank(caller);
        escrow.resolveDispute(jobId, upheld);
    }

    function _expectNotDisputed(bool upheld) private {
        vm.expectRevert(abi.encodeWithSelector(IJobEscrow.JobNotDisputed.selector, jobId));
        _resolve(jobId, upheld);
    }
}
