// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC20Errors } from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {
    ReentrancyGuardTransient
} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import { SafeCast } from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import { RCompute } from "../../src/RCompute.sol";
import { WorkerStaking } from "../../src/WorkerStaking.sol";
import {
    IWorkerStaking,
    SignedCompletion,
    SlashReason
} from "../../src/interfaces/IWorkerStaking.sol";
import { StakingBase } from "./StakingBase.sol";
import { CallingToken, FeeToken, LyingToken } from "./TokenDoubles.sol";

contract StakeTest is StakingBase {
    function test_refusesUnknownWorker() public {
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.UnknownWorker.selector, 3));
        staking.stake(3, 1);
    }

    function test_refusesWorkerThatLeft() public {
        _deactivate();
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.Deactivated.selector, workerId));
        staking.stake(workerId, 1);
    }

    function test_refusesNothing() public {
        vm.expectRevert(IWorkerStaking.ZeroAmount.selector);
        staking.stake(workerId, 0);
    }

    function test_refusesWithoutApproval() public {
        vm.expectRevert(
            abi.encodeWithSelector(
                IERC20Errors.ERC20InsufficientAllowance.selector, address(staking), 0, 1
            )
        );
        vm.prank(holder);
        staking.stake(workerId, 1);
    }

    function test_refusesWithoutTokens() public {
        vm.startPrank(stranger);
        token.approve(address(staking), 1);
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, stranger, 0, 1)
        );
        staking.stake(workerId, 1);
    }

    function test_refusesTokenThatOnlySaysItPaid() public {
        LyingToken lying = new LyingToken();
        lying.mint(holder, SUPPLY);
        _useToken(address(lying));
        vm.expectRevert(IWorkerStaking.ZeroAmount.selector);
        vm.prank(holder);
        staking.stake(workerId, 1e18);
    }

    function test_refusesMoreThanTheSlotHolds() public {
        CallingToken endless = new CallingToken();
        endless.mint(holder, type(uint256).max);
        _useToken(address(endless));
        uint256 tooMuch = uint256(type(uint96).max) + 1;
        vm.startPrank(holder);
        endless.approve(address(staking), tooMuch);
        vm.expectRevert(
            abi.encodeWithSelector(SafeCast.SafeCastOverflowedUintDowncast.selector, 96, tooMuch)
        );
        staking.stake(workerId, tooMuch);
    }

    /// @dev Measured from outside, the inner stake would be counted twice.
    function test_refusesReentrance() public {
        CallingToken calling = new CallingToken();
        calling.mint(holder, SUPPLY);
        _useToken(address(calling));
        bytes[] memory calls = new bytes[](8);
        calls[0] = abi.encodeCall(staking.stake, (workerId, 1));
        calls[1] = abi.encodeCall(staking.withdraw, (workerId));
        calls[2] = abi.encodeCall(staking.requestUnstake, (workerId, 1));
        calls[3] = abi.encodeCall(staking.deactivate, (workerId));
        calls[4] = abi.encodeCall(staking.stakeWithPermit, (workerId, 1, 0, 0, 0, 0));
        calls[5] = abi.encodeCall(staking.deactivateWithSignature, (workerId, 0, ""));
        calls[6] = abi.encodeCall(staking.slash, (workerId, "", SlashReason.FraudulentProof));
        SignedCompletion memory none;
        calls[7] = abi.encodeCall(staking.slashEquivocation, (workerId, "", none, none));
        vm.startPrank(holder);
        calling.approve(address(staking), SUPPLY);
        for (uint256 i; i < calls.length; ++i) {
            calling.callOnTransfer(address(staking), calls[i]);
            vm.expectRevert(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
            staking.stake(workerId, 1e18);
        }
    }

    function testFuzz_addsUp(uint256 first, uint256 second, address from) public {
        vm.assume(from != address(0) && from != address(staking) && from != holder);
        first = bound(first, 1, SUPPLY - 1);
        second = bound(second, 1, SUPPLY - first);
        _stake(workerId, first);

        vm.prank(holder);
        assertTrue(token.transfer(from, second));
        vm.startPrank(from);
        token.approve(address(staking), second);
        vm.expectEmit(address(staking));
        emit IWorkerStaking.Staked(workerId, from, second, first + second);
        staking.stake(workerId, second);

        _assertStake(workerId, first + second, 0);
        _assertStake(otherWorkerId, 0, 0);
        assertEq(token.balanceOf(address(staking)), first + second);
        assertEq(token.balanceOf(from), 0);
    }

    function testFuzz_countsWhatArrived(uint256 amount) public {
        amount = bound(amount, 1, SUPPLY);
        FeeToken fee = new FeeToken();
        fee.mint(holder, SUPPLY);
        _useToken(address(fee));
        vm.startPrank(holder);
        fee.approve(address(staking), amount);
        staking.stake(workerId, amount);
        uint256 arrived = amount - amount / 100;
        _assertStake(workerId, arrived, 0);
        assertEq(fee.balanceOf(address(staking)), arrived);
    }

    /// @dev A gift to the contract is nobody's stake.
    function test_doesNotCountWhatWasThereBefore() public {
        vm.prank(holder);
        assertTrue(token.transfer(address(staking), 5e18));
        _stake(workerId, 1e18);
        _assertStake(workerId, 1e18, 0);
    }

    function _useToken(address token_) private {
        token = RCompute(token_);
        staking = new WorkerStaking(_config());
        workerId = _register(workerKey, payee);
    }
}
