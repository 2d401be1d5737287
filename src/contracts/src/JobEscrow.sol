// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { ECDSA } from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import { EIP712 } from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

import { DepositAddresses } from "./DepositAddresses.sol";
import { Account, EscrowConfig, EscrowState } from "./EscrowState.sol";
import { JobDisputes } from "./JobDisputes.sol";
import { OperatorLimits } from "./OperatorLimits.sol";
import { SpendLimits } from "./SpendLimits.sol";
import { Withdrawals } from "./Withdrawals.sol";
import {
    IJobEscrow,
    Job,
    JobStatus,
    LockItem,
    SettleItem,
    SkipReason
} from "./interfaces/IJobEscrow.sol";
import { WORKER_ID_MAX } from "./interfaces/IWorkerTerms.sol";
import { CompletionLib } from "./libraries/CompletionLib.sol";

/// @title JobEscrow
/// @notice See `IJobEscrow`. No proxy and no upgrade: a new version is a new address.
contract JobEscrow is DepositAddresses, Withdrawals, SpendLimits, JobDisputes {
    using CompletionLib for SettleItem;

    /// @dev The worker of consecutive settlements, held in memory so that its terms are read once
    /// and its earnings written once. The id 0 is nobody, and its signer is zero.
    struct HeldWorker {
        uint24 id;
        bool staked;
        address signer;
        uint72 earnedUnits;
    }

    /// @dev What a batch of settlements comes to, written once.
    struct Tally {
        uint64 chargeable;
        uint72 treasuryUnits;
    }

    constructor(EscrowConfig memory config)
        EscrowState(config)
        OperatorLimits(config)
        Withdrawals(config)
        EIP712("JobEscrow", "1")
    { }

    /* LOCK */

    /// @inheritdoc IJobEscrow
    function lockBatch(LockItem[] calldata items) external onlyRole(LOCKER_ROLE) {
        bool isPaused = paused();
        for (uint256 i; i < items.length; ++i) {
            SkipReason reason = isPaused ? SkipReason.Paused : _lock(items[i]);
            if (reason != SkipReason.None) emit JobSkipped(items[i].jobId, uint8(reason));
        }
    }

    function _lock(LockItem calldata item) private returns (SkipReason) {
        (bytes32 jobId, address wallet, uint32 credits) = (item.jobId, item.wallet, item.credits);
        if (credits == 0) return SkipReason.ZeroCredits;
        if (!PRICES.has(item.tier)) return SkipReason.UnknownTier;
        Job memory job = jobs(jobId);
        if (job.status != JobStatus.None) return SkipReason.JobIdUsed;
        Account storage account = _accounts[wallet];
        uint48 available = account.available;
        if (available < credits) return SkipReason.InsufficientCredits;
        uint16 today = _dayOf(block.timestamp);
        uint256 spent = _spentOn(account, today) + uint256(credits);
        if (_isOverLimit(account, spent)) return SkipReason.SpendLimitReached;

        // All parts in one assignment, so that the compiler writes their common slot once.
        (account.available, account.locked, account.spent, account.spentOn) =
        (available - credits, account.locked + credits, _capped(spent), today);
        (job.wallet, job.credits, job.tier) = (wallet, credits, item.tier);
        _move(jobId, job, JobStatus.Locked);
        emit JobLocked(jobId, wallet, credits, item.tier);
        return SkipReason.None;
    }

    /* SETTLE */

    /// @inheritdoc IJobEscrow
    function settleBatch(SettleItem[] calldata items) external onlyRole(SETTLER_ROLE) {
        HeldWorker memory worker;
        uint64 chargeable = _chargeable();
        Tally memory tally = Tally(chargeable, 0);
        for (uint256 i; i < items.length; ++i) {
            if (items[i].workerId != worker.id) {
                _letGo(worker);
                worker = _hold(items[i].workerId);
            }
            SkipReason reason = _settle(items[i], worker, tally);
            if (reason != SkipReason.None) emit JobSkipped(items[i].jobId, uint8(reason));
        }
        _letGo(worker);
        if (tally.chargeable == chargeable) return;
        _earnTreasury(tally.treasuryUnits);
        _countCharged(chargeable - tally.chargeable);
    }

    function _hold(uint32 workerId) private view returns (HeldWorker memory worker) {
        // A higher id does not fit a job's slot. Nobody has one.
        if (workerId > WORKER_ID_MAX) return worker;
        // casting to 'uint24' is safe because of the line above
        // forge-lint: disable-next-line(unsafe-typecast)
        worker.id = uint24(workerId);
        (worker.signer,, worker.staked) = WORKERS.terms(workerId);
    }

    function _letGo(HeldWorker memory worker) private {
        if (worker.earnedUnits != 0) _earn(worker.id, worker.earnedUnits);
    }

    /// @dev Adds the shares to `worker` and `tally`; the caller writes both.
    function _settle(SettleItem calldata item, HeldWorker memory worker, Tally memory tally)
        private
        returns (SkipReason)
    {
        Job memory job = jobs(item.jobId);
        if (job.status != JobStatus.Locked) return SkipReason.NotLocked;
        if (worker.signer == address(0)) return SkipReason.UnknownWorker;
        if (!_isSignedBy(worker.signer, item)) return SkipReason.BadSignature;
        uint32 charged = _charge(job, item.outputTokens);
        if (charged > tally.chargeable) return SkipReason.SettleCapReached;

        uint32 returned = job.credits - charged;
        (uint64 forWorker, uint64 forTreasury) = _shares(charged, worker.staked);
        _release(job, returned);
        // What a dispute will need.
        (job.credits, job.workerId, job.staked) = (charged, worker.id, worker.staked);
        _move(item.jobId, job, JobStatus.Settled);
        worker.earnedUnits += forWorker;
        tally.treasuryUnits += forTreasury;
        tally.chargeable -= charged;
        emit JobSettled(
            item.jobId,
            job.wallet,
            item.workerId,
            item.outputHash,
            item.outputTokens,
            charged,
            returned,
            forWorker,
            forTreasury
        );
        return SkipReason.None;
    }

    function _isSignedBy(address signer, SettleItem calldata item) private view returns (bool) {
        // Zero for a malleable signature or one that recovers nothing. `signer` is never zero.
        (address recovered,,) =
            ECDSA.tryRecover(_hashTypedDataV4(item.structHash()), item.r, item.vs);
        return recovered == signer;
    }

    /// @dev Never above the lock: what was not locked was never promised.
    function _charge(Job memory job, uint32 outputTokens) private view returns (uint32) {
        uint64 price = PRICES.priceOf(job.tier, outputTokens);
        // casting to 'uint32' is safe because the price is below a 32-bit lock
        // forge-lint: disable-next-line(unsafe-typecast)
        return price < job.credits ? uint32(price) : job.credits;
    }

    /* REFUND */

    /// @inheritdoc IJobEscrow
    function refundBatch(bytes32[] calldata jobIds) external onlyRole(SETTLER_ROLE) {
        for (uint256 i; i < jobIds.length; ++i) {
            Job memory job = jobs(jobIds[i]);
            if (job.status == JobStatus.Locked) _refund(jobIds[i], job);
            else emit JobSkipped(jobIds[i], uint8(SkipReason.NotLocked));
        }
    }

    /// @inheritdoc IJobEscrow
    function refundExpired(bytes32 jobId) external {
        Job memory job = jobs(jobId);
        require(job.status == JobStatus.Locked, JobNotLocked(jobId));
        uint256 expiresAt = uint256(job.since) + EXPIRY_SECONDS;
        // A validator can move the time by seconds, which only moves the refund by as much.
        // forge-lint: disable-next-line(block-timestamp)
        require(block.timestamp >= expiresAt, JobNotExpired(jobId, expiresAt));
        _refund(jobId, job);
    }

    function _refund(bytes32 jobId, Job memory job) private {
        _release(job, job.credits);
        _move(jobId, job, JobStatus.Refunded);
        emit JobRefunded(jobId, job.wallet, job.credits);
    }

    /// @dev Ends a lock; `returned` of it goes back to the wallet, and to what its day may cost: so
    /// this comes before `_move`, while `job` still tells when it was locked.
    function _release(Job memory job, uint32 returned) private {
        Account storage account = _accounts[job.wallet];
        (account.locked, account.available, account.spent) =
        (
            account.locked - job.credits,
            account.available + returned,
            _spentLess(account, _dayOf(job.since), returned)
        );
    }
}
