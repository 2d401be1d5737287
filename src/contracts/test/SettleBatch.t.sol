// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";
import { SafeCast } from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import {
    IJobEscrow,
    Job,
    JobStatus,
    SettleItem,
    SkipReason
} from "../src/interfaces/IJobEscrow.sol";
import { WORKER_ID_MAX } from "../src/interfaces/IWorkerTerms.sol";
import { BaseTest } from "./BaseTest.sol";

contract SettleBatchTest is BaseTest {
    using SafeCast for uint256;

    uint256 private constant CURVE_ORDER =
        0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
    uint32 private constant LOCKED = 100;

    bytes32 private jobId = _jobId(1);

    function setUp() public override {
        super.setUp();
        _lock(jobId, alice, LOCKED, MAX);
    }

    function testFuzz_refusesOthersThanTheSettler(address caller) public {
        vm.assume(caller != settler);
        vm.expectRevert(
            abi.encodeWithSelector(
                IAccessControl.AccessControlUnauthorizedAccount.selector,
                caller,
                escrow.SETTLER_ROLE()
            )
        );
        vm.prank(caller);
        escrow.settleBatch(new SettleItem[](0));
    }

    function test_skipsJobThatWasNeverLocked() public {
        _expectSkipped(_completion(_jobId(2), 1), SkipReason.NotLocked);
    }

    function test_skipsSettledJob() public {
        _settle(_completion(jobId, 1));
        uint256 earned = escrow.earnings(workerId);
        _expectSkipped(_completion(jobId, 1), SkipReason.NotLocked);
        _expectSkipped(_completionBy(otherWorkerKey, otherWorkerId, jobId, 1), SkipReason.NotLocked);
        assertEq(escrow.earnings(workerId), earned);
        _assertAccount(alice, START_CREDITS - 40, 0);
    }

    function test_skipsRefundedJob() public {
        _refund(jobId);
        _expectSkipped(_completion(jobId, 1), SkipReason.NotLocked);
        _assertAccount(alice, START_CREDITS, 0);
    }

    function testFuzz_skipsUnknownWorker(uint32 id) public {
        vm.assume(id != workerId && id != otherWorkerId);
        _expectSkipped(_completionBy(workerKey, id, jobId, 1), SkipReason.UnknownWorker);
        _assertStillLocked();
    }

    function test_skipsSignatureOfAnotherWorker() public {
        _expectSkipped(_completionBy(otherWorkerKey, workerId, jobId, 1), SkipReason.BadSignature);
        _assertStillLocked();
    }

    /// @dev Nothing the worker signed can be changed by whoever sends the settlement.
    function testFuzz_skipsAlteredCompletion(uint8 field, uint256 altered) public {
        _lock(_jobId(2), alice, LOCKED, MAX);
        SettleItem memory item = _completion(jobId, 1);
        field = uint8(bound(field, 0, 5));
        if (field == 0) item.jobId = _jobId(2);
        if (field == 1) item.outputHash = bytes32(altered);
        if (field == 2) item.outputTokens = uint32(bound(altered, 2, type(uint32).max));
        if (field == 3) item.completedAt = uint40(bound(altered, 0, block.timestamp - 1));
        if (field == 4) item.r = bytes32(altered);
        if (field == 5) item.vs = bytes32(altered);

        _expectSkipped(item, SkipReason.BadSignature);
        _assertStatus(jobId, JobStatus.Locked);
        _assertStatus(_jobId(2), JobStatus.Locked);
    }

    /// @dev A high `s` fits the 255 bits of a compact signature only above half the order; the same
    /// key would then have two signatures of one completion.
    function test_skipsHighS() public {
        SettleItem memory item = _completion(jobId, 1);
        item.vs = bytes32(uint256(type(uint256).max >> 1));
        _expectSkipped(item, SkipReason.BadSignature);

        item = _completion(jobId, 1);
        uint256 s = uint256(item.vs) & (type(uint256).max >> 1);
        item.vs = bytes32((CURVE_ORDER - s) ^ (uint256(item.vs) & (1 << 255)) ^ (1 << 255));
        _expectSkipped(item, SkipReason.BadSignature);
        _assertStillLocked();
    }

    /// @dev ecrecover answers zero for garbage, and an unknown worker has the signer zero: the two
    /// must never meet.
    function test_skipsZeroSignerOfUnknownWorker() public {
        SettleItem memory item = _completion(jobId, 1);
        (item.r, item.vs) = (0, 0);
        _expectSkipped(item, SkipReason.BadSignature);
        item.workerId = 0;
        _expectSkipped(item, SkipReason.UnknownWorker);
        item.workerId = 99;
        _expectSkipped(item, SkipReason.UnknownWorker);
        _assertStillLocked();
    }

    function test_settlesTheRestOfABatchWithABadItem() public {
        _lock(_jobId(2), bob, LOCKED, LITE);
        _lock(_jobId(3), alice, LOCKED, STANDARD);
        SettleItem[] memory items = new SettleItem[](6);
        items[0] = _completion(_jobId(2), 500);
        items[1] = _completionBy(otherWorkerKey, otherWorkerId, jobId, 501);
        items[2] = _completion(_jobId(2), 1);
        items[3] = _completion(_jobId(4), 1);
        items[4] = _completionBy(workerKey, 99, _jobId(3), 1);
        items[5] = _completion(_jobId(3), 1500);

        vm.prank(settler);
        escrow.settleBatch(items);

        // Charged: 2, 41 and 12 credits; three of four parts to the workers.
        assertEq(escrow.earnings(workerId), 14 * 7_500);
        assertEq(escrow.earnings(otherWorkerId), 41 * 7_500);
        assertEq(escrow.earnings(99), 0);
        assertEq(escrow.earnings(0), 0);
        assertEq(escrow.treasuryUnits(), 55 * 2_500);
        _assertAccount(alice, START_CREDITS - 41 - 12, 0);
        _assertAccount(bob, START_CREDITS - 2, 0);
    }

    function test_neverChargesAboveTheLock() public {
        _settle(_completion(jobId, type(uint32).max));
        _assertAccount(alice, START_CREDITS - LOCKED, 0);
        assertEq(escrow.earnings(workerId), uint256(LOCKED) * 7_500);
    }

    function testFuzz_sharesByTheStakeOfTheMoment(bool staked, uint32 outputTokens) public {
        outputTokens = uint32(bound(outputTokens, 0, 3_000));
        _setStaked(workerId, workerKey, staked);
        _settle(_completion(jobId, outputTokens));
        _setStaked(workerId, workerKey, !staked);

        uint256 units = _expectedPrice(40, 20, outputTokens) * UNITS;
        assertEq(escrow.earnings(workerId), units * (staked ? 8_500 : 7_500) / 10_000);
        assertEq(escrow.earnings(workerId) + escrow.treasuryUnits(), units);
        assertEq(escrow.jobs(jobId).staked, staked);
    }

    /// @dev Whatever the registry says: such an id would spill over into the rest of the job.
    function testFuzz_skipsIdThatDoesNotFitAJob(uint32 id) public {
        id = uint32(bound(id, uint256(WORKER_ID_MAX) + 1, type(uint32).max));
        _setStaked(id, workerKey, true);
        _expectSkipped(_completionBy(workerKey, id, jobId, 1), SkipReason.UnknownWorker);
        _assertStillLocked();
    }

    function test_settlesByTheHighestId() public {
        _setStaked(WORKER_ID_MAX, workerKey, true);
        _settle(_completionBy(workerKey, WORKER_ID_MAX, jobId, 1));
        assertEq(escrow.jobs(jobId).workerId, WORKER_ID_MAX);
        assertEq(escrow.earnings(WORKER_ID_MAX), 40 * 8_500);
    }

    /// forge-config: default.fuzz.runs = 512
    function testFuzz_charges(uint8 tier, uint32 credits, uint32 outputTokens) public {
        tier = uint8(bound(tier, LITE, MAX));
        credits = uint32(bound(credits, 1, START_CREDITS - LOCKED));
        bytes32 id = _jobId(7);
        _lock(id, alice, credits, tier);
        SettleItem memory item = _completion(id, outputTokens);

        uint256 charged = _expectedPrice(
            _config().prices[tier].perRequest, _config().prices[tier].per1kTokens, outputTokens
        );
        if (charged > credits) charged = credits;
        uint256 forWorker = charged * UNITS * 7_500 / 10_000;
        uint256 forTreasury = charged * UNITS - forWorker;

        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSettled(
            id,
            alice,
            workerId,
            item.outputHash,
            outputTokens,
            charged.toUint32(),
            (credits - charged).toUint32(),
            forWorker.toUint64(),
            forTreasury.toUint64()
        );
        _settle(item);

        _assertSameJob(
            escrow.jobs(id),
            Job(
                alice,
                charged.toUint32(),
                tier,
                JobStatus.Settled,
                block.timestamp.toUint32(),
                uint256(workerId).toUint24(),
                false
            )
        );
        _assertAccount(alice, (START_CREDITS - LOCKED - charged).toUint64(), LOCKED);
        assertEq(escrow.earnings(workerId), forWorker);
        assertEq(escrow.treasuryUnits(), forTreasury);
    }

    function _expectSkipped(SettleItem memory item, SkipReason reason) private {
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSkipped(item.jobId, uint8(reason));
        _settle(item);
    }

    function _assertStillLocked() private view {
        _assertStatus(jobId, JobStatus.Locked);
        _assertAccount(alice, START_CREDITS - LOCKED, LOCKED);
        assertEq(escrow.treasuryUnits(), 0);
    }
}
