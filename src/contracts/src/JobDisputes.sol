// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Earnings } from "./Earnings.sol";
import { DisputeItem, IJobEscrow, Job, JobStatus, SkipReason } from "./interfaces/IJobEscrow.sol";
import { IWorkerSlashing } from "./interfaces/IWorkerSlashing.sol";
import { SlashReason } from "./interfaces/IWorkerStaking.sol";

/// @notice A settled job whose caller says that it received another answer than the worker signed.
/// While that is open, what the job earned belongs to nobody.
abstract contract JobDisputes is Earnings {
    /// @dev Enough for any sound contract of workers. A broken one can burn no more, and so never
    /// keeps a verdict from counting.
    uint256 private constant SLASH_GAS = 500_000;
    /// @dev A call passes on at most 63 of 64 parts of its gas; the rest is for the event after it.
    uint256 private constant SLASH_GAS_NEEDED = SLASH_GAS * 64 / 63 + 20_000;

    /* OPEN */

    /// @inheritdoc IJobEscrow
    function disputeBatch(DisputeItem[] calldata items) external onlyRole(SETTLER_ROLE) {
        for (uint256 i; i < items.length; ++i) {
            bytes32 jobId = items[i].jobId;
            Job memory job = jobs(jobId);
            if (job.status != JobStatus.Settled) {
                emit JobSkipped(jobId, uint8(SkipReason.NotSettled));
            } else if (_isWindowOver(job)) {
                emit JobSkipped(jobId, uint8(SkipReason.DisputeWindowOver));
            } else {
                _open(jobId, job, items[i].claimedHash);
            }
        }
    }

    /// @inheritdoc IJobEscrow
    function openDispute(bytes32 jobId, bytes32 claimedHash) external {
        Job memory job = jobs(jobId);
        require(job.status == JobStatus.Settled, JobNotSettled(jobId));
        require(job.wallet == msg.sender, NotWalletOfJob(jobId, msg.sender));
        require(!_isWindowOver(job), DisputeWindowOver(jobId, _windowEnd(job)));
        _open(jobId, job, claimedHash);
    }

    function _windowEnd(Job memory job) private view returns (uint256) {
        return uint256(job.since) + DISPUTE_SECONDS;
    }

    function _isWindowOver(Job memory job) private view returns (bool) {
        // A validator can move the time by seconds; the window is minutes longer than it must be.
        // forge-lint: disable-next-line(block-timestamp)
        return block.timestamp > _windowEnd(job);
    }

    function _open(bytes32 jobId, Job memory job, bytes32 claimedHash) private {
        _contest(job);
        _move(jobId, job, JobStatus.Disputed);
        emit JobDisputed(jobId, job.wallet, job.workerId, claimedHash);
    }

    /* RESOLVE */

    /// @inheritdoc IJobEscrow
    function resolveDispute(bytes32 jobId, bool upheld) external onlyRole(ARBITER_ROLE) {
        _resolve(jobId, _disputed(jobId), upheld);
    }

    /// @inheritdoc IJobEscrow
    function expireDispute(bytes32 jobId) external {
        Job memory job = _disputed(jobId);
        uint256 endsAt = uint256(job.since) + ARBITRATION_SECONDS;
        // A validator can move the time by seconds, of a day.
        // forge-lint: disable-next-line(block-timestamp)
        require(block.timestamp >= endsAt, ArbitrationNotOver(jobId, endsAt));
        _resolve(jobId, job, false);
    }

    function _disputed(bytes32 jobId) private view returns (Job memory job) {
        job = jobs(jobId);
        require(job.status == JobStatus.Disputed, JobNotDisputed(jobId));
    }

    function _resolve(bytes32 jobId, Job memory job, bool upheld) private {
        _endContest(job, !upheld);
        _move(jobId, job, upheld ? JobStatus.Upheld : JobStatus.Rejected);
        if (upheld) _accounts[job.wallet].available += job.credits;
        emit DisputeResolved(jobId, job.wallet, job.workerId, upheld, upheld ? job.credits : 0);
        if (upheld) _slash(jobId, job.workerId);
    }

    function _slash(bytes32 jobId, uint32 workerId) private {
        // Or whoever sends the verdict could spare the worker by sending little gas.
        require(gasleft() >= SLASH_GAS_NEEDED, TooLittleGasToSlash());
        try IWorkerSlashing(address(WORKERS)).slash{ gas: SLASH_GAS }(
            workerId, jobId, SlashReason.FraudulentProof
        ) { }
        catch {
            emit SlashFailed(jobId, workerId);
        }
    }
}
