// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { IJobEscrow, SkipReason } from "../src/interfaces/IJobEscrow.sol";
import { MoneyBase } from "./MoneyBase.sol";

contract RequestWithdrawalTest is MoneyBase {
    function test_refusesNothing() public {
        vm.expectRevert(IEscrowAccounts.ZeroCredits.selector);
        _request(alice, 0);
    }

    function testFuzz_refusesMoreThanAvailable(uint64 credits) public {
        credits = uint64(bound(credits, START_CREDITS + 1, type(uint64).max));
        vm.expectRevert(
            abi.encodeWithSelector(
                IEscrowAccounts.NotEnoughAvailable.selector, alice, credits, START_CREDITS
            )
        );
        _request(alice, credits);
    }

    function test_refusesTheSameCreditsTwice() public {
        _request(alice, START_CREDITS);
        vm.expectRevert(
            abi.encodeWithSelector(IEscrowAccounts.NotEnoughAvailable.selector, alice, 1, 0)
        );
        _request(alice, 1);
    }

    /// @dev The heart of it: from the request on, no job can be paid with them.
    function testFuzz_noLockTakesWhatThaws(uint64 thawing, uint32 credits) public {
        thawing = uint64(bound(thawing, 1, START_CREDITS));
        credits = uint32(bound(credits, START_CREDITS - thawing + 1, type(uint32).max));
        _request(alice, thawing);
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSkipped(_jobId(1), uint8(SkipReason.InsufficientCredits));
        _lock(_jobId(1), alice, credits, MAX);
        _assertCredits(alice, START_CREDITS - thawing, thawing);
    }

    function testFuzz_setsCreditsAside(uint64 credits, bool paused, uint32 at) public {
        credits = uint64(bound(credits, 1, START_CREDITS));
        if (paused) _pause();
        vm.warp(at);
        uint40 endsAt = uint40(at) + THAW;

        vm.expectEmit(address(escrow));
        emit IEscrowAccounts.WithdrawalRequested(alice, credits, endsAt);
        _request(alice, credits);

        _assertCredits(alice, START_CREDITS - credits, credits);
        assertEq(escrow.thawEndsAt(alice), endsAt);
        assertEq(escrow.thawEndsAt(bob), 0);
    }

    function test_asksForMoreAndWaitsAnew() public {
        _request(alice, 100);
        skip(THAW - 1);
        _request(alice, 50);
        _assertCredits(alice, START_CREDITS - 150, 150);
        assertEq(escrow.thawEndsAt(alice), block.timestamp + THAW);
    }

    function _request(address wallet, uint64 credits) private {
        vm.prank(wallet);
        escrow.requestWithdrawal(credits);
    }
}
