// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";

import { EscrowConfig } from "../src/EscrowState.sol";
import { JobEscrow } from "../src/JobEscrow.sol";
import { IJobEscrow, JobStatus, SettleItem, SkipReason } from "../src/interfaces/IJobEscrow.sol";
import { MoneyBase } from "./MoneyBase.sol";

contract SetSettleCapTest is MoneyBase {
    uint64 private constant MOST = 10_000;
    uint64 private constant LEAST = 100;

    function setUp() public override {
        super.setUp();
        EscrowConfig memory config = _config();
        config.settleCapMax = MOST;
        escrow = new JobEscrow(config);
        _fund(alice, START_CREDITS);
        vm.warp(block.timestamp / 1 hours * 1 hours);
    }

    function testFuzz_refusesOthersThanTheAdmin(address caller) public {
        vm.assume(caller != admin);
        vm.expectRevert(
            abi.encodeWithSelector(
                IAccessControl.AccessControlUnauthorizedAccount.selector, caller, bytes32(0)
            )
        );
        vm.prank(caller);
        escrow.setSettleCap(MOST);
    }

    /// @dev Above: the bound is for good. Below: settlements could be stopped with it.
    function testFuzz_refusesWhatIsOutOfBounds(uint64 cap) public {
        vm.assume(cap < LEAST || cap > MOST);
        vm.expectRevert(
            abi.encodeWithSelector(IJobEscrow.SettleCapOutOfBounds.selector, cap, LEAST, MOST)
        );
        _set(cap);
    }

    function testFuzz_setsWhatIsInBounds(uint64 cap) public {
        cap = uint64(bound(cap, LEAST, MOST));
        vm.expectEmit(address(escrow));
        emit IJobEscrow.SettleCapSet(cap);
        _set(cap);
        _assertCap(cap, cap);
    }

    /// @dev What was lowered in an alarm can be raised to what it was.
    function test_goesToEitherBoundAndBack() public {
        _set(LEAST);
        _assertCap(LEAST, LEAST);
        _set(MOST);
        _assertCap(MOST, MOST);
    }

    function test_beginsAtTheBound() public view {
        assertEq(escrow.SETTLE_CAP_MAX(), MOST);
        _assertCap(MOST, MOST);
    }

    function test_skipsWhatIsAboveIt_andSettlesItInTheNextHour() public {
        _set(LEAST);
        SettleItem[] memory items = _locked(4);
        _settleAll(items, 2);
        // 40 credits each: two fit into a hundred.
        _assertStatus(items[1].jobId, JobStatus.Settled);
        _assertStatus(items[2].jobId, JobStatus.Locked);
        _assertCap(LEAST, 20);

        skip(1 hours - 1);
        _expectCapped(items[2]);
        skip(1);
        _assertCap(LEAST, LEAST);
        _settle(items[2]);
        _settle(items[3]);
        _assertStatus(items[3].jobId, JobStatus.Settled);
        _assertCap(LEAST, 20);
        assertEq(escrow.earnings(workerId) + escrow.treasuryUnits(), 160 * UNITS);
    }

    function test_settlesWhatFillsItToTheLastCredit() public {
        _set(LEAST);
        SettleItem[] memory items = _locked(3);
        _settle(items[0]);
        _settle(_completion(items[1].jobId, 1_500));
        // 40 and 60 credits.
        _assertStatus(items[1].jobId, JobStatus.Settled);
        _assertCap(LEAST, 0);
        _expectCapped(items[2]);
    }

    /// @dev A smaller charge still fits where a larger one did not.
    function test_skipsOnlyWhatDoesNotFit() public {
        _set(LEAST);
        SettleItem[] memory items = _locked(2);
        _lock(_jobId(90), alice, 8, STANDARD);
        SettleItem[] memory three = new SettleItem[](3);
        (three[0], three[1]) = (items[0], items[1]);
        _settle(items[0]);
        _settle(items[1]);
        _lock(_jobId(91), alice, 40, MAX);
        (three[0], three[1]) = (_completion(_jobId(91), 1), _completion(_jobId(90), 1));
        three[2] = _completion(_jobId(91), 1);
        vm.prank(settler);
        escrow.settleBatch(three);
        _assertStatus(_jobId(91), JobStatus.Locked);
        _assertStatus(_jobId(90), JobStatus.Settled);
        _assertCap(LEAST, 12);
    }

    function test_leavesNothingWhereItWasLoweredWithinTheHour() public {
        SettleItem[] memory items = _locked(4);
        _settleAll(items, 3);
        _set(LEAST);
        _assertCap(LEAST, 0);
        _expectCapped(items[3]);
    }

    /// @dev What cannot be settled in time goes back, as ever: nothing is stuck.
    function test_whatIsSkippedCanBeRefunded() public {
        _set(LEAST);
        SettleItem[] memory items = _locked(4);
        _settleAll(items, 2);
        skip(EXPIRY);
        escrow.refundExpired(items[2].jobId);
        _refund(items[3].jobId);
        _assertAccount(alice, START_CREDITS - 80, 0);
    }

    function testFuzz_neverSettlesMoreInAnHour(uint64 cap, uint256 seed) public {
        cap = uint64(bound(cap, LEAST, 1_000));
        _set(cap);
        SettleItem[] memory items = _locked(30);
        for (uint256 i; i < items.length; ++i) {
            uint32 tokens = uint32(uint256(keccak256(abi.encode(seed, i))) % 3_500);
            items[i] = _completion(items[i].jobId, tokens);
        }
        _settleAll(items, items.length);
        uint256 charged = (escrow.earnings(workerId) + escrow.treasuryUnits()) / UNITS;
        assertLe(charged, cap);
        (, uint64 left) = escrow.settleCap();
        assertEq(left, cap - charged);
    }

    function _set(uint64 cap) private {
        vm.prank(admin);
        escrow.setSettleCap(cap);
    }

    /// @dev Completions of jobs that hold 100 credits each.
    function _locked(uint256 count) private returns (SettleItem[] memory items) {
        items = new SettleItem[](count);
        for (uint256 i; i < count; ++i) {
            _lock(_jobId(i), alice, 100, MAX);
            items[i] = _completion(_jobId(i), 1);
        }
    }

    function _settleAll(SettleItem[] memory items, uint256 count) private {
        SettleItem[] memory first = new SettleItem[](count);
        for (uint256 i; i < count; ++i) {
            first[i] = items[i];
        }
        vm.prank(settler);
        escrow.settleBatch(first);
    }

    function _expectCapped(SettleItem memory item) private {
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSkipped(item.jobId, uint8(SkipReason.SettleCapReached));
        _settle(item);
        _assertStatus(item.jobId, JobStatus.Locked);
    }

    function _assertCap(uint64 cap, uint64 left) private view {
        (uint64 actualCap, uint64 actualLeft) = escrow.settleCap();
        assertEq(actualCap, cap, "cap");
        assertEq(actualLeft, left, "left");
    }
}
