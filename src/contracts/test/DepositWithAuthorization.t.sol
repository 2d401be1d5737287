// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC20Errors } from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { ERC3009 } from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";
import { Pausable } from "@openzeppelin/contracts/utils/Pausable.sol";

import { EscrowConfig } from "../src/EscrowState.sol";
import { JobEscrow } from "../src/JobEscrow.sol";
import { Authorization, IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { MoneyBase } from "./MoneyBase.sol";
import { FeeToken, SilentToken } from "./tokens/OddTokens.sol";

contract DepositWithAuthorizationTest is MoneyBase {
    bytes32 private constant SALT = keccak256("salt");

    function setUp() public override {
        super.setUp();
        token.mint(carol, 1_000 * UNITS);
    }

    function test_refusesZeroWallet() public {
        Authorization memory signed = _authorize(carolKey, address(0), 100, SALT);
        vm.expectRevert(IEscrowAccounts.ZeroAddress.selector);
        escrow.depositWithAuthorization(carol, address(0), 100, signed);
    }

    function testFuzz_refusesLessThanMinimum(uint64 credits) public {
        credits = uint64(bound(credits, 0, 99));
        Authorization memory signed = _authorize(carolKey, carol, credits, SALT);
        vm.expectRevert(
            abi.encodeWithSelector(IEscrowAccounts.BelowMinimumDeposit.selector, credits, 100)
        );
        escrow.depositWithAuthorization(carol, carol, credits, signed);
    }

    function test_refusesWhilePaused() public {
        Authorization memory signed = _authorize(carolKey, carol, 100, SALT);
        _pause();
        vm.expectRevert(Pausable.EnforcedPause.selector);
        escrow.depositWithAuthorization(carol, carol, 100, signed);
    }

    function test_refusesFeeOnTransfer() public {
        token = new FeeToken();
        _escrowOf(token);
        token.mint(carol, 100 * UNITS);
        Authorization memory signed = _authorize(carolKey, carol, 100, SALT);
        vm.expectRevert(
            abi.encodeWithSelector(
                IEscrowAccounts.AmountReceivedDiffers.selector, 100 * UNITS, 100 * UNITS - 1
            )
        );
        escrow.depositWithAuthorization(carol, carol, 100, signed);
    }

    /// @dev Else anyone could make credits out of nothing.
    function test_refusesTokenThatMovesNothingAndDoesNotFail() public {
        _escrowOf(IERC20(address(new SilentToken())));
        Authorization memory signed = _authorize(carolKey, carol, 100, SALT);
        vm.expectRevert(
            abi.encodeWithSelector(IEscrowAccounts.AmountReceivedDiffers.selector, 100 * UNITS, 0)
        );
        escrow.depositWithAuthorization(carol, carol, 100, signed);
        _assertCredits(carol, 0, 0);
    }

    /// @dev Whoever sees the signature cannot turn the money to itself, or change anything else.
    function testFuzz_refusesWhatWasNotSigned(uint8 field, address other) public {
        vm.assume(other != carol && other != address(0));
        Authorization memory signed = _authorize(carolKey, carol, 100, SALT);
        (address payer, address wallet, uint64 credits) = (carol, carol, 100);
        field = uint8(bound(field, 0, 5));
        if (field == 0) wallet = other;
        if (field == 1) payer = other;
        if (field == 2) credits = 101;
        if (field == 3) signed.salt = keccak256("another salt");
        if (field == 4) signed.validBefore += 1;
        if (field == 5) signed.validAfter -= 1;
        vm.expectRevert();
        vm.prank(other);
        escrow.depositWithAuthorization(payer, wallet, credits, signed);
    }

    function test_refusesUsedAuthorization() public {
        Authorization memory signed = _authorize(carolKey, carol, 100, SALT);
        escrow.depositWithAuthorization(carol, carol, 100, signed);
        vm.expectRevert(
            abi.encodeWithSelector(
                ERC3009.ERC3009UsedAuthorization.selector,
                carol,
                escrow.authorizationNonce(carol, SALT)
            )
        );
        escrow.depositWithAuthorization(carol, carol, 100, signed);
    }

    function test_refusesExpiredAuthorization() public {
        Authorization memory signed = _authorize(carolKey, carol, 100, SALT);
        vm.warp(signed.validBefore);
        vm.expectPartialRevert(ERC3009.ERC3009InvalidAuthorizationTime.selector);
        escrow.depositWithAuthorization(carol, carol, 100, signed);
    }

    /// @dev The token takes it from the escrow only, so nobody can move the money without a credit.
    function test_tokenRefusesItFromAnybodyElse() public {
        Authorization memory signed = _authorize(carolKey, carol, 100, SALT);
        bytes32 nonce = escrow.authorizationNonce(carol, SALT);
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InvalidReceiver.selector, address(escrow))
        );
        vm.prank(stranger);
        token.receiveWithAuthorization(
            carol,
            address(escrow),
            100 * UNITS,
            signed.validAfter,
            signed.validBefore,
            nonce,
            signed.v,
            signed.r,
            signed.s
        );
    }

    function testFuzz_namesTheWalletInTheNonce(address a, address b, bytes32 salt) public view {
        vm.assume(a != b);
        assertEq(escrow.authorizationNonce(a, salt), keccak256(abi.encode(a, salt)));
        assertNotEq(escrow.authorizationNonce(a, salt), escrow.authorizationNonce(b, salt));
    }

    function testFuzz_creditsTheWallet(address wallet, address sender, uint64 credits, bytes32 salt)
        public
    {
        vm.assume(wallet != address(0) && wallet != alice && wallet != bob);
        credits = uint64(bound(credits, 100, type(uint48).max / 2));
        uint256 units = credits * UNITS;
        token.mint(carol, units);
        uint256 held = token.balanceOf(address(escrow));

        Authorization memory signed = _authorize(carolKey, wallet, credits, salt);
        vm.expectEmit(address(escrow));
        emit IEscrowAccounts.Deposited(wallet, carol, credits);
        vm.prank(sender);
        escrow.depositWithAuthorization(carol, wallet, credits, signed);

        _assertCredits(wallet, credits, 0);
        assertEq(token.balanceOf(carol), 1_000 * UNITS);
        assertEq(token.balanceOf(address(escrow)), held + units);
    }

    function _escrowOf(IERC20 odd) private {
        EscrowConfig memory config = _config();
        config.token = odd;
        escrow = new JobEscrow(config);
    }
}
