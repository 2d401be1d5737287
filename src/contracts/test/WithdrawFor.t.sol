// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC1271 } from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import { ECDSA } from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

import { IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { MoneyBase } from "./MoneyBase.sol";

/// @dev A wallet that is a contract, and takes its owner's signatures for its own.
contract ContractWallet is IERC1271 {
    address private immutable OWNER;

    constructor(address owner) {
        OWNER = owner;
    }

    function isValidSignature(bytes32 hash, bytes memory signature)
        external
        view
        returns (bytes4 magic)
    {
        (address signer,,) = ECDSA.tryRecover(hash, signature);
        return signer == OWNER ? IERC1271.isValidSignature.selector : bytes4(0);
    }
}

contract WithdrawForTest is MoneyBase {
    uint256 private deadline = 1_780_000_000 + 10 minutes;

    function setUp() public override {
        super.setUp();
        _fund(carol, 1_000);
    }

    function testFuzz_refusesWithoutTheWalletsSignature(uint256 key) public {
        key = boundPrivateKey(key);
        vm.assume(key != carolKey);
        _expectBadSignature(carol, _signWithdrawal(key, carol, carol, 100, deadline));
    }

    /// @dev The operator alone moves nothing, whoever it signs for.
    function test_refusesTheOperatorsSignatureInPlaceOfTheWallets() public {
        _expectBadSignature(carol, _voucher(carol, carol, 100, deadline));
        _expectBadSignature(carol, "");
    }

    function test_refusesWithoutTheOperatorsSignature() public {
        bytes memory signature = _signWithdrawal(carolKey, carol, carol, 100, deadline);
        vm.expectRevert(IEscrowAccounts.BadVoucher.selector);
        escrow.withdrawFor(carol, 100, carol, deadline, signature, signature);
    }

    function test_refusesAfterTheDeadline() public {
        bytes memory signature = _signWithdrawal(carolKey, carol, carol, 100, deadline);
        bytes memory voucher = _voucher(carol, carol, 100, deadline);
        vm.warp(deadline + 1);
        vm.expectRevert(abi.encodeWithSelector(IEscrowAccounts.VoucherExpired.selector, deadline));
        escrow.withdrawFor(carol, 100, carol, deadline, signature, voucher);
    }

    function test_refusesOtherTermsThanWereSigned() public {
        bytes memory signature = _signWithdrawal(carolKey, carol, carol, 100, deadline);
        bytes memory voucher = _voucher(carol, stranger, 100, deadline);
        vm.expectRevert(abi.encodeWithSelector(IEscrowAccounts.BadWalletSignature.selector, carol));
        escrow.withdrawFor(carol, 100, stranger, deadline, signature, voucher);
    }

    function test_refusesTheSameSignaturesTwice() public {
        bytes memory signature = _signWithdrawal(carolKey, carol, carol, 100, deadline);
        bytes memory voucher = _voucher(carol, carol, 100, deadline);
        escrow.withdrawFor(carol, 100, carol, deadline, signature, voucher);
        vm.expectRevert(abi.encodeWithSelector(IEscrowAccounts.BadWalletSignature.selector, carol));
        escrow.withdrawFor(carol, 100, carol, deadline, signature, voucher);
    }

    function test_refusesAContractThatSaysNo() public {
        address wallet = address(new ContractWallet(carol));
        _fund(wallet, 500);
        _expectBadSignature(wallet, _signWithdrawal(workerKey, wallet, wallet, 100, deadline));
        // Not a wallet at all, though it has code.
        _expectBadSignature(
            address(token), _signWithdrawal(carolKey, address(token), carol, 100, deadline)
        );
    }

    function test_takesTheSignatureOfAContract() public {
        address wallet = address(new ContractWallet(carol));
        _fund(wallet, 500);
        bytes memory signature = _signWithdrawal(carolKey, wallet, stranger, 200, deadline);
        bytes memory voucher = _voucher(wallet, stranger, 200, deadline);
        escrow.withdrawFor(wallet, 200, stranger, deadline, signature, voucher);
        assertEq(token.balanceOf(stranger), 200 * UNITS);
        _assertCredits(wallet, 300, 0);
    }

    function testFuzz_paysAtOnce(address sender, address to, uint64 credits, bool paused) public {
        vm.assume(to != address(0) && to != address(escrow));
        credits = uint64(bound(credits, 1, 1_000));
        if (paused) _pause();
        bytes memory signature = _signWithdrawal(carolKey, carol, to, credits, deadline);
        bytes memory voucher = _voucher(carol, to, credits, deadline);
        uint256 before = token.balanceOf(to);

        vm.expectEmit(address(escrow));
        emit IEscrowAccounts.Withdrawn(carol, to, credits);
        vm.prank(sender);
        escrow.withdrawFor(carol, credits, to, deadline, signature, voucher);

        assertEq(token.balanceOf(to), before + credits * UNITS);
        _assertCredits(carol, 1_000 - credits, 0);
    }

    function _expectBadSignature(address wallet, bytes memory signature) private {
        bytes memory voucher = _voucher(wallet, carol, 100, deadline);
        vm.expectRevert(abi.encodeWithSelector(IEscrowAccounts.BadWalletSignature.selector, wallet));
        escrow.withdrawFor(wallet, 100, carol, deadline, signature, voucher);
    }
}
