// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Test } from "forge-std/Test.sol";

import { RCompute } from "../../src/RCompute.sol";
import { WorkerStaking } from "../../src/WorkerStaking.sol";
import { Worker } from "../../src/interfaces/IWorkerStaking.sol";
import { StakingHandler } from "./StakingHandler.sol";

/// @notice The handler already refuses, call by call, stake that is paid early or not whole, a
/// wrong penalty, and a refusal without a reason. Here its books meet the contract's.
contract StakingInvariantTest is Test {
    StakingHandler private handler;
    WorkerStaking private staking;
    RCompute private token;

    function setUp() public {
        handler = new StakingHandler();
        handler.setUp();
        (address stakingAddress, address tokenAddress) = handler.world();
        staking = WorkerStaking(stakingAddress);
        token = RCompute(tokenAddress);

        bytes4[] memory selectors = new bytes4[](11);
        selectors[0] = handler.stake.selector;
        selectors[1] = handler.donate.selector;
        selectors[2] = handler.requestUnstake.selector;
        selectors[3] = handler.withdraw.selector;
        selectors[4] = handler.slash.selector;
        selectors[5] = handler.equivocate.selector;
        selectors[6] = handler.changePayee.selector;
        selectors[7] = handler.deactivate.selector;
        selectors[8] = handler.warp.selector;
        // Twice as likely: without these nothing else happens.
        selectors[9] = handler.stake.selector;
        selectors[10] = handler.requestUnstake.selector;
        targetSelector(FuzzSelector({ addr: address(handler), selectors: selectors }));
        targetContract(address(handler));
    }

    function invariant_everyUnitIsOwned() public view {
        uint256 owed = handler.donated();
        for (uint32 id = 1; id <= handler.WORKERS(); ++id) {
            Worker memory worker = staking.workers(id);
            owed += uint256(worker.active) + worker.unbonding;
        }
        assertEq(token.balanceOf(address(staking)), owed);
    }

    function invariant_stateIsWhatTheRulesSay() public view {
        for (uint32 id = 1; id <= handler.WORKERS(); ++id) {
            Worker memory worker = staking.workers(id);
            StakingHandler.Book memory book = handler.books(id);
            assertEq(worker.active, book.active);
            assertEq(worker.unbonding, book.unbonding);
            assertEq(worker.withdrawableAt, book.withdrawableAt);
            assertEq(worker.deactivated, book.left);
        }
    }

    /// @dev Counted in tokens that moved, not in what the contract says of itself.
    function invariant_nobodyWithdrawsMoreThanWasStakedLessSlashes() public view {
        for (uint32 id = 1; id <= handler.WORKERS(); ++id) {
            StakingHandler.Book memory book = handler.books(id);
            assertLe(handler.paid(id), book.stakedInAll - book.slashedInAll);
            assertEq(
                handler.paid(id) + book.slashedInAll + book.active + book.unbonding,
                book.stakedInAll
            );
        }
    }

    function invariant_boostExactlyFromTheMinimumOn() public view {
        for (uint32 id = 1; id <= handler.WORKERS(); ++id) {
            (address signer,, bool staked) = staking.terms(id);
            StakingHandler.Book memory book = handler.books(id);
            assertEq(staked, book.active >= handler.minimum());
            assertEq(signer, book.left ? address(0) : vm.addr(handler.keys(id)));
        }
    }

    function invariant_slashedStakeIsGone() public view {
        uint256 slashed;
        for (uint32 id = 1; id <= handler.WORKERS(); ++id) {
            slashed += handler.books(id).slashedInAll;
        }
        assertEq(token.totalSupply(), handler.supplyAtFirst() - slashed);
    }

    /// @dev A random life proves little where nothing happens.
    function test_everythingIsReached() public {
        for (uint256 i; i < 60; ++i) {
            uint256 seed = uint256(keccak256(abi.encode(i)));
            handler.stake(seed, seed >> 8);
            handler.requestUnstake(seed, seed >> 16, i % 2 == 0);
            handler.warp(seed);
            handler.slash(seed >> 1, seed);
            handler.equivocate(seed >> 2, seed >> 1, bytes32(seed), bytes32(seed >> 1));
            handler.withdraw(seed >> 3);
            handler.changePayee(seed);
        }
        assertGt(handler.withdrawals(), 10);
        assertGt(handler.slashes(), 10);
        assertGt(handler.refusals(), 10);
        handler.deactivate(0);
        assertTrue(handler.books(1).left);
    }
}
