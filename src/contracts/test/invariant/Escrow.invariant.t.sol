// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Test } from "forge-std/Test.sol";

import { JobEscrow } from "../../src/JobEscrow.sol";
import { JobStatus } from "../../src/interfaces/IJobEscrow.sol";
import { DevUsdg } from "../../src/dev/DevUsdg.sol";
import { EscrowAuditor } from "./EscrowAuditor.sol";
import { EscrowHandler } from "./EscrowHandler.sol";

/// @notice The auditor already refuses, event by event, a charge above its lock, a lock or a charge
/// that is not shared out whole, and a job that ends twice. Here its books meet the contract's.
contract EscrowInvariantTest is Test {
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

        bytes4[] memory selectors = new bytes4[](9);
        selectors[0] = handler.deposit.selector;
        selectors[1] = handler.donate.selector;
        selectors[2] = handler.lock.selector;
        selectors[3] = handler.settle.selector;
        selectors[4] = handler.refund.selector;
        selectors[5] = handler.refundExpired.selector;
        selectors[6] = handler.warp.selector;
        // Twice as likely: these move the most.
        selectors[7] = handler.lock.selector;
        selectors[8] = handler.settle.selector;
        targetSelector(FuzzSelector({ addr: address(handler), selectors: selectors }));
        targetContract(address(handler));
    }

    function invariant_everyUnitIsOwned() public view {
        uint256 credits;
        for (uint256 i; i < handler.walletCount(); ++i) {
            (uint64 available, uint64 locked,,) = escrow.accounts(handler.wallets(i));
            credits += uint256(available) + locked;
        }
        uint256 owed = credits * UNITS + escrow.treasuryUnits() + handler.donatedUnits();
        for (uint32 id = 1; id <= handler.workerCount(); ++id) {
            owed += escrow.earnings(id);
        }
        assertEq(token.balanceOf(address(escrow)), owed);
    }

    function invariant_eventsTellTheWholeState() public view {
        for (uint256 i; i < handler.walletCount(); ++i) {
            address wallet = handler.wallets(i);
            (uint64 available, uint64 locked, uint64 thawing,) = escrow.accounts(wallet);
            (uint256 expectedAvailable, uint256 expectedLocked) = auditor.accounts(wallet);
            assertEq(available, expectedAvailable);
            assertEq(locked, expectedLocked);
            assertEq(thawing, 0);
        }
        for (uint32 id; id <= handler.workerCount(); ++id) {
            assertEq(escrow.earnings(id), auditor.earnings(id));
        }
        assertEq(escrow.treasuryUnits(), auditor.treasuryUnits());
    }

    function invariant_locksAreTheSumOfLockedJobs() public view {
        uint256 fromJobs;
        bytes32[] memory jobIds = handler.jobIds();
        for (uint256 i; i < jobIds.length; ++i) {
            (, uint256 credits,, JobStatus expected) = auditor.jobs(jobIds[i]);
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

    /// @dev A random life proves little where nothing happens: each end of a job must be reached.
    function test_everyEndIsReached() public {
        for (uint256 i; i < 40; ++i) {
            uint256 seed = uint256(keccak256(abi.encode(i)));
            handler.deposit(seed, 1_000);
            handler.lock(seed);
            handler.settle(seed);
            handler.refund(seed >> 1);
            handler.lock(seed >> 2);
            handler.warp(2 * EXPIRY);
            handler.refundExpired(seed, seed);
        }
        assertGt(auditor.settledCount(), 20);
        assertGt(auditor.refundedCount(), 20);
        assertGt(auditor.skippedCount(), 20);
    }
}
