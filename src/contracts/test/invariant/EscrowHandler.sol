// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { SafeCast } from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import { DisputeItem, JobStatus, LockItem, SettleItem } from "../../src/interfaces/IJobEscrow.sol";
import { MoneyHandler } from "./MoneyHandler.sol";

/// @notice The actors of a random life of one escrow: those who run jobs, and all others. Every
/// call does what the rules say; what they forbid is tried too, and inside batches must be skipped.
contract EscrowHandler is MoneyHandler {
    using SafeCast for uint256;

    uint256 private constant BATCH_MAX = 6;

    bytes32[] private _jobIds;

    /* ACTORS */

    /// @dev About one item in eight takes a known job id; some ask for more than the wallet has.
    function lock(uint256 seed) external {
        LockItem[] memory items = new LockItem[](_batchSize(seed));
        for (uint256 i; i < items.length; ++i) {
            uint256 random = _random(seed, i);
            bool reuse = random % 8 == 0 && _jobIds.length != 0;
            bytes32 id = reuse ? _knownJob(random) : _jobId(_jobIds.length);
            if (!reuse) _jobIds.push(id);
            uint256 most = random % 16 == 1 ? type(uint32).max : 200;
            items[i] = LockItem({
                jobId: id,
                wallet: _wallet(random >> 8),
                credits: uint32(bound(random >> 16, 0, most)),
                tier: uint8((random >> 24) % 5)
            });
        }
        vm.prank(locker);
        escrow.lockBatch(items);
        _audit();
    }

    /// @dev Jobs in any state, by any worker; one item in eight carries a broken signature.
    function settle(uint256 seed) external {
        if (_jobIds.length == 0) return;
        SettleItem[] memory items = new SettleItem[](_batchSize(seed));
        for (uint256 i; i < items.length; ++i) {
            uint256 random = _random(seed, i);
            uint32 id = uint32((random >> 8) % workerKeys.length);
            items[i] = _completionBy(
                workerKeys[id], id + 1, _knownJob(random), uint32(bound(random >> 16, 0, 12_000))
            );
            if (random % 8 == 0) items[i].outputTokens += 1;
        }
        vm.prank(settler);
        escrow.settleBatch(items);
        _audit();
    }

    function refund(uint256 seed) external {
        if (_jobIds.length == 0) return;
        bytes32[] memory ids = new bytes32[](_batchSize(seed) / 2 + 1);
        for (uint256 i; i < ids.length; ++i) {
            ids[i] = _knownJob(_random(seed, i));
        }
        vm.prank(settler);
        escrow.refundBatch(ids);
        _audit();
    }

    /// @dev Succeeds exactly for a lock that is old enough.
    function refundExpired(uint256 seed, uint256 callerSeed) external {
        if (_jobIds.length == 0) return;
        bytes32 id = _knownJob(seed);
        bool due = _isExpired(id);
        vm.prank(_wallet(callerSeed));
        try escrow.refundExpired(id) {
            assertTrue(due, "refunded before its time");
        } catch {
            assertFalse(due, "an expired lock could not be taken back");
        }
        _audit();
    }

    /// @dev Jobs in any state; those of the past are too late.
    function dispute(uint256 seed) external {
        if (_jobIds.length == 0) return;
        DisputeItem[] memory items = new DisputeItem[](_batchSize(seed));
        for (uint256 i; i < items.length; ++i) {
            bytes32 id = _knownJob(_random(seed, i));
            items[i] = DisputeItem(id, _claimedHash(id));
        }
        vm.prank(settler);
        escrow.disputeBatch(items);
        _audit();
    }

    /// @dev Succeeds exactly for the wallet of a job that was settled a short time ago.
    function openDispute(uint256 seed, uint256 callerSeed) external {
        if (_jobIds.length == 0) return;
        bytes32 id = _knownJob(seed);
        address caller = _wallet(callerSeed);
        bool allowed = _isDisputable(id, caller);
        vm.prank(caller);
        try escrow.openDispute(id, _claimedHash(id)) {
            assertTrue(allowed, "disputed against the rules");
        } catch {
            assertFalse(allowed, "a dispute in its window could not be opened");
        }
        _audit();
    }

    /// @dev Succeeds exactly for an open dispute.
    function resolve(uint256 seed, bool upheld) external {
        if (_jobIds.length == 0) return;
        bytes32 id = _knownJob(seed);
        (bool open,) = _openDispute(id);
        vm.prank(arbiter);
        try escrow.resolveDispute(id, upheld) {
            assertTrue(open, "resolved what was not disputed");
        } catch {
            assertFalse(open, "a dispute could not be resolved");
        }
        _audit();
    }

    /// @dev Succeeds exactly for a dispute that was open for long enough.
    function expireDispute(uint256 seed, uint256 callerSeed) external {
        if (_jobIds.length == 0) return;
        bytes32 id = _knownJob(seed);
        (bool open, uint256 since) = _openDispute(id);
        // forge-lint: disable-next-line(block-timestamp)
        bool due = open && block.timestamp >= since + ARBITRATION;
        vm.prank(_wallet(callerSeed));
        try escrow.expireDispute(id) {
            assertTrue(due, "expired before its time");
            _assertStatus(id, JobStatus.Rejected);
        } catch {
            assertFalse(due, "a forgotten dispute could not be ended");
        }
        _audit();
    }

    /// @dev A worker's stake comes or goes; what it has earned stays as it is.
    function stake(uint256 workerSeed, bool staked) external {
        uint32 index = (workerSeed % workerKeys.length).toUint32();
        _setStaked(index + 1, workerKeys[index], staked);
    }

    function warpADay() external {
        skip(ARBITRATION);
    }

    function warp(uint256 elapsed) external {
        skip(bound(elapsed, 1, 2 * EXPIRY));
    }

    /// @dev The end of a life: paused, and without the operator, every single one takes what is its
    /// own. Nothing may be left over that anybody could claim.
    function everybodyLeaves() external {
        if (!auditor.paused()) {
            vm.prank(pauser);
            escrow.pause();
        }
        skip(ARBITRATION);
        for (uint256 i; i < _jobIds.length; ++i) {
            JobStatus status = escrow.jobs(_jobIds[i]).status;
            if (status == JobStatus.Locked) escrow.refundExpired(_jobIds[i]);
            if (status == JobStatus.Disputed) escrow.expireDispute(_jobIds[i]);
        }
        for (uint256 i; i < wallets.length; ++i) {
            (uint64 available,, uint64 thawing,) = escrow.accounts(wallets[i]);
            if (available + thawing == 0) continue;
            vm.startPrank(wallets[i]);
            if (available != 0) escrow.requestWithdrawal(available);
            _audit();
            skip(THAW);
            escrow.completeWithdrawal(wallets[i]);
            vm.stopPrank();
        }
        for (uint32 id = 1; id <= workerKeys.length; ++id) {
            if (escrow.earnings(id) != 0) escrow.claim(id);
        }
        if (escrow.treasuryUnits() != 0) escrow.claimTreasury();
        _audit();
    }

    /* READ */

    function jobIds() external view returns (bytes32[] memory) {
        return _jobIds;
    }

    function _isExpired(bytes32 id) private view returns (bool) {
        (,, uint256 since, JobStatus status,,,) = auditor.jobs(id);
        // forge-lint: disable-next-line(block-timestamp)
        return status == JobStatus.Locked && block.timestamp >= since + EXPIRY;
    }

    function _isDisputable(bytes32 id, address caller) private view returns (bool) {
        (address wallet,, uint256 since, JobStatus status,,,) = auditor.jobs(id);
        // forge-lint: disable-next-line(block-timestamp)
        return status == JobStatus.Settled && wallet == caller && block.timestamp <= since + DISPUTE;
    }

    function _openDispute(bytes32 id) private view returns (bool open, uint256 since) {
        JobStatus status;
        (,, since, status,,,) = auditor.jobs(id);
        open = status == JobStatus.Disputed;
    }

    function _batchSize(uint256 seed) private pure returns (uint256) {
        return 1 + seed % BATCH_MAX;
    }

    /// @dev Mostly one of the latest jobs, so that most still hold their lock.
    function _knownJob(uint256 seed) private view returns (bytes32) {
        uint256 back = seed >> 128;
        uint256 window = back % 4 == 0 || _jobIds.length < 12 ? _jobIds.length : 12;
        return _jobIds[_jobIds.length - 1 - (back >> 8) % window];
    }
}
