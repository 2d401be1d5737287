// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";
import { Vm } from "forge-std/Vm.sol";

import { IJobEscrow, JobStatus } from "../../src/interfaces/IJobEscrow.sol";
import { MoneyAuditor } from "./MoneyAuditor.sol";

/// @notice Rebuilds the expected state of an escrow from its events alone, and refuses any event
/// that the rules do not allow. What it can rebuild, every reader of the chain can.
contract EscrowAuditor is MoneyAuditor {
    /// @dev `credits` are locked, and charged once settled. `since` is when the status was taken.
    struct ExpectedJob {
        address wallet;
        uint256 credits;
        uint256 since;
        JobStatus status;
        uint256 workerId;
        uint256 forWorker;
        uint256 forTreasury;
    }

    uint256 private constant DISPUTE = 600;

    mapping(bytes32 => ExpectedJob) public jobs;
    bytes32[] private _settledJobs;
    uint256 public settledCount;
    uint256 public refundedCount;
    uint256 public disputedCount;
    uint256 public upheldCount;
    uint256 public rejectedCount;
    uint256 public skippedCount;

    function take(Vm.Log[] calldata logs, address escrow) external {
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter == escrow) _take(logs[i]);
        }
    }

    function _take(Vm.Log calldata log) private {
        if (_takeMoney(log)) return;
        bytes32 kind = log.topics[0];
        if (kind == IJobEscrow.JobLocked.selector) _locked(log);
        else if (kind == IJobEscrow.JobSettled.selector) _settled(log);
        else if (kind == IJobEscrow.JobRefunded.selector) _refunded(log);
        else if (kind == IJobEscrow.JobDisputed.selector) _disputed(log);
        else if (kind == IJobEscrow.DisputeResolved.selector) _resolved(log);
        else if (kind == IJobEscrow.JobSkipped.selector) ++skippedCount;
        else require(kind == IAccessControl.RoleGranted.selector, "unknown event");
    }

    function _locked(Vm.Log calldata log) private {
        (uint32 credits,) = abi.decode(log.data, (uint32, uint8));
        address wallet = _address(log.topics[2]);
        require(jobs[log.topics[1]].status == JobStatus.None, "job id used twice");
        require(credits != 0, "empty lock");

        // Underflow here means that more was locked than the wallet had.
        accounts[wallet].available -= credits;
        accounts[wallet].locked += credits;
        _countLocked(wallet, credits);
        ExpectedJob storage job = jobs[log.topics[1]];
        (job.wallet, job.credits) = (wallet, credits);
        _move(job, JobStatus.Locked);
    }

    function _settled(Vm.Log calldata log) private {
        ExpectedJob storage job = jobs[log.topics[1]];
        (,, uint32 charged, uint32 returned, uint64 forWorker, uint64 forTreasury) =
            abi.decode(log.data, (bytes32, uint32, uint32, uint32, uint64, uint64));
        require(job.status == JobStatus.Locked, "settled without a lock");
        require(job.wallet == _address(log.topics[2]), "settled for another wallet");
        require(charged <= job.credits, "charged above the lock");
        require(uint256(charged) + returned == job.credits, "lock not shared out whole");
        require(uint256(forWorker) + forTreasury == charged * UNITS, "charge not shared out whole");

        accounts[job.wallet].locked -= job.credits;
        accounts[job.wallet].available += returned;
        accounts[job.wallet].charged += charged;
        _countCharged(charged);
        _countReturned(job.wallet, job.since, returned);
        (job.credits, job.workerId) = (charged, uint256(log.topics[3]));
        (job.forWorker, job.forTreasury) = (forWorker, forTreasury);
        _move(job, JobStatus.Settled);
        earnings[uint256(log.topics[3])] += forWorker;
        treasuryUnits += forTreasury;
        _settledJobs.push(log.topics[1]);
        ++settledCount;
    }

    function _refunded(Vm.Log calldata log) private {
        ExpectedJob storage job = jobs[log.topics[1]];
        require(job.status == JobStatus.Locked, "refunded without a lock");
        require(abi.decode(log.data, (uint32)) == job.credits, "not refunded whole");

        _countReturned(job.wallet, job.since, job.credits);
        _move(job, JobStatus.Refunded);
        accounts[job.wallet].locked -= job.credits;
        accounts[job.wallet].available += job.credits;
        ++refundedCount;
    }

    function _disputed(Vm.Log calldata log) private {
        ExpectedJob storage job = jobs[log.topics[1]];
        require(job.status == JobStatus.Settled, "disputed without a settlement");
        require(job.wallet == _address(log.topics[2]), "disputed for another wallet");
        require(job.workerId == uint256(log.topics[3]), "disputed with another worker");
        // forge-lint: disable-next-line(block-timestamp)
        require(block.timestamp <= job.since + DISPUTE, "disputed too late");

        // Underflow here means that more was held than was earned.
        earnings[job.workerId] -= job.forWorker;
        treasuryUnits -= job.forTreasury;
        disputedUnits += job.forWorker + job.forTreasury;
        _move(job, JobStatus.Disputed);
        ++disputedCount;
    }

    function _resolved(Vm.Log calldata log) private {
        ExpectedJob storage job = jobs[log.topics[1]];
        (bool upheld, uint32 returned) = abi.decode(log.data, (bool, uint32));
        require(job.status == JobStatus.Disputed, "resolved without a dispute");
        require(job.wallet == _address(log.topics[2]), "resolved for another wallet");
        require(job.workerId == uint256(log.topics[3]), "resolved with another worker");
        require(returned == (upheld ? job.credits : 0), "not the whole charge or nothing");

        disputedUnits -= job.forWorker + job.forTreasury;
        if (upheld) {
            accounts[job.wallet].available += returned;
            accounts[job.wallet].charged -= returned;
            ++upheldCount;
        } else {
            earnings[job.workerId] += job.forWorker;
            treasuryUnits += job.forTreasury;
            ++rejectedCount;
        }
        _move(job, upheld ? JobStatus.Upheld : JobStatus.Rejected);
    }

    function _move(ExpectedJob storage job, JobStatus status) private {
        (job.status, job.since) = (status, block.timestamp);
    }

    function _contestable(uint256 workerId)
        internal
        view
        override
        returns (uint256 forWorker, uint256 forTreasury)
    {
        for (uint256 i; i < _settledJobs.length; ++i) {
            ExpectedJob storage job = jobs[_settledJobs[i]];
            // forge-lint: disable-next-line(block-timestamp)
            if (job.status != JobStatus.Settled || block.timestamp > job.since + DISPUTE) continue;
            forTreasury += job.forTreasury;
            if (job.workerId == workerId) forWorker += job.forWorker;
        }
    }
}
