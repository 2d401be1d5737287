// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { MoneyBase } from "./MoneyBase.sol";

contract WithdrawTest is MoneyBase {
    uint256 private deadline = 1_780_000_000 + 10 minutes;

    function setUp() public override {
        super.setUp();
        _fund(carol, 1_000);
    }

    function test_refusesNothing() public {
        bytes memory voucher = _voucher(carol, carol, 0, deadline);
        vm.expectRevert(IEscrowAccounts.ZeroCredits.selector);
        _withdraw(carol, 0, carol, voucher);
    }

    function testFuzz_refusesMoreThanAvailable(uint64 credits) public {
        credits = uint64(bound(credits, 1_001, type(uint64).max));
        bytes memory voucher = _voucher(carol, carol, credits, deadline);
        vm.expectRevert(
            abi.encodeWithSelector(
                IEscrowAccounts.NotEnoughAvailable.selector, carol, credits, 1_000
            )
        );
        _withdraw(carol, credits, carol, voucher);
    }

    function test_refusesWhatIsLockedOrThaws() public {
        _lock(_jobId(1), carol, 300, MAX);
        vm.prank(carol);
        escrow.requestWithdrawal(300);
        bytes memory voucher = _voucher(carol, carol, 401, deadline);
        vm.expectRevert(
            abi.encodeWithSelector(IEscrowAccounts.NotEnoughAvailable.selector, carol, 401, 400)
        );
        _withdraw(carol, 401, carol, voucher);
    }

    function testFuzz_refusesAfterTheDeadline(uint256 late) public {
        bytes memory voucher = _voucher(carol, carol, 100, deadline);
        vm.warp(bound(late, deadline + 1, type(uint32).max));
        vm.expectRevert(abi.encodeWithSelector(IEscrowAccounts.VoucherExpired.selector, deadline));
        _withdraw(carol, 100, carol, voucher);
    }

    function testFuzz_refusesVouchersOfOthersThanTheSigner(uint256 key) public {
        key = boundPrivateKey(key);
        vm.assume(key != withdrawalSignerKey);
        bytes memory voucher = _signWithdrawal(key, carol, carol, 100, deadline);
        _expectBadVoucher();
        _withdraw(carol, 100, carol, voucher);
    }

    function test_refusesGarbage() public {
        bytes memory tooLong = bytes.concat(_voucher(carol, carol, 100, deadline), "1");
        _expectBadVoucher();
        _withdraw(carol, 100, carol, "");
        _expectBadVoucher();
        _withdraw(carol, 100, carol, new bytes(65));
        _expectBadVoucher();
        _withdraw(carol, 100, carol, tooLong);
    }

    function test_refusesOtherTermsThanTheVouchers() public {
        bytes memory voucher = _voucher(carol, carol, 100, deadline);
        _expectBadVoucher();
        _withdraw(carol, 101, carol, voucher);
        _expectBadVoucher();
        _withdraw(carol, 100, stranger, voucher);
        _expectBadVoucher();
        _withdraw(alice, 100, carol, voucher);
        _expectBadVoucher();
        vm.prank(carol);
        escrow.withdraw(100, carol, deadline + 1, voucher);
    }

    function test_refusesTheSameVoucherTwice() public {
        bytes memory voucher = _voucher(carol, carol, 100, deadline);
        _withdraw(carol, 100, carol, voucher);
        _expectBadVoucher();
        _withdraw(carol, 100, carol, voucher);
        _assertCredits(carol, 900, 0);
    }

    /// @dev So an operator that signs a second one before the first has run out risks nothing.
    function test_takesOneOfSeveralVouchers() public {
        bytes memory first = _voucher(carol, carol, 600, deadline);
        bytes memory second = _voucher(carol, stranger, 700, deadline);
        _withdraw(carol, 700, stranger, second);
        _expectBadVoucher();
        _withdraw(carol, 600, carol, first);
        assertEq(escrow.withdrawalNonce(carol), 1);
    }

    function test_refusesVouchersOfASignerThatWasDismissed() public {
        bytes memory voucher = _voucher(carol, carol, 100, deadline);
        bytes32 role = escrow.WITHDRAWAL_SIGNER_ROLE();
        vm.prank(admin);
        escrow.revokeRole(role, vm.addr(withdrawalSignerKey));
        _expectBadVoucher();
        _withdraw(carol, 100, carol, voucher);
    }

    /// @dev A signature of nobody recovers the address zero, which may be given the role in error.
    function test_refusesGarbageWhereNobodyHoldsTheRole() public {
        bytes32 role = escrow.WITHDRAWAL_SIGNER_ROLE();
        vm.prank(admin);
        escrow.grantRole(role, address(0));
        _expectBadVoucher();
        _withdraw(carol, 100, carol, "");
        _expectBadVoucher();
        _withdraw(carol, 100, carol, new bytes(65));
    }

    function test_refusesToPayNobodyAndItself() public {
        bytes memory toNobody = _voucher(carol, address(0), 100, deadline);
        vm.expectRevert(IEscrowAccounts.ZeroAddress.selector);
        _withdraw(carol, 100, address(0), toNobody);
        bytes memory toItself = _voucher(carol, address(escrow), 100, deadline);
        vm.expectRevert(IEscrowAccounts.PaysItself.selector);
        _withdraw(carol, 100, address(escrow), toItself);
        _assertCredits(carol, 1_000, 0);
    }

    function testFuzz_paysAtOnce(address to, uint64 credits, bool paused, uint256 at) public {
        vm.assume(to != address(0) && to != address(escrow));
        credits = uint64(bound(credits, 1, 1_000));
        if (paused) _pause();
        bytes memory voucher = _voucher(carol, to, credits, deadline);
        vm.warp(bound(at, block.timestamp, deadline));
        uint256 before = token.balanceOf(to);

        vm.expectEmit(address(escrow));
        emit IEscrowAccounts.Withdrawn(carol, to, credits);
        _withdraw(carol, credits, to, voucher);

        assertEq(token.balanceOf(to), before + credits * UNITS);
        _assertCredits(carol, 1_000 - credits, 0);
    }

    function _withdraw(address sender, uint64 credits, address to, bytes memory voucher) private {
        vm.prank(sender);
        escrow.withdraw(credits, to, deadline, voucher);
    }

    function _expectBadVoucher() private {
        vm.expectRevert(IEscrowAccounts.BadVoucher.selector);
    }
}
