// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { JobStatus, SettleItem } from "../../src/interfaces/IJobEscrow.sol";
import { SignedCompletion, SlashReason } from "../../src/interfaces/IWorkerStaking.sol";
import { BaseTest } from "../BaseTest.sol";

/// @notice What an escrow makes of a worker's stake, and staking of an escrow's completions.
contract StakingWithEscrowTest is BaseTest {
    uint256 private constant CHARGE = 40 * UNITS;

    function test_shareChangesFromThenOn() public {
        _settled(_jobId(1), alice);
        uint256 unstaked = CHARGE * 7_500 / 10_000;
        assertEq(escrow.earnings(workerId), unstaked);

        _stake(MINIMUM_STAKE);
        assertEq(escrow.earnings(workerId), unstaked, "what was earned before stays");
        _settled(_jobId(2), alice);
        uint256 staked = CHARGE * 8_500 / 10_000;
        assertEq(escrow.earnings(workerId), unstaked + staked);

        vm.prank(payee);
        staking.requestUnstake(workerId, 1);
        _settled(_jobId(3), alice);
        assertEq(escrow.earnings(workerId), 2 * unstaked + staked);
    }

    function test_completionThatSettledConvicts() public {
        _stake(MINIMUM_STAKE);
        bytes32 jobId = _jobId(1);
        _lock(jobId, alice, 100, MAX);
        SettleItem memory settled = _completion(jobId, 1);
        _settle(settled);
        _assertStatus(jobId, JobStatus.Settled);

        SettleItem memory other = _completion(jobId, 2);
        assertEq(
            staking.slashEquivocation(workerId, jobId, _signed(settled), _signed(other)),
            MINIMUM_STAKE / 10
        );
        _settled(_jobId(2), alice);
        assertEq(escrow.earnings(workerId), CHARGE * (8_500 + 7_500) / 10_000, "boost lost");
    }

    function test_escrowMaySlash() public {
        _stake(MINIMUM_STAKE);
        vm.prank(address(escrow));
        assertEq(
            staking.slash(workerId, _jobId(1), SlashReason.FraudulentProof), MINIMUM_STAKE / 10
        );
    }

    function test_workerThatLeftSettlesNothingMore() public {
        bytes32 jobId = _jobId(1);
        _lock(jobId, alice, 100, MAX);
        vm.prank(vm.addr(workerKey));
        staking.deactivate(workerId);
        _settle(_completion(jobId, 1));
        _assertStatus(jobId, JobStatus.Locked);
    }

    function _stake(uint256 amount) private {
        vm.startPrank(staker);
        compute.approve(address(staking), amount);
        staking.stake(workerId, amount);
        vm.stopPrank();
    }

    function _signed(SettleItem memory item) private pure returns (SignedCompletion memory) {
        return
            SignedCompletion(item.outputHash, item.outputTokens, item.completedAt, item.r, item.vs);
    }
}
