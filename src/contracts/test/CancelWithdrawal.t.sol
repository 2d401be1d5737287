// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { MoneyBase } from "./MoneyBase.sol";

contract CancelWithdrawalTest is MoneyBase {
    function test_refusesWhereNothingThaws() public {
        vm.expectRevert(abi.encodeWithSelector(IEscrowAccounts.NothingThaws.selector, alice));
        vm.prank(alice);
        escrow.cancelWithdrawal();
    }

    function test_refusesASecondTime() public {
        vm.startPrank(alice);
        escrow.requestWithdrawal(100);
        escrow.cancelWithdrawal();
        vm.expectRevert(abi.encodeWithSelector(IEscrowAccounts.NothingThaws.selector, alice));
        escrow.cancelWithdrawal();
    }

    function testFuzz_makesAllAvailableAgain(uint64 credits, uint256 after_, bool paused) public {
        credits = uint64(bound(credits, 1, START_CREDITS));
        vm.prank(alice);
        escrow.requestWithdrawal(credits);
        skip(bound(after_, 0, 2 * THAW));
        if (paused) _pause();

        vm.expectEmit(address(escrow));
        emit IEscrowAccounts.WithdrawalCancelled(alice, credits);
        vm.prank(alice);
        escrow.cancelWithdrawal();

        _assertCredits(alice, START_CREDITS, 0);
        assertEq(escrow.thawEndsAt(alice), 0);
    }
}
