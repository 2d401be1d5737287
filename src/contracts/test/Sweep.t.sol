// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { SafeCast } from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import { Pausable } from "@openzeppelin/contracts/utils/Pausable.sol";

import { DepositForwarder } from "../src/DepositForwarder.sol";
import { EscrowConfig } from "../src/EscrowState.sol";
import { JobEscrow } from "../src/JobEscrow.sol";
import { IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { MoneyBase } from "./MoneyBase.sol";
import { FeeToken } from "./tokens/OddTokens.sol";

contract SweepTest is MoneyBase {
    using SafeCast for uint256;

    function test_refusesZeroWallet() public {
        token.mint(escrow.depositAddress(address(0)), 100 * UNITS);
        vm.expectRevert(IEscrowAccounts.ZeroAddress.selector);
        escrow.sweep(address(0));
    }

    function testFuzz_refusesLessThanMinimum(uint256 units) public {
        units = bound(units, 0, 100 * UNITS - 1);
        token.mint(escrow.depositAddress(carol), units);
        vm.expectRevert(
            abi.encodeWithSelector(IEscrowAccounts.BelowMinimumDeposit.selector, units / UNITS, 100)
        );
        escrow.sweep(carol);
    }

    function test_refusesWhilePaused() public {
        token.mint(escrow.depositAddress(carol), 100 * UNITS);
        _pause();
        vm.expectRevert(Pausable.EnforcedPause.selector);
        escrow.sweep(carol);
    }

    function test_refusesFeeOnTransfer() public {
        EscrowConfig memory config = _config();
        FeeToken fee = new FeeToken();
        config.token = fee;
        escrow = new JobEscrow(config);
        fee.mint(escrow.depositAddress(carol), 100 * UNITS);
        vm.expectRevert(
            abi.encodeWithSelector(
                IEscrowAccounts.AmountReceivedDiffers.selector, 100 * UNITS, 100 * UNITS - 1
            )
        );
        escrow.sweep(carol);
    }

    function test_refusesOthersThanTheEscrowAtTheAddress() public {
        token.mint(escrow.depositAddress(carol), 200 * UNITS);
        escrow.sweep(carol);
        DepositForwarder forwarder = DepositForwarder(escrow.depositAddress(carol));
        vm.expectRevert(DepositForwarder.OnlyTheEscrow.selector);
        vm.prank(carol);
        forwarder.pass(address(token), carol, 1);
    }

    function testFuzz_addressIsOnesOwn(address a, address b) public view {
        vm.assume(a != b);
        assertNotEq(escrow.depositAddress(a), escrow.depositAddress(b));
        assertEq(escrow.depositAddress(a).code.length, 0);
    }

    function test_addressOfAnotherEscrowIsAnother() public {
        JobEscrow other = new JobEscrow(_config());
        assertNotEq(escrow.depositAddress(carol), other.depositAddress(carol));
    }

    function testFuzz_creditsWholeCreditsAndLeavesTheRest(
        address wallet,
        address caller,
        uint256 units,
        uint256 more
    ) public {
        vm.assume(wallet != address(0) && wallet != alice && wallet != bob);
        units = bound(units, 100 * UNITS, type(uint40).max * UNITS);
        more = bound(more, 100 * UNITS, type(uint40).max * UNITS);
        address at = escrow.depositAddress(wallet);
        uint256 held = token.balanceOf(address(escrow));
        token.mint(at, units);

        vm.expectEmit(address(escrow));
        emit IEscrowAccounts.Deposited(wallet, at, (units / UNITS).toUint64());
        vm.prank(caller);
        escrow.sweep(wallet);
        _assertCredits(wallet, (units / UNITS).toUint64(), 0);
        assertEq(token.balanceOf(at), units % UNITS);

        // The rest counts the next time, and nothing is deployed twice.
        token.mint(at, more);
        escrow.sweep(wallet);
        _assertCredits(wallet, ((units + more) / UNITS).toUint64(), 0);
        assertEq(token.balanceOf(address(escrow)) - held, (units + more) / UNITS * UNITS, "escrow");
        assertEq(token.balanceOf(at), (units + more) % UNITS, "dust");
    }
}
