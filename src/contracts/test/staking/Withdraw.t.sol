// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IWorkerStaking } from "../../src/interfaces/IWorkerStaking.sol";
import { StakingBase } from "./StakingBase.sol";

contract WithdrawTest is StakingBase {
    function test_refusesUnknownWorker() public {
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.UnknownWorker.selector, 3));
        staking.withdraw(3);
    }

    function test_refusesWhereNothingLeaves() public {
        _stake(workerId, 1e18);
        _expectNothing();
        _requestUnstake(1e18);
        skip(UNBONDING);
        staking.withdraw(workerId);
        _expectNothing();
    }

    function testFuzz_refusesBeforeItsTime(uint256 wait) public {
        _stake(workerId, 1e18);
        _requestUnstake(1e18);
        uint256 withdrawableAt = block.timestamp + UNBONDING;
        skip(bound(wait, 0, UNBONDING - 1));
        vm.expectRevert(
            abi.encodeWithSelector(IWorkerStaking.StillUnbonding.selector, workerId, withdrawableAt)
        );
        staking.withdraw(workerId);
    }

    function testFuzz_paysThePayeeForAnySender(
        uint256 staked,
        uint256 asked,
        uint256 wait,
        address sender
    ) public {
        staked = bound(staked, 1, SUPPLY);
        asked = bound(asked, 1, staked);
        _stake(workerId, staked);
        _requestUnstake(asked);
        skip(bound(wait, UNBONDING, 3_650 days));
        vm.expectEmit(address(staking));
        emit IWorkerStaking.Withdrawn(workerId, payee, asked);
        vm.prank(sender);
        staking.withdraw(workerId);
        assertEq(token.balanceOf(payee), asked);
        _assertStake(workerId, staked - asked, 0);
    }

    function test_paysThePayeeOfThatTime() public {
        address next = makeAddr("next payee");
        _stake(workerId, 1e18);
        _requestUnstake(1e18);
        vm.prank(signer);
        staking.setPayee(workerId, next);
        skip(UNBONDING);
        staking.withdraw(workerId);
        assertEq(token.balanceOf(next), 1e18);
    }

    function test_leavesOtherWorkersAlone() public {
        _stake(workerId, 1e18);
        _stake(otherWorkerId, 2e18);
        _requestUnstake(1e18);
        skip(UNBONDING);
        staking.withdraw(workerId);
        _assertStake(otherWorkerId, 2e18, 0);
        assertEq(token.balanceOf(address(staking)), 2e18);
    }

    function _expectNothing() private {
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.NothingUnbonding.selector, workerId));
        staking.withdraw(workerId);
    }
}
