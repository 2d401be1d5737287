// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { MoneyBase } from "./MoneyBase.sol";

contract CompleteWithdrawalTest is MoneyBase {
    function test_refusesWhereNothingThaws() public {
        vm.expectRevert(abi.encodeWithSelector(IEscrowAccounts.NothingThaws.selector, alice));
        _complete(alice);
    }

    function testFuzz_refusesBeforeItsTime(uint256 early) public {
        _request(100);
        uint256 endsAt = block.timestamp + THAW;
        skip(bound(early, 0, THAW - 1));
        vm.expectRevert(
            abi.encodeWithSelector(IEscrowAccounts.StillThawing.selector, alice, endsAt)
        );
        _complete(alice);
    }

    function test_refusesASecondTime() public {
        _request(100);
        skip(THAW);
        _complete(alice);
        vm.expectRevert(abi.encodeWithSelector(IEscrowAccounts.NothingThaws.selector, alice));
        _complete(alice);
    }

    function test_refusesWhatWasCancelled() public {
        _request(100);
        vm.prank(alice);
        escrow.cancelWithdrawal();
        skip(THAW);
        vm.expectRevert(abi.encodeWithSelector(IEscrowAccounts.NothingThaws.selector, alice));
        _complete(alice);
    }

    function test_refusesToPayNobodyAndItself() public {
        _request(100);
        skip(THAW);
        vm.expectRevert(IEscrowAccounts.ZeroAddress.selector);
        _complete(address(0));
        vm.expectRevert(IEscrowAccounts.PaysItself.selector);
        _complete(address(escrow));
        _assertCredits(alice, START_CREDITS - 100, 100);
    }

    /// @dev No operator, no admin and no pauser is asked; each of them may even work against it.
    function testFuzz_paysWhateverTheOperatorDoes(address to, uint64 credits, uint256 late) public {
        vm.assume(to != address(0) && to != address(escrow));
        credits = uint64(bound(credits, 1, START_CREDITS));
        _request(credits);
        _pause();
        _lock(_jobId(1), alice, START_CREDITS, MAX);
        skip(bound(late, THAW, 365 days));
        uint256 before = token.balanceOf(to);

        vm.expectEmit(address(escrow));
        emit IEscrowAccounts.WithdrawalCompleted(alice, to, credits);
        _complete(to);

        assertEq(token.balanceOf(to), before + credits * UNITS);
        _assertCredits(alice, START_CREDITS - credits, 0);
        assertEq(escrow.thawEndsAt(alice), 0);
    }

    function _request(uint64 credits) private {
        vm.prank(alice);
        escrow.requestWithdrawal(credits);
    }

    function _complete(address to) private {
        vm.prank(alice);
        escrow.completeWithdrawal(to);
    }
}
