// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import { Errors } from "@openzeppelin/contracts/utils/Errors.sol";

import { DevUsdg } from "../src/dev/DevUsdg.sol";
import { IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { MoneyBase } from "./MoneyBase.sol";
import { PlainToken } from "./tokens/OddTokens.sol";

contract RecoverTest is MoneyBase {
    DevUsdg private other;
    address private at;

    function setUp() public override {
        super.setUp();
        other = new DevUsdg();
        at = escrow.depositAddress(carol);
    }

    function testFuzz_refusesPaymentTokensToOthersThanTheWallet(address caller) public {
        vm.assume(caller != carol);
        token.mint(at, 100 * UNITS);
        vm.expectRevert(
            abi.encodeWithSelector(IEscrowAccounts.OnlyTheWalletRecoversPayments.selector, carol)
        );
        vm.prank(caller);
        escrow.recover(carol, address(token), 100 * UNITS);
    }

    function test_refusesMoreThanThereIs() public {
        vm.expectRevert();
        escrow.recover(carol, address(other), 1);
        vm.expectRevert(abi.encodeWithSelector(Errors.InsufficientBalance.selector, 0, 1));
        escrow.recover(carol, address(0), 1);
    }

    function test_refusesAnAddressWithoutAToken() public {
        vm.expectRevert(
            abi.encodeWithSelector(SafeERC20.SafeERC20FailedOperation.selector, stranger)
        );
        escrow.recover(carol, stranger, 1);
    }

    function testFuzz_sendsOtherTokensToTheWallet(address caller, uint128 amount) public {
        other.mint(at, amount);
        vm.expectEmit(address(escrow));
        emit IEscrowAccounts.Recovered(carol, address(other), amount);
        vm.prank(caller);
        escrow.recover(carol, address(other), amount);
        assertEq(other.balanceOf(carol), amount);
    }

    function test_sendsTokensThatAnswerNothing() public {
        PlainToken plain = new PlainToken();
        plain.mint(at, 7);
        escrow.recover(carol, address(plain), 7);
        assertEq(plain.balanceOf(carol), 7);
    }

    function testFuzz_sendsTheChainsOwnCoinToTheWallet(address caller, uint96 amount) public {
        vm.deal(at, amount);
        vm.prank(caller);
        escrow.recover(carol, address(0), amount);
        assertEq(carol.balance, amount);
    }

    /// @dev Also what is too little to sweep, and also while deposits are paused.
    function testFuzz_sendsThePaymentTokenToTheWalletThatAsks(uint128 amount, bool paused) public {
        token.mint(at, amount);
        if (paused) _pause();
        vm.prank(carol);
        escrow.recover(carol, address(token), amount);
        assertEq(token.balanceOf(carol), amount);
        _assertCredits(carol, 0, 0);
    }

    function test_takesNothingFromTheEscrow() public {
        uint256 held = token.balanceOf(address(escrow));
        vm.prank(carol);
        vm.expectRevert();
        escrow.recover(carol, address(token), 1);
        assertEq(token.balanceOf(address(escrow)), held);
    }
}
