// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {
    ReentrancyGuardTransient
} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

import { EscrowConfig } from "../src/EscrowState.sol";
import { JobEscrow } from "../src/JobEscrow.sol";
import { DevUsdg } from "../src/dev/DevUsdg.sol";
import { Authorization, IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { JobStatus } from "../src/interfaces/IJobEscrow.sol";
import { MoneyBase } from "./MoneyBase.sol";
import { FalseToken, FreezableToken, ReenteringToken } from "./tokens/OddTokens.sol";

/// @notice Tokens that do not do what they are asked, or more. None loses or strands a credit.
contract OddTokensTest is MoneyBase {
    uint256 private constant FOR_WORKER = 40 * 7_500;

    /* FROZEN OR STOPPED BY ITS ISSUER */

    function test_frozen_keepsWhatCannotBePaid() public {
        FreezableToken odd = new FreezableToken();
        _escrowOf(odd);
        _settled(_jobId(1), carol);
        skip(2 * DISPUTE);
        vm.prank(carol);
        escrow.requestWithdrawal(100);
        skip(THAW);
        bytes memory voucher = _voucher(carol, carol, 100, block.timestamp);
        odd.stop(true);

        odd.approve(address(escrow), 100 * UNITS);
        _expectFrozen();
        escrow.deposit(carol, 100);
        _expectFrozen();
        vm.prank(carol);
        escrow.withdraw(100, carol, block.timestamp, voucher);
        _expectFrozen();
        vm.prank(carol);
        escrow.completeWithdrawal(carol);
        _expectFrozen();
        escrow.claim(workerId);
        _expectFrozen();
        escrow.claimTreasury();
        _assertCredits(carol, 860, 100);

        // Jobs go on, and with the token all that was refused goes through.
        _settled(_jobId(2), carol);
        odd.stop(false);
        vm.startPrank(carol);
        escrow.withdraw(100, carol, block.timestamp, voucher);
        escrow.completeWithdrawal(carol);
        escrow.claim(workerId);
        escrow.claimTreasury();
        vm.stopPrank();
        assertEq(odd.balanceOf(carol), 200 * UNITS);
        assertEq(odd.balanceOf(payee), FOR_WORKER);
        _assertCredits(carol, 720, 0);
    }

    /// @dev A wallet that its issuer has frozen takes its money to another address.
    function test_frozen_paysAnotherAddress() public {
        FreezableToken odd = new FreezableToken();
        _escrowOf(odd);
        odd.freeze(carol, true);
        vm.startPrank(carol);
        escrow.requestWithdrawal(100);
        skip(THAW);
        _expectFrozen();
        escrow.completeWithdrawal(carol);
        escrow.completeWithdrawal(stranger);
        assertEq(odd.balanceOf(stranger), 100 * UNITS);
    }

    function test_frozen_holdsUpNobodyElse() public {
        FreezableToken odd = new FreezableToken();
        _escrowOf(odd);
        vm.prank(vm.addr(otherWorkerKey));
        staking.setPayee(otherWorkerId, stranger);
        _settled(_jobId(1), carol);
        _lock(_jobId(2), carol, 100, MAX);
        _settle(_completionBy(otherWorkerKey, otherWorkerId, _jobId(2), 1));
        skip(2 * DISPUTE);
        odd.freeze(payee, true);
        odd.freeze(treasury, true);
        _expectFrozen();
        escrow.claim(workerId);
        _expectFrozen();
        escrow.claimTreasury();
        escrow.claim(otherWorkerId);
        assertEq(odd.balanceOf(stranger), FOR_WORKER);
        assertEq(escrow.claimableEarnings(workerId), FOR_WORKER);
    }

    function test_frozen_leavesTheDepositAddressAsItWas() public {
        FreezableToken odd = new FreezableToken();
        _escrowOf(odd);
        odd.mint(escrow.depositAddress(carol), 100 * UNITS);
        odd.freeze(address(escrow), true);
        _expectFrozen();
        escrow.sweep(carol);
        odd.freeze(address(escrow), false);
        escrow.sweep(carol);
        _assertCredits(carol, 1_100, 0);
    }

    /* SAYS NO WITHOUT REVERTING */

    function test_false_countsAsNo() public {
        FalseToken odd = new FalseToken();
        _escrowOf(odd);
        _settled(_jobId(1), carol);
        skip(2 * DISPUTE);
        vm.prank(carol);
        escrow.requestWithdrawal(100);
        skip(THAW);
        bytes memory voucher = _voucher(carol, carol, 100, block.timestamp);
        odd.mint(escrow.depositAddress(carol), 100 * UNITS);
        odd.refuse(true);

        bytes memory error =
            abi.encodeWithSelector(SafeERC20.SafeERC20FailedOperation.selector, address(odd));
        vm.startPrank(carol);
        vm.expectRevert(error);
        escrow.deposit(carol, 100);
        vm.expectRevert(error);
        escrow.sweep(carol);
        vm.expectRevert(error);
        escrow.recover(carol, address(odd), 1);
        vm.expectRevert(error);
        escrow.withdraw(100, carol, block.timestamp, voucher);
        vm.expectRevert(error);
        escrow.completeWithdrawal(carol);
        vm.expectRevert(error);
        escrow.claim(workerId);
        vm.expectRevert(error);
        escrow.claimTreasury();
        _assertCredits(carol, 860, 100);
        assertEq(escrow.claimableEarnings(workerId), FOR_WORKER);
    }

    /* CALLS BACK */

    /// @dev From within each movement of money, each other one is refused.
    function test_reentering_isRefused() public {
        ReenteringToken odd = new ReenteringToken();
        _escrowOf(odd);
        _settled(_jobId(1), carol);
        skip(2 * DISPUTE);
        odd.mint(carol, 1_000 * UNITS);
        odd.mint(escrow.depositAddress(carol), 100 * UNITS);
        vm.prank(carol);
        odd.approve(address(escrow), type(uint256).max);

        bytes[] memory calls = _movements();
        for (uint256 outer; outer < calls.length; ++outer) {
            for (uint256 inner; inner < calls.length; ++inner) {
                uint256 state = vm.snapshotState();
                odd.reenter(address(escrow), calls[inner]);
                vm.prank(carol);
                (bool done,) = address(escrow).call(calls[outer]);
                assertTrue(done, "the outer call goes through");
                assertTrue(odd.called(), "it moves money");
                assertFalse(odd.succeeded(), "the inner one does not");
                assertEq(
                    bytes4(odd.answer()),
                    ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector
                );
                vm.revertToState(state);
            }
        }
    }

    /// @dev What is not guarded finds books that are in order: an expired lock is taken back from
    /// within a deposit, and both count, each once.
    function test_reentering_findsBooksInOrder() public {
        ReenteringToken odd = new ReenteringToken();
        _escrowOf(odd);
        _fund(alice, 200);
        _lock(_jobId(1), alice, 100, MAX);
        skip(EXPIRY);
        odd.mint(address(this), 100 * UNITS);
        odd.approve(address(escrow), 100 * UNITS);
        odd.reenter(address(escrow), abi.encodeCall(escrow.refundExpired, (_jobId(1))));
        escrow.deposit(alice, 100);
        assertTrue(odd.succeeded());
        _assertStatus(_jobId(1), JobStatus.Refunded);
        _assertAccount(alice, 300, 0);
        assertEq(odd.balanceOf(address(escrow)), 1_300 * UNITS);
    }

    /// @dev Every call of carol's that moves tokens, each of which would succeed now.
    function _movements() private returns (bytes[] memory calls) {
        uint256 deadline = block.timestamp + THAW;
        vm.prank(carol);
        escrow.requestWithdrawal(100);
        skip(THAW);
        bytes memory voucher = _voucher(carol, carol, 10, deadline);
        bytes memory signature = _signWithdrawal(carolKey, carol, carol, 10, deadline);
        Signature memory permit = _permit(carolKey, 100 * UNITS, deadline);
        Authorization memory authorization = _authorize(carolKey, carol, 100, "salt");

        calls = new bytes[](10);
        calls[0] = abi.encodeCall(escrow.deposit, (carol, 100));
        calls[1] = abi.encodeCall(
            escrow.depositWithPermit, (carol, 100, deadline, permit.v, permit.r, permit.s)
        );
        calls[2] =
            abi.encodeCall(escrow.depositWithAuthorization, (carol, carol, 100, authorization));
        calls[3] = abi.encodeCall(escrow.sweep, (carol));
        calls[4] = abi.encodeCall(escrow.recover, (carol, address(escrow.TOKEN()), 1));
        calls[5] = abi.encodeCall(escrow.withdraw, (10, carol, deadline, voucher));
        calls[6] =
            abi.encodeCall(escrow.withdrawFor, (carol, 10, carol, deadline, signature, voucher));
        calls[7] = abi.encodeCall(escrow.completeWithdrawal, (carol));
        calls[8] = abi.encodeCall(escrow.claim, (workerId));
        calls[9] = abi.encodeCall(escrow.claimTreasury, ());
    }

    /// @dev Replaces the escrow by one of `odd`, in which carol has 1 000 credits.
    function _escrowOf(DevUsdg odd) private {
        EscrowConfig memory config = _config();
        config.token = odd;
        (escrow, token) = (new JobEscrow(config), odd);
        _fund(carol, 1_000);
    }

    function _expectFrozen() private {
        vm.expectRevert(FreezableToken.Frozen.selector);
    }
}
