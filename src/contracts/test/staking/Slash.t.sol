// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

import { IWorkerStaking, SlashReason } from "../../src/interfaces/IWorkerStaking.sol";
import { StakingBase } from "./StakingBase.sol";

contract SlashTest is StakingBase {
    bytes32 private constant JOB = "job_1";

    function testFuzz_refusesAnyoneWithoutTheRole(address sender) public {
        vm.assume(sender != escrow);
        bytes32 role = staking.SLASHER_ROLE();
        vm.expectRevert(
            abi.encodeWithSelector(
                IAccessControl.AccessControlUnauthorizedAccount.selector, sender, role
            )
        );
        vm.prank(sender);
        staking.slash(workerId, JOB, SlashReason.FraudulentProof);
    }

    function testFuzz_changesNothingForUnknownWorkers(uint32 id) public {
        vm.assume(id != workerId && id != otherWorkerId);
        vm.recordLogs();
        assertEq(_slash(id, JOB), 0);
        assertEq(vm.getRecordedLogs().length, 0);
        assertFalse(staking.punished(id, JOB));
    }

    function test_changesNothingTheSecondTime() public {
        _stake(workerId, 1_000);
        assertEq(_slash(workerId, JOB), 100);
        vm.recordLogs();
        assertEq(_slash(workerId, JOB), 0);
        assertEq(vm.getRecordedLogs().length, 0);
        _assertStake(workerId, 900, 0);
    }

    function test_countsJobsAndWorkersApart() public {
        _stake(workerId, 1_000);
        _stake(otherWorkerId, 1_000);
        _slash(workerId, JOB);
        assertEq(_slash(workerId, "job_2"), 90);
        assertEq(_slash(otherWorkerId, JOB), 100);
        assertTrue(staking.punished(workerId, JOB));
        assertTrue(staking.punished(workerId, "job_2"));
        assertFalse(staking.punished(otherWorkerId, "job_2"));
    }

    /// @dev A verdict must not wait for stake.
    function test_takesNothingWhereNothingIs() public {
        vm.expectEmit(address(staking));
        emit IWorkerStaking.WorkerSlashed(workerId, signer, 0, SlashReason.FraudulentProof, JOB);
        assertEq(_slash(workerId, JOB), 0);
        assertTrue(staking.punished(workerId, JOB));
    }

    function testFuzz_takesActiveFirst(uint256 staked, uint256 unstaked) public {
        staked = bound(staked, 1, SUPPLY);
        unstaked = bound(unstaked, 0, staked);
        _stake(workerId, staked);
        if (unstaked != 0) _requestUnstake(unstaked);
        uint256 penalty = _penalty(staked);

        vm.expectEmit(address(staking));
        emit IWorkerStaking.WorkerSlashed(
            workerId, signer, penalty, SlashReason.FraudulentProof, JOB
        );
        vm.expectEmit(address(token));
        emit IERC20.Transfer(address(staking), address(0), penalty);
        assertEq(_slash(workerId, JOB), penalty);

        uint256 active = staked - unstaked;
        uint256 fromActive = penalty < active ? penalty : active;
        _assertStake(workerId, active - fromActive, unstaked - (penalty - fromActive));
        assertEq(token.totalSupply(), SUPPLY - penalty, "burnt");
        assertEq(token.balanceOf(address(staking)), staked - penalty);
    }

    function test_smallestStakeLosesSome() public {
        _stake(workerId, 1);
        assertEq(_slash(workerId, JOB), 1);
        _assertStake(workerId, 0, 0);
    }

    function testFuzz_reachesAWorkerThatLeft(uint256 staked) public {
        // A single unit would be taken whole.
        staked = bound(staked, 2, SUPPLY);
        _stake(workerId, staked);
        _deactivate();
        assertEq(_slash(workerId, JOB), _penalty(staked));
        _assertStake(workerId, 0, staked - _penalty(staked));
        skip(UNBONDING);
        staking.withdraw(workerId);
        assertEq(token.balanceOf(payee), staked - _penalty(staked));
    }

    /// @dev Until it has left, also when it could.
    function test_reachesStakeThatIsDue() public {
        _stake(workerId, 1_000);
        _requestUnstake(1_000);
        skip(UNBONDING);
        assertEq(_slash(workerId, JOB), 100);
        staking.withdraw(workerId);
        assertEq(token.balanceOf(payee), 900);
        assertEq(_slash(workerId, "job_2"), 0);
    }
}
