// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC20Errors } from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { Pausable } from "@openzeppelin/contracts/utils/Pausable.sol";

import { EscrowConfig } from "../src/EscrowState.sol";
import { JobEscrow } from "../src/JobEscrow.sol";
import { IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { MoneyBase } from "./MoneyBase.sol";
import { PlainToken } from "./tokens/OddTokens.sol";

contract DepositWithPermitTest is MoneyBase {
    uint256 private deadline = 1_780_000_000 + 1 hours;

    function setUp() public override {
        super.setUp();
        token.mint(carol, 1_000 * UNITS);
    }

    function test_refusesZeroWallet() public {
        _expectRefused(
            abi.encodeWithSelector(IEscrowAccounts.ZeroAddress.selector), address(0), 100
        );
    }

    function testFuzz_refusesLessThanMinimum(uint64 credits) public {
        credits = uint64(bound(credits, 0, 99));
        _expectRefused(
            abi.encodeWithSelector(IEscrowAccounts.BelowMinimumDeposit.selector, credits, 100),
            carol,
            credits
        );
    }

    function test_refusesWhilePaused() public {
        _pause();
        _expectRefused(abi.encodeWithSelector(Pausable.EnforcedPause.selector), carol, 100);
    }

    function test_refusesExpiredPermit() public {
        Signature memory permit = _permit(carolKey, 100 * UNITS, deadline);
        vm.warp(deadline + 1);
        _expectNoAllowance();
        _deposit(carol, 100, permit);
    }

    function test_refusesPermitOfAnother() public {
        Signature memory permit = _permit(workerKey, 100 * UNITS, deadline);
        _expectNoAllowance();
        _deposit(carol, 100, permit);
    }

    function test_refusesPermitForLess() public {
        Signature memory permit = _permit(carolKey, 100 * UNITS, deadline);
        _expectNoAllowance();
        _deposit(carol, 101, permit);
    }

    function test_refusesPermitThatWasUsed() public {
        Signature memory permit = _permit(carolKey, 100 * UNITS, deadline);
        _deposit(carol, 100, permit);
        _expectNoAllowance();
        _deposit(carol, 100, permit);
    }

    /// @dev Nobody can spend a permit of others: it is the sender that pays.
    function test_refusesPermitInTheHandsOfAnother() public {
        Signature memory permit = _permit(carolKey, 100 * UNITS, deadline);
        _expectNoAllowance();
        vm.prank(stranger);
        escrow.depositWithPermit(stranger, 100, deadline, permit.v, permit.r, permit.s);
    }

    function test_takesPermitThatSomebodyHasBroughtBefore() public {
        Signature memory permit = _permit(carolKey, 100 * UNITS, deadline);
        vm.prank(stranger);
        token.permit(carol, address(escrow), 100 * UNITS, deadline, permit.v, permit.r, permit.s);
        _deposit(carol, 100, permit);
        _assertCredits(carol, 100, 0);
    }

    function test_takesAnAllowanceWhereTheTokenKnowsNoPermit() public {
        PlainToken plain = new PlainToken();
        EscrowConfig memory config = _config();
        config.token = IERC20(address(plain));
        escrow = new JobEscrow(config);
        plain.mint(carol, 100 * UNITS);
        vm.prank(carol);
        plain.approve(address(escrow), 100 * UNITS);

        vm.prank(carol);
        escrow.depositWithPermit(carol, 100, deadline, 27, bytes32(0), bytes32(0));
        _assertCredits(carol, 100, 0);
        assertEq(plain.balanceOf(address(escrow)), 100 * UNITS);
    }

    function testFuzz_creditsTheWallet(address wallet, uint64 credits) public {
        vm.assume(wallet != address(0) && wallet != alice && wallet != bob);
        credits = uint64(bound(credits, 100, type(uint48).max / 2));
        uint256 units = credits * UNITS;
        token.mint(carol, units);
        uint256 held = token.balanceOf(address(escrow));

        Signature memory permit = _permit(carolKey, units, deadline);
        vm.expectEmit(address(escrow));
        emit IEscrowAccounts.Deposited(wallet, carol, credits);
        _deposit(wallet, credits, permit);

        _assertCredits(wallet, credits, 0);
        assertEq(token.balanceOf(carol), 1_000 * UNITS);
        assertEq(token.balanceOf(address(escrow)), held + units);
        assertEq(token.allowance(carol, address(escrow)), 0);
    }

    function _deposit(address wallet, uint64 credits, Signature memory permit) private {
        vm.prank(carol);
        escrow.depositWithPermit(wallet, credits, deadline, permit.v, permit.r, permit.s);
    }

    function _expectRefused(bytes memory error, address wallet, uint64 credits) private {
        Signature memory permit = _permit(carolKey, credits * UNITS, deadline);
        vm.expectRevert(error);
        _deposit(wallet, credits, permit);
    }

    function _expectNoAllowance() private {
        vm.expectPartialRevert(IERC20Errors.ERC20InsufficientAllowance.selector);
    }
}
