// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { SafeCast } from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import { Test } from "forge-std/Test.sol";

import { JobEscrow } from "../../src/JobEscrow.sol";
import { Job, JobStatus } from "../../src/interfaces/IJobEscrow.sol";
import { DevUsdg } from "../../src/dev/DevUsdg.sol";
import { EscrowAuditor } from "./EscrowAuditor.sol";
import { EscrowHandler } from "./EscrowHandler.sol";

/// @notice The auditor already refuses, event by event, a charge above its lock, a lock or a charge
/// that is not shared out whole, and a job that ends twice. Here its books meet the contract's.
contract EscrowInvariantTest is Test {
    using SafeCast for uint256;

    uint256 private constant UNITS = 10_000;
    uint256 private constant EXPIRY = 180;

    EscrowHandler private handler;
    EscrowAuditor private auditor;
    JobEscrow private escrow;
    DevUsdg private token;

    function setUp() public {
        handler = new EscrowHandler();
        handler.setUp();
        auditor = handler.auditor();
        (address escrowAddress, address tokenAddress) = handler.world();
        escrow = JobEscrow(escrowAddress);
        token = DevUsdg(tokenAddress);

        bytes4[32] memory actions = [
            handler.deposit.selector,
            handler.depositWithPermit.selector,
            handler.depositWithAuthorization.selector,
            handler.sweep.selector,
            handler.recover.selector,
            handler.donate.selector,
            handler.withdraw.selector,
            handler.withdrawFor.selector,
            handler.requestWithdrawal.selector,
            handler.cancelWithdrawal.selector,
            handler.completeWithdrawal.selector,
            handler.claim.selector,
            handler.claimTreasury.selector,
            handler.pause.selector,
            handler.setSpendLimit.selector,
            handler.setSettleCap.selector,
            handler.refund.selector,
            handler.refundExpired.selector,
            handler.openDispute.selector,
            handler.resolve.selector,
            handler.expireDispute.selector,
            handler.stake.selector,
            handler.warp.selector,
            handler.warpADay.selector,
            handler.dispute.selector,
            handler.lock.selector,
            handler.settle.selector,
            // More likely: these move the most.
            handler.lock.selector,
            handler.lock.selector,
            handler.settle.selector,
            handler.settle.selector,
            handler.dispute.selector
        ];
        bytes4[] memory selectors = new bytes4[](actions.length);
        for (uint256 i; i < actions.length; ++i) {
            selectors[i] = actions[i];
        }
        targetSelector(FuzzSelector({ addr: address(handler), selectors: selectors }));
        targetContract(address(handler));
    }

    function invariant_everyUnitIsOwned() public view {
        uint256 credits;
        for (uint256 i; i < handler.walletCount(); ++i) {
            (uint64 available, uint64 locked, uint64 thawing,) = escrow.accounts(handler.wallets(i));
            credits += uint256(available) + locked + thawing;
        }
        uint256 owed = credits * UNITS + escrow.treasuryUnits() + escrow.disputedUnits()
            + handler.donatedUnits();
        for (uint32 id = 1; id <= handler.workerCount(); ++id) {
            owed += escrow.earnings(id);
        }
        assertEq(token.balanceOf(address(escrow)), owed);
    }

    function invariant_eventsTellTheWholeState() public view {
        for (uint256 i; i < handler.walletCount(); ++i) {
            address wallet = handler.wallets(i);
            (uint64 available, uint64 locked, uint64 thawing,) = escrow.accounts(wallet);
            (uint256 expectedAvailable, uint256 expectedLocked, uint256 expectedThawing,,,) =
                auditor.accounts(wallet);
            assertEq(available, expectedAvailable);
            assertEq(locked, expectedLocked);
            assertEq(thawing, expectedThawing);
        }
        for (uint32 id; id <= handler.workerCount(); ++id) {
            assertEq(escrow.earnings(id), auditor.earnings(id));
        }
        assertEq(escrow.treasuryUnits(), auditor.treasuryUnits());
        assertEq(escrow.disputedUnits(), auditor.disputedUnits());
    }

    /// @dev Wallet by wallet: what came in is here, was charged, or has left.
    function invariant_everyWalletGetsWhatIsItsOwn() public view {
        for (uint256 i; i < handler.walletCount(); ++i) {
            (
                uint256 available,
                uint256 locked,
                uint256 thawing,
                uint256 deposited,
                uint256 withdrawn,
                uint256 charged
            ) = auditor.accounts(handler.wallets(i));
            assertEq(deposited, available + locked + thawing + charged + withdrawn);
        }
    }

    function invariant_limitsAreTold() public view {
        for (uint256 i; i < handler.walletCount(); ++i) {
            address wallet = handler.wallets(i);
            (uint32 limit, uint32 spent) = escrow.spendLimit(wallet);
            assertEq(limit, auditor.spendLimit(wallet));
            assertEq(spent, auditor.spent(wallet, block.timestamp / 1 days));
        }
        (uint64 cap, uint64 left) = escrow.settleCap();
        uint256 charged = auditor.chargedIn(block.timestamp / 1 hours);
        assertEq(cap, auditor.settleCap());
        assertEq(left, charged < cap ? cap - charged : 0);
    }

    /// @dev Every life ends with an empty escrow, though it is paused and its operator is gone.
    function afterInvariant() public {
        handler.everybodyLeaves();
        assertEq(token.balanceOf(address(escrow)), handler.donatedUnits());
    }

    function invariant_locksAreTheSumOfLockedJobs() public view {
        uint256 fromJobs;
        bytes32[] memory jobIds = handler.jobIds();
        for (uint256 i; i < jobIds.length; ++i) {
            (, uint256 credits,, JobStatus expected,,,) = auditor.jobs(jobIds[i]);
            assertEq(uint8(escrow.jobs(jobIds[i]).status), uint8(expected));
            if (expected == JobStatus.Locked) fromJobs += credits;
        }
        uint256 fromAccounts;
        for (uint256 i; i < handler.walletCount(); ++i) {
            (, uint64 locked,,) = escrow.accounts(handler.wallets(i));
            fromAccounts += locked;
        }
        assertEq(fromAccounts, fromJobs);
    }

    function invariant_whatIsHeldIsTheSumOfOpenDisputes() public view {
        uint256 heldUnits;
        bytes32[] memory jobIds = handler.jobIds();
        for (uint256 i; i < jobIds.length; ++i) {
            (address wallet, uint256 credits, uint256 since, JobStatus status, uint256 workerId,,) =
                auditor.jobs(jobIds[i]);
            Job memory job = escrow.jobs(jobIds[i]);
            assertEq(job.wallet, wallet);
            assertEq(job.credits, credits);
            assertEq(job.since, since);
            assertEq(job.workerId, workerId);
            if (status == JobStatus.Disputed) heldUnits += job.credits * UNITS;
        }
        assertEq(escrow.disputedUnits(), heldUnits);
    }

    /// @dev A random life proves little where nothing happens: each end must be reached.
    function test_everyEndIsReached() public {
        for (uint256 i; i < 40; ++i) {
            uint256 seed = uint256(keccak256(abi.encode(i)));
            _live(i, seed);
        }
        assertGt(auditor.settledCount(), 20);
        assertGt(auditor.refundedCount(), 20);
        assertGt(auditor.disputedCount(), 15);
        assertGt(auditor.upheldCount(), 3);
        assertGt(auditor.rejectedCount(), 3);
        assertGt(auditor.skippedCount(), 20);
        assertGt(auditor.depositCount(), 80);
        assertGt(auditor.withdrawalCount(), 20);
        assertGt(auditor.thawedCount(), 5);
        assertGt(auditor.cancelledCount(), 5);
        assertGt(auditor.claimCount(), 20);
        afterInvariant();
    }

    function _live(uint256 i, uint256 seed) private {
        handler.deposit(seed, 1_000);
        handler.depositWithPermit(seed, seed >> 8, 1_000, i % 2 == 0);
        handler.depositWithAuthorization(seed, seed >> 8, 1_000, bytes32(seed));
        handler.sweep(seed, seed);
        handler.stake(seed, i % 2 == 0);
        handler.lock(seed);
        handler.settle(seed);
        handler.dispute(seed);
        handler.openDispute(seed >> 1, seed);
        for (uint256 j; j < 4; ++j) {
            handler.resolve(seed >> j, i % 2 == 0);
        }
        handler.refund(seed >> 1);
        handler.lock(seed >> 2);
        handler.settle(seed >> 2);
        uint64 credits = (seed >> 192).toUint64();
        handler.withdraw(seed, credits, seed);
        handler.withdrawFor(seed, credits, i % 4 != 0);
        handler.requestWithdrawal(seed, credits);
        handler.warp(2 * EXPIRY);
        handler.refundExpired(seed, seed);
        handler.claim(seed);
        if (i % 3 == 0) handler.cancelWithdrawal(seed);
        else handler.completeWithdrawal(seed);
        handler.warpADay();
        handler.expireDispute(seed >> 1, seed);
        handler.claim(seed);
        handler.claimTreasury();
    }
}
