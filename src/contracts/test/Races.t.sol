// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Authorization, IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { IEscrowEarnings } from "../src/interfaces/IEscrowEarnings.sol";
import {
    DisputeItem,
    IJobEscrow,
    JobStatus,
    SettleItem,
    SkipReason
} from "../src/interfaces/IJobEscrow.sol";
import { MoneyBase } from "./MoneyBase.sol";

/// @notice Whoever comes first, and whoever wants to be in the way: two that want the same credits,
/// strangers who send what others have signed, and the last second of each window.
contract RacesTest is MoneyBase {
    /// @dev Of a job of 40 credits, without a stake.
    uint256 private constant FOR_WORKER = 40 * 7_500;

    function setUp() public override {
        super.setUp();
        _fund(carol, 1_000);
    }

    /* TWO WANT THE SAME CREDITS */

    function test_lockAfterWithdrawal_isSkipped() public {
        vm.prank(carol);
        escrow.requestWithdrawal(1_000);
        _expectSkip(_jobId(1), SkipReason.InsufficientCredits);
        _lock(_jobId(1), carol, 40, MAX);
        _assertStatus(_jobId(1), JobStatus.None);

        // The id was not used up: the same job can be locked once the credits are back.
        vm.prank(carol);
        escrow.cancelWithdrawal();
        _lock(_jobId(1), carol, 40, MAX);
        _assertStatus(_jobId(1), JobStatus.Locked);
    }

    function test_withdrawalAfterLock_takesOnlyWhatIsLeft() public {
        bytes memory voucher = _voucher(carol, carol, 1_000, block.timestamp);
        _lock(_jobId(1), carol, 40, MAX);
        vm.startPrank(carol);
        vm.expectRevert(
            abi.encodeWithSelector(
                IEscrowAccounts.NotEnoughAvailable.selector, carol, uint256(1_000), uint256(960)
            )
        );
        escrow.withdraw(1_000, carol, block.timestamp, voucher);
        assertEq(escrow.withdrawalNonce(carol), 0, "a refused voucher is not used up");
        vm.stopPrank();
        _refund(_jobId(1));
        vm.prank(carol);
        escrow.withdraw(1_000, carol, block.timestamp, voucher);
        assertEq(token.balanceOf(carol), 1_000 * UNITS);
    }

    function test_voucherAfterThawRequest_waitsForTheCredits() public {
        bytes memory voucher = _voucher(carol, carol, 600, block.timestamp + 1 hours);
        vm.startPrank(carol);
        escrow.requestWithdrawal(1_000);
        vm.expectRevert(
            abi.encodeWithSelector(
                IEscrowAccounts.NotEnoughAvailable.selector, carol, uint256(600), uint256(0)
            )
        );
        escrow.withdraw(600, carol, block.timestamp + 1 hours, voucher);
        escrow.cancelWithdrawal();
        escrow.withdraw(600, carol, block.timestamp + 1 hours, voucher);
        vm.stopPrank();
        _assertCredits(carol, 400, 0);
    }

    /// @dev In the second of its expiry a lock goes to whoever is mined first, and to nobody twice.
    function test_refundAndSettlementInOneBlock_endTheLockOnce() public {
        for (uint256 i; i < 2; ++i) {
            bytes32 jobId = _jobId(i);
            _lock(jobId, carol, 100, MAX);
            SettleItem memory item = _completion(jobId, 1);
            skip(EXPIRY);
            if (i == 0) {
                escrow.refundExpired(jobId);
                _expectSkip(jobId, SkipReason.NotLocked);
                _settle(item);
                _assertAccount(carol, 1_000, 0);
            } else {
                _settle(item);
                vm.expectRevert(abi.encodeWithSelector(IJobEscrow.JobNotLocked.selector, jobId));
                escrow.refundExpired(jobId);
                _assertAccount(carol, 960, 0);
            }
        }
        _assertShares(FOR_WORKER, 40 * UNITS - FOR_WORKER, 0);
    }

    /* THE LAST SECOND */

    /// @dev Whatever the place of a settlement in its window, a dispute in its last second finds
    /// the money, also where everybody claims first in the same block.
    function testFuzz_disputeInItsLastSecond_findsTheMoney(uint256 at, bool sooner) public {
        uint256 begin = block.timestamp / DISPUTE * DISPUTE + DISPUTE;
        vm.warp(begin + bound(at, 0, DISPUTE - 1));
        _settled(_jobId(1), carol);
        skip(DISPUTE - (sooner ? 1 : 0));
        vm.expectRevert(IEscrowEarnings.NothingToClaim.selector);
        escrow.claim(workerId);
        vm.expectRevert(IEscrowEarnings.NothingToClaim.selector);
        escrow.claimTreasury();
        vm.prank(carol);
        escrow.openDispute(_jobId(1), bytes32(0));
        _assertShares(0, 0, 40 * UNITS);
    }

    function test_arbiterAndExpiryInOneBlock_decideOnce() public {
        for (uint256 i; i < 2; ++i) {
            bytes32 jobId = _jobId(i);
            _settled(jobId, carol);
            _dispute(jobId);
            skip(ARBITRATION);
            if (i == 0) {
                _resolve(jobId, true);
                vm.expectRevert(abi.encodeWithSelector(IJobEscrow.JobNotDisputed.selector, jobId));
                escrow.expireDispute(jobId);
            } else {
                escrow.expireDispute(jobId);
                vm.expectRevert(abi.encodeWithSelector(IJobEscrow.JobNotDisputed.selector, jobId));
                vm.prank(arbiter);
                escrow.resolveDispute(jobId, true);
            }
        }
        _assertShares(FOR_WORKER, 40 * UNITS - FOR_WORKER, 0);
    }

    /* STRANGERS */

    /// @dev A stranger can choose when, and not where to.
    function test_strangerSweepsFirst_creditsTheWallet() public {
        address at = escrow.depositAddress(carol);
        token.mint(at, 250 * UNITS);
        vm.prank(stranger);
        escrow.sweep(carol);
        _assertCredits(carol, 1_250, 0);

        // Whoever wanted to sweep too is told that there is nothing; nothing is counted twice.
        vm.expectRevert(
            abi.encodeWithSelector(
                IEscrowAccounts.BelowMinimumDeposit.selector, uint256(0), uint256(100)
            )
        );
        escrow.sweep(carol);
    }

    /// @dev What a stranger's sweep leaves below the minimum waits, or goes back to its owner.
    function test_strangerSweepsBetweenTwoPayments_strandsNothing() public {
        address at = escrow.depositAddress(carol);
        token.mint(at, 100 * UNITS);
        vm.prank(stranger);
        escrow.sweep(carol);
        token.mint(at, 99 * UNITS);
        vm.expectRevert(
            abi.encodeWithSelector(
                IEscrowAccounts.BelowMinimumDeposit.selector, uint256(99), uint256(100)
            )
        );
        escrow.sweep(carol);
        vm.prank(carol);
        escrow.recover(carol, address(token), 99 * UNITS);
        assertEq(token.balanceOf(carol), 99 * UNITS);
    }

    function test_dustSentByAStranger_isInNobodysWay() public {
        token.mint(address(escrow), 1);
        token.mint(escrow.depositAddress(carol), 1);
        token.mint(escrow.depositAddress(carol), 100 * UNITS);
        escrow.sweep(carol);
        _assertCredits(carol, 1_100, 0);
        vm.startPrank(carol);
        escrow.requestWithdrawal(1_100);
        skip(THAW);
        escrow.completeWithdrawal(carol);
        vm.stopPrank();
        assertEq(token.balanceOf(carol), 1_100 * UNITS);
    }

    /// @dev Of an authorization a stranger can neither change the wallet nor use it twice.
    function test_strangerBringsTheAuthorizationFirst() public {
        token.mint(carol, 300 * UNITS);
        Authorization memory signed = _authorize(carolKey, carol, 300, "salt");
        vm.prank(stranger);
        escrow.depositWithAuthorization(carol, carol, 300, signed);
        _assertCredits(carol, 1_300, 0);
        vm.expectRevert();
        escrow.depositWithAuthorization(carol, carol, 300, signed);
        _assertCredits(carol, 1_300, 0);
    }

    /// @dev A registration names the payee, so whoever brings it first brings the worker's own.
    function test_strangerRegistersTheWorkerFirst() public {
        uint256 key = uint256(keccak256("newcomer"));
        bytes memory signature = _signRegistration(key, vm.addr(key), payee);
        vm.prank(stranger);
        uint32 id = staking.register(vm.addr(key), payee, signature);
        assertEq(staking.register(vm.addr(key), payee, signature), id);
        (address signer, address to,) = staking.terms(id);
        assertEq(signer, vm.addr(key));
        assertEq(to, payee);
    }

    /* WHO WANTS TO BE IN THE WAY */

    /// @dev A wallet that contests all it has paid for holds back that, for a day, and no more.
    function test_disputesOfEverything_holdBackNothingElse() public {
        uint256 count = 20;
        DisputeItem[] memory items = new DisputeItem[](count);
        for (uint256 i; i < count; ++i) {
            _settled(_jobId(i), carol);
            items[i] = DisputeItem(_jobId(i), bytes32(i));
        }
        _settled(_jobId(count), alice);
        vm.prank(settler);
        escrow.disputeBatch(items);
        skip(2 * DISPUTE);
        escrow.claim(workerId);
        assertEq(token.balanceOf(payee), FOR_WORKER, "alice's job");

        skip(ARBITRATION);
        for (uint256 i; i < count; ++i) {
            escrow.expireDispute(_jobId(i));
        }
        escrow.claim(workerId);
        assertEq(token.balanceOf(payee), (count + 1) * FOR_WORKER);
    }

    /// @dev A worker that names the escrow as its payee would leave its earnings to nobody.
    function test_payeeThatIsTheEscrow_keepsItsEarnings() public {
        _settled(_jobId(1), carol);
        skip(2 * DISPUTE);
        vm.prank(vm.addr(workerKey));
        staking.setPayee(workerId, address(escrow));
        vm.expectRevert(IEscrowAccounts.PaysItself.selector);
        escrow.claim(workerId);
        assertEq(escrow.claimableEarnings(workerId), FOR_WORKER);

        vm.prank(vm.addr(workerKey));
        staking.setPayee(workerId, payee);
        escrow.claim(workerId);
        assertEq(token.balanceOf(payee), FOR_WORKER);
    }

    /// @dev An account as full as it can be still takes back all that jobs and verdicts return.
    function test_fullAccount_takesBackWhatIsReturned() public {
        uint64 most = type(uint48).max / 2;
        _fund(carol, most - 1_000);
        uint32 dearest = type(uint32).max;
        _lock(_jobId(1), carol, dearest, MAX);
        _settle(_completion(_jobId(1), type(uint32).max));
        (uint64 left,,,) = escrow.accounts(carol);
        uint64 charged = most - left;
        assertGt(charged, 80_000_000);
        _fund(carol, charged);
        _dispute(_jobId(1));
        _resolve(_jobId(1), true);
        _assertCredits(carol, most + charged, 0);

        // And none of it is stuck there.
        vm.startPrank(carol);
        escrow.requestWithdrawal(most + charged);
        skip(THAW);
        escrow.completeWithdrawal(carol);
        vm.stopPrank();
        assertEq(token.balanceOf(carol), uint256(most + charged) * UNITS);
    }

    function _expectSkip(bytes32 jobId, SkipReason reason) private {
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSkipped(jobId, uint8(reason));
    }
}
