// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IEscrowEarnings } from "../src/interfaces/IEscrowEarnings.sol";
import { JobStatus } from "../src/interfaces/IJobEscrow.sol";
import { MoneyBase } from "./MoneyBase.sol";

contract ClaimTest is MoneyBase {
    /// @dev Of a job of 40 credits, without a stake.
    uint256 private constant FOR_WORKER = 40 * 7_500;

    function setUp() public override {
        super.setUp();
        // The first second of a window: one that begins there is held the longest.
        vm.warp(block.timestamp / DISPUTE * DISPUTE);
    }

    function test_refusesWhereNothingWasEarned() public {
        _expectNothing(workerId);
        _expectNothing(0);
        _expectNothing(99);
    }

    function testFuzz_refusesWhatCanStillBeDisputed(uint256 settledAfter, uint256 age) public {
        skip(bound(settledAfter, 0, DISPUTE - 1));
        _settled(_jobId(1), alice);
        skip(bound(age, 0, DISPUTE));
        _expectNothing(workerId);
        assertEq(escrow.claimableEarnings(workerId), 0);
        assertEq(escrow.earnings(workerId), FOR_WORKER);
        _dispute(_jobId(1));
        _assertStatus(_jobId(1), JobStatus.Disputed);
    }

    function test_refusesASecondTime() public {
        _settled(_jobId(1), alice);
        skip(2 * DISPUTE);
        escrow.claim(workerId);
        _expectNothing(workerId);
    }

    /// @dev A registry that forgets a worker keeps its money here.
    function test_refusesAWorkerWithoutAPayee() public {
        _settled(_jobId(1), alice);
        skip(2 * DISPUTE);
        vm.mockCall(
            address(staking),
            abi.encodeCall(staking.terms, (workerId)),
            abi.encode(address(0), address(0), false)
        );
        vm.expectRevert(abi.encodeWithSelector(IEscrowEarnings.UnknownWorker.selector, workerId));
        escrow.claim(workerId);
    }

    function test_refusesWhatIsDisputed() public {
        _settled(_jobId(1), alice);
        _dispute(_jobId(1));
        skip(30 days);
        _expectNothing(workerId);
    }

    function test_paysOnlyWhatIsOldEnough() public {
        _settled(_jobId(1), alice);
        skip(DISPUTE);
        _settled(_jobId(2), alice);
        skip(DISPUTE);
        _settled(_jobId(3), alice);

        // The first is over, the other two are in the window before and in the one that runs.
        escrow.claim(workerId);
        assertEq(token.balanceOf(payee), FOR_WORKER);
        assertEq(escrow.earnings(workerId), 2 * FOR_WORKER);
        _dispute(_jobId(2));
        _dispute(_jobId(3));
        _assertStatus(_jobId(2), JobStatus.Disputed);
        _assertStatus(_jobId(3), JobStatus.Disputed);
        assertEq(escrow.earnings(workerId), 0);
    }

    function test_paysWhatADisputeFoundRightAtOnce() public {
        _settled(_jobId(1), alice);
        _settled(_jobId(2), alice);
        _dispute(_jobId(1));
        _expectNothing(workerId);
        _resolve(_jobId(1), false);
        assertEq(escrow.claimableEarnings(workerId), FOR_WORKER);
        escrow.claim(workerId);
        assertEq(token.balanceOf(payee), FOR_WORKER);

        // The other is still there to be disputed, and the first can not be a second time.
        _dispute(_jobId(1));
        _dispute(_jobId(2));
        _assertStatus(_jobId(1), JobStatus.Rejected);
        _assertStatus(_jobId(2), JobStatus.Disputed);
    }

    function test_paysNothingOfAnUpheldDispute() public {
        _settled(_jobId(1), alice);
        _dispute(_jobId(1));
        _resolve(_jobId(1), true);
        skip(30 days);
        _expectNothing(workerId);
    }

    /// @dev One worker's claim does not touch another's.
    function test_leavesOtherWorkersAlone() public {
        _settled(_jobId(1), alice);
        _lock(_jobId(2), bob, 100, MAX);
        _settle(_completionBy(otherWorkerKey, otherWorkerId, _jobId(2), 1));
        skip(2 * DISPUTE);
        escrow.claim(workerId);
        assertEq(escrow.claimableEarnings(otherWorkerId), FOR_WORKER);
        escrow.claim(otherWorkerId);
        assertEq(token.balanceOf(payee), 2 * FOR_WORKER);
    }

    function test_paysThePayeeOfTheMoment() public {
        _settled(_jobId(1), alice);
        skip(2 * DISPUTE);
        vm.prank(vm.addr(workerKey));
        staking.setPayee(workerId, stranger);
        escrow.claim(workerId);
        assertEq(token.balanceOf(stranger), FOR_WORKER);
    }

    function testFuzz_paysThePayeeWhoeverAsks(
        address caller,
        uint256 settledAfter,
        uint256 late,
        bool staked,
        bool paused
    ) public {
        skip(bound(settledAfter, 0, DISPUTE - 1));
        _setStaked(workerId, workerKey, staked);
        _settled(_jobId(1), alice);
        uint256 units = uint256(40) * (staked ? 8_500 : 7_500);
        skip(bound(late, 2 * DISPUTE, 1_000 days));
        if (paused) _pause();
        assertEq(escrow.claimableEarnings(workerId), units);

        vm.expectEmit(address(escrow));
        emit IEscrowEarnings.EarningsClaimed(workerId, payee, units);
        vm.prank(caller);
        escrow.claim(workerId);

        assertEq(token.balanceOf(payee), units);
        assertEq(escrow.earnings(workerId), 0);
        assertEq(escrow.claimableEarnings(workerId), 0);
    }

    function _expectNothing(uint32 id) private {
        vm.expectRevert(IEscrowEarnings.NothingToClaim.selector);
        escrow.claim(id);
    }
}
