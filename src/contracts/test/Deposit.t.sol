// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC20Errors } from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { Pausable } from "@openzeppelin/contracts/utils/Pausable.sol";

import { EscrowConfig } from "../src/EscrowState.sol";
import { JobEscrow } from "../src/JobEscrow.sol";
import { DevUsdg } from "../src/dev/DevUsdg.sol";
import { IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { IJobEscrow } from "../src/interfaces/IJobEscrow.sol";
import { MoneyBase } from "./MoneyBase.sol";
import { FeeToken, PlainToken } from "./tokens/OddTokens.sol";

contract DepositTest is MoneyBase {
    function test_refusesZeroWallet() public {
        vm.expectRevert(IEscrowAccounts.ZeroAddress.selector);
        escrow.deposit(address(0), 100);
    }

    function testFuzz_refusesLessThanMinimum(uint64 credits) public {
        credits = uint64(bound(credits, 0, 99));
        vm.expectRevert(
            abi.encodeWithSelector(IEscrowAccounts.BelowMinimumDeposit.selector, credits, 100)
        );
        escrow.deposit(alice, credits);
    }

    function test_refusesWithoutAllowance() public {
        token.mint(address(this), 100 * UNITS);
        vm.expectRevert(
            abi.encodeWithSelector(
                IERC20Errors.ERC20InsufficientAllowance.selector, address(escrow), 0, 100 * UNITS
            )
        );
        escrow.deposit(alice, 100);
    }

    function test_refusesFeeOnTransfer() public {
        _escrowOf(new FeeToken());
        vm.expectRevert(
            abi.encodeWithSelector(
                IEscrowAccounts.AmountReceivedDiffers.selector, 100 * UNITS, 100 * UNITS - 1
            )
        );
        escrow.deposit(alice, 100);
    }

    function test_refusesWhilePaused() public {
        _pause();
        vm.expectRevert(Pausable.EnforcedPause.selector);
        escrow.deposit(alice, 100);
    }

    /// @dev What is locked and what thaws counts too: all of it may come back.
    function test_refusesMoreThanAnAccountHolds() public {
        uint64 most = type(uint48).max / 2;
        uint256 units = uint256(most) * UNITS;
        token.mint(address(this), units);
        token.approve(address(escrow), units);
        _lock(_jobId(1), alice, 100, MAX);
        vm.prank(alice);
        escrow.requestWithdrawal(100);
        uint64 room = most - START_CREDITS;
        bytes memory error =
            abi.encodeWithSelector(IEscrowAccounts.AccountFull.selector, alice, most);
        vm.expectRevert(error);
        escrow.deposit(alice, room + 1);
        vm.expectRevert(error);
        escrow.deposit(alice, type(uint64).max);
        escrow.deposit(alice, room);
        vm.expectRevert(error);
        escrow.deposit(alice, 100);
        _refund(_jobId(1));
        vm.prank(alice);
        escrow.cancelWithdrawal();
        _assertAccount(alice, most, 0);
    }

    function test_takesTokensThatAnswerNothing() public {
        PlainToken plain = new PlainToken();
        EscrowConfig memory config = _config();
        config.token = IERC20(address(plain));
        escrow = new JobEscrow(config);
        plain.mint(address(this), 100 * UNITS);
        plain.approve(address(escrow), 100 * UNITS);
        escrow.deposit(carol, 100);
        _assertCredits(carol, 100, 0);
    }

    function testFuzz_creditsTheWallet(address wallet, address payer, uint64 credits, uint32 at)
        public
    {
        vm.assume(wallet != address(0) && wallet != alice && wallet != bob);
        vm.assume(payer != address(0) && payer != address(escrow));
        credits = uint64(bound(credits, 100, type(uint48).max / 2));
        vm.warp(at);
        uint256 units = credits * UNITS;
        token.mint(payer, units);
        vm.prank(payer);
        token.approve(address(escrow), units);
        uint256 payerBefore = token.balanceOf(payer);
        uint256 escrowBefore = token.balanceOf(address(escrow));

        vm.expectEmit(address(escrow));
        emit IEscrowAccounts.Deposited(wallet, payer, credits);
        vm.prank(payer);
        escrow.deposit(wallet, credits);

        (uint64 available, uint64 locked, uint64 thawing, uint40 lastDepositAt) =
            escrow.accounts(wallet);
        assertEq(available, credits);
        assertEq(locked, 0);
        assertEq(thawing, 0);
        assertEq(lastDepositAt, at);
        assertEq(token.balanceOf(payer), payerBefore - units);
        assertEq(token.balanceOf(address(escrow)), escrowBefore + units);
    }

    function test_addsUp() public {
        _fund(alice, 100);
        _fund(alice, 250);
        _assertAccount(alice, START_CREDITS + 350, 0);
    }

    /// @dev Replaces the escrow by one of `odd`, and funds and approves this contract.
    function _escrowOf(DevUsdg odd) private {
        EscrowConfig memory config = _config();
        config.token = odd;
        escrow = new JobEscrow(config);
        odd.mint(address(this), 1_000 * UNITS);
        odd.approve(address(escrow), type(uint256).max);
    }
}
