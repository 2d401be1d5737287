// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC20Errors } from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import { stdError } from "forge-std/StdError.sol";
import {
    ReentrancyGuardTransient
} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

import { EscrowConfig, JobEscrow } from "../src/JobEscrow.sol";
import { DevUsdg } from "../src/dev/DevUsdg.sol";
import { IJobEscrow } from "../src/interfaces/IJobEscrow.sol";
import { BaseTest } from "./BaseTest.sol";

/// @dev Keeps one unit of every transfer.
contract FeeToken is DevUsdg {
    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from != address(0)) super._update(to, address(this), 1);
    }
}

/// @dev Calls the escrow again from within a transfer.
contract ReenteringToken is DevUsdg {
    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        JobEscrow(to).deposit(from, 100);
        return super.transferFrom(from, to, value);
    }
}

contract DepositTest is BaseTest {
    function test_refusesZeroWallet() public {
        vm.expectRevert(IJobEscrow.ZeroAddress.selector);
        escrow.deposit(address(0), 100);
    }

    function testFuzz_refusesLessThanMinimum(uint64 credits) public {
        credits = uint64(bound(credits, 0, 99));
        vm.expectRevert(
            abi.encodeWithSelector(IJobEscrow.BelowMinimumDeposit.selector, credits, 100)
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
                IJobEscrow.AmountReceivedDiffers.selector, 100 * UNITS, 100 * UNITS - 1
            )
        );
        escrow.deposit(alice, 100);
    }

    function test_refusesReentry() public {
        _escrowOf(new ReenteringToken());
        vm.expectRevert(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
        escrow.deposit(alice, 100);
    }

    function test_refusesMoreThanAnAccountHolds() public {
        uint256 units = uint256(type(uint64).max) * UNITS;
        token.mint(address(this), units);
        token.approve(address(escrow), units);
        vm.expectRevert(stdError.arithmeticError);
        escrow.deposit(alice, type(uint64).max);
    }

    function testFuzz_creditsTheWallet(address wallet, address payer, uint64 credits, uint40 at)
        public
    {
        vm.assume(wallet != address(0) && wallet != alice && wallet != bob);
        vm.assume(payer != address(0) && payer != address(escrow));
        credits = uint64(bound(credits, 100, type(uint64).max));
        vm.warp(at);
        uint256 units = credits * UNITS;
        token.mint(payer, units);
        vm.prank(payer);
        token.approve(address(escrow), units);
        uint256 payerBefore = token.balanceOf(payer);
        uint256 escrowBefore = token.balanceOf(address(escrow));

        vm.expectEmit(address(escrow));
        emit IJobEscrow.Deposited(wallet, payer, credits);
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
