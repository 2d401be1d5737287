// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";
import { Pausable } from "@openzeppelin/contracts/utils/Pausable.sol";

import { IJobEscrow, JobStatus, SkipReason } from "../src/interfaces/IJobEscrow.sol";
import { MoneyBase } from "./MoneyBase.sol";

contract PauseTest is MoneyBase {
    function testFuzz_refusesOthersThanThePauser(address caller) public {
        vm.assume(caller != pauser);
        bytes memory error = abi.encodeWithSelector(
            IAccessControl.AccessControlUnauthorizedAccount.selector, caller, escrow.PAUSER_ROLE()
        );
        vm.startPrank(caller);
        vm.expectRevert(error);
        escrow.pause();
        vm.expectRevert(error);
        escrow.unpause();
    }

    function test_refusesTwice() public {
        _pause();
        vm.expectRevert(Pausable.EnforcedPause.selector);
        _pause();
        _unpause();
        vm.expectRevert(Pausable.ExpectedPause.selector);
        _unpause();
    }

    function test_stopsDeposits() public {
        token.mint(address(this), 100 * UNITS);
        token.approve(address(escrow), 100 * UNITS);
        _pause();
        vm.expectRevert(Pausable.EnforcedPause.selector);
        escrow.deposit(alice, 100);
        _unpause();
        escrow.deposit(alice, 100);
        _assertAccount(alice, START_CREDITS + 100, 0);
    }

    /// @dev The batch goes through, so that its jobs learn why they were not taken.
    function test_stopsLocks() public {
        _pause();
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSkipped(_jobId(1), uint8(SkipReason.Paused));
        _lock(_jobId(1), alice, 100, MAX);
        _assertAccount(alice, START_CREDITS, 0);
        _unpause();
        _lock(_jobId(1), alice, 100, MAX);
        _assertStatus(_jobId(1), JobStatus.Locked);
    }

    /// @dev Whatever was there before goes its whole way.
    function test_stopsNothingElse() public {
        for (uint256 i = 1; i <= 6; ++i) {
            _lock(_jobId(i), alice, 100, MAX);
        }
        _settle(_completion(_jobId(1), 1));
        _pause();

        _settle(_completion(_jobId(2), 1));
        _settle(_completion(_jobId(3), 1));
        _refund(_jobId(4));
        _dispute(_jobId(1));
        vm.prank(alice);
        escrow.openDispute(_jobId(2), _claimedHash(_jobId(2)));
        _resolve(_jobId(1), true);
        skip(ARBITRATION);
        escrow.expireDispute(_jobId(2));
        escrow.refundExpired(_jobId(5));
        escrow.refundExpired(_jobId(6));
        escrow.claim(workerId);
        escrow.claimTreasury();
        vm.startPrank(alice);
        escrow.setSpendLimit(7);
        (uint64 available,,,) = escrow.accounts(alice);
        escrow.requestWithdrawal(available / 2);
        escrow.cancelWithdrawal();
        escrow.requestWithdrawal(available / 2);
        skip(THAW);
        escrow.completeWithdrawal(alice);
        uint64 rest = available - available / 2;
        escrow.withdraw(rest, alice, block.timestamp, _voucher(alice, alice, rest, block.timestamp));

        _assertAccount(alice, 0, 0);
        assertEq(token.balanceOf(alice), (START_CREDITS - 80) * UNITS);
        assertEq(token.balanceOf(payee) + token.balanceOf(treasury), 80 * UNITS);
    }

    function _unpause() private {
        vm.prank(pauser);
        escrow.unpause();
    }
}
