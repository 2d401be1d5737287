// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { console } from "forge-std/console.sol";

import { Authorization } from "../src/interfaces/IEscrowAccounts.sol";
import { MoneyBase } from "./MoneyBase.sol";

/// @notice What it costs a wallet, or whoever acts for it, to bring money and to take it out. Each
/// call is a transaction of its own, as in `GasTest`; more than the given is a step back.
/// forge-config: default.isolate = true
contract GasOfMoneyTest is MoneyBase {
    uint256 private deadline = 1_790_000_000;

    /// @dev Whoever is here has been here before: no counter starts at zero.
    function setUp() public override {
        super.setUp();
        _fund(carol, 1_000);
        token.mint(carol, 10_000 * UNITS);
        vm.prank(carol);
        token.approve(address(escrow), type(uint256).max);
        _settled(_jobId(1), carol);
        skip(2 * DISPUTE);
        escrow.claim(workerId);
        escrow.claimTreasury();
        _settled(_jobId(2), carol);
        skip(2 * DISPUTE);
    }

    function test_gas_deposit() public {
        vm.prank(carol);
        escrow.deposit(carol, 100);
        _spent("deposit", 54_800);

        Signature memory permit = _permit(carolKey, 100 * UNITS, deadline);
        vm.prank(carol);
        escrow.depositWithPermit(carol, 100, deadline, permit.v, permit.r, permit.s);
        _spent("depositWithPermit, first", 85_800);
        permit = _permit(carolKey, 100 * UNITS, deadline);
        vm.prank(carol);
        escrow.depositWithPermit(carol, 100, deadline, permit.v, permit.r, permit.s);
        _spent("depositWithPermit", 72_600);

        Authorization memory authorization = _authorize(carolKey, carol, 100, "salt");
        escrow.depositWithAuthorization(carol, carol, 100, authorization);
        _spent("depositWithAuthorization", 85_100);
    }

    function test_gas_sweep() public {
        token.mint(escrow.depositAddress(carol), 1_001 * UNITS + 1);
        escrow.sweep(carol);
        _spent("sweep, first", 221_000);
        token.mint(escrow.depositAddress(carol), 1_000 * UNITS);
        escrow.sweep(carol);
        _spent("sweep", 57_600);
        vm.prank(carol);
        escrow.recover(carol, address(token), 1);
        _spent("recover", 41_400);
    }

    function test_gas_withdraw() public {
        _withdraw();
        _spent("withdraw, first", 79_600);
        _withdraw();
        _spent("withdraw", 62_000);

        bytes memory signature = _signWithdrawal(carolKey, carol, carol, 10, deadline);
        bytes memory voucher = _voucher(carol, carol, 10, deadline);
        escrow.withdrawFor(carol, 10, carol, deadline, signature, voucher);
        _spent("withdrawFor", 70_900);

        vm.prank(carol);
        escrow.requestWithdrawal(10);
        _spent("requestWithdrawal", 35_700);
        vm.prank(carol);
        escrow.cancelWithdrawal();
        _spent("cancelWithdrawal", 34_800);
        vm.prank(carol);
        escrow.requestWithdrawal(10);
        skip(THAW);
        vm.prank(carol);
        escrow.completeWithdrawal(carol);
        _spent("completeWithdrawal", 52_400);
    }

    function test_gas_claim() public {
        escrow.claim(workerId);
        _spent("claim", 56_400);
        escrow.claimTreasury();
        _spent("claimTreasury", 46_800);
        vm.prank(carol);
        escrow.setSpendLimit(1_000);
        _spent("setSpendLimit", 29_100);
    }

    function _withdraw() private {
        bytes memory voucher = _voucher(carol, carol, 10, deadline);
        vm.prank(carol);
        escrow.withdraw(10, carol, deadline, voucher);
    }

    function _spent(string memory what, uint256 most) private view {
        uint256 gas = vm.lastCallGas().gasTotalUsed;
        console.log("  %s %d gas", what, gas);
        assertLe(gas, most, what);
    }
}
