// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IWorkerStaking } from "../../src/interfaces/IWorkerStaking.sol";
import { StakingBase } from "./StakingBase.sol";

contract RequestUnstakeTest is StakingBase {
    function test_refusesUnknownWorker() public {
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.UnknownWorker.selector, 3));
        staking.requestUnstake(3, 1);
    }

    /// @dev Whoever staked for a worker gave it away.
    function testFuzz_refusesAnyoneButSignerAndPayee(address sender) public {
        vm.assume(sender != signer && sender != payee);
        _stake(workerId, 1e18);
        _expectRefused(sender);
        _expectRefused(holder);
    }

    function test_refusesNothing() public {
        vm.expectRevert(IWorkerStaking.ZeroAmount.selector);
        _requestUnstake(0);
    }

    function testFuzz_refusesMoreThanIsActive(uint256 staked, uint256 unstaked, uint256 asked)
        public
    {
        staked = bound(staked, 1, SUPPLY);
        unstaked = bound(unstaked, 1, staked);
        asked = bound(asked, staked - unstaked + 1, type(uint256).max);
        _stake(workerId, staked);
        _requestUnstake(unstaked);
        vm.expectRevert(
            abi.encodeWithSelector(
                IWorkerStaking.StakeTooLow.selector, workerId, staked - unstaked, asked
            )
        );
        _requestUnstake(asked);
    }

    function test_refusesWorkerThatLeft() public {
        _stake(workerId, 1e18);
        _deactivate();
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.StakeTooLow.selector, workerId, 0, 1));
        _requestUnstake(1);
    }

    function testFuzz_movesStakeOutOfTheActivePart(uint256 staked, uint256 asked, bool byPayee)
        public
    {
        staked = bound(staked, 1, SUPPLY);
        asked = bound(asked, 1, staked);
        _stake(workerId, staked);
        uint40 withdrawableAt = uint40(block.timestamp) + UNBONDING;
        vm.expectEmit(address(staking));
        emit IWorkerStaking.UnstakeRequested(workerId, asked, staked - asked, asked, withdrawableAt);
        vm.prank(byPayee ? payee : signer);
        staking.requestUnstake(workerId, asked);
        _assertStake(workerId, staked - asked, asked);
        assertEq(staking.workers(workerId).withdrawableAt, withdrawableAt);
        assertEq(token.balanceOf(address(staking)), staked);
    }

    /// @dev One entry: what is not due yet waits for the latest request.
    function testFuzz_mergesWithWhatIsNotDue(uint256 first, uint256 second, uint256 wait) public {
        first = bound(first, 1, SUPPLY - 1);
        second = bound(second, 1, SUPPLY - first);
        _stake(workerId, SUPPLY);
        _requestUnstake(first);
        skip(bound(wait, 0, UNBONDING - 1));
        _requestUnstake(second);
        _assertStake(workerId, SUPPLY - first - second, first + second);
        assertEq(staking.workers(workerId).withdrawableAt, block.timestamp + UNBONDING);
        assertEq(token.balanceOf(payee), 0);
    }

    /// @dev What is due is never held back by a later request.
    function testFuzz_paysWhatIsDue(uint256 first, uint256 second, uint256 wait) public {
        first = bound(first, 1, SUPPLY - 1);
        second = bound(second, 1, SUPPLY - first);
        _stake(workerId, SUPPLY);
        _requestUnstake(first);
        skip(bound(wait, UNBONDING, 365 days));
        vm.expectEmit(address(staking));
        emit IWorkerStaking.Withdrawn(workerId, payee, first);
        _requestUnstake(second);
        _assertStake(workerId, SUPPLY - first - second, second);
        assertEq(token.balanceOf(payee), first);
    }

    function _expectRefused(address sender) private {
        vm.expectRevert(
            abi.encodeWithSelector(IWorkerStaking.NotSignerOrPayee.selector, workerId, sender)
        );
        vm.prank(sender);
        staking.requestUnstake(workerId, 1);
    }
}
