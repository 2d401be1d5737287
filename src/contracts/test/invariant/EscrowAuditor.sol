// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";
import { Vm } from "forge-std/Vm.sol";

import { IJobEscrow, JobStatus } from "../../src/interfaces/IJobEscrow.sol";

/// @notice Rebuilds the expected state of an escrow from its events alone, and refuses any event
/// that the rules do not allow. What it can rebuild, every reader of the chain can.
contract EscrowAuditor {
    struct ExpectedAccount {
        uint256 available;
        uint256 locked;
    }

    struct ExpectedJob {
        address wallet;
        uint256 credits;
        uint256 lockedAt;
        JobStatus status;
    }

    uint256 private constant UNITS = 10_000;

    mapping(address => ExpectedAccount) public accounts;
    mapping(bytes32 => ExpectedJob) public jobs;
    mapping(uint256 => uint256) public earnings;
    uint256 public treasuryUnits;
    uint256 public settledCount;
    uint256 public refundedCount;
    uint256 public skippedCount;

    function take(Vm.Log[] calldata logs, address escrow) external {
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter == escrow) _take(logs[i]);
        }
    }

    function _take(Vm.Log calldata log) private {
        bytes32 kind = log.topics[0];
        if (kind == IJobEscrow.Deposited.selector) _deposited(log);
        else if (kind == IJobEscrow.JobLocked.selector) _locked(log);
        else if (kind == IJobEscrow.JobSettled.selector) _settled(log);
        else if (kind == IJobEscrow.JobRefunded.selector) _refunded(log);
        else if (kind == IJobEscrow.JobSkipped.selector) ++skippedCount;
        else require(kind == IAccessControl.RoleGranted.selector, "unknown event");
    }

    function _deposited(Vm.Log calldata log) private {
        uint64 credits = abi.decode(log.data, (uint64));
        require(credits >= 100, "deposit below the minimum");
        accounts[_address(log.topics[1])].available += credits;
    }

    function _locked(Vm.Log calldata log) private {
        (uint32 credits,) = abi.decode(log.data, (uint32, uint8));
        address wallet = _address(log.topics[2]);
        require(jobs[log.topics[1]].status == JobStatus.None, "job id used twice");
        require(credits != 0, "empty lock");

        // Underflow here means that more was locked than the wallet had.
        accounts[wallet].available -= credits;
        accounts[wallet].locked += credits;
        jobs[log.topics[1]] = ExpectedJob(wallet, credits, block.timestamp, JobStatus.Locked);
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

        job.status = JobStatus.Settled;
        accounts[job.wallet].locked -= job.credits;
        accounts[job.wallet].available += returned;
        earnings[uint256(log.topics[3])] += forWorker;
        treasuryUnits += forTreasury;
        ++settledCount;
    }

    function _refunded(Vm.Log calldata log) private {
        ExpectedJob storage job = jobs[log.topics[1]];
        require(job.status == JobStatus.Locked, "refunded without a lock");
        require(abi.decode(log.data, (uint32)) == job.credits, "not refunded whole");

        job.status = JobStatus.Refunded;
        accounts[job.wallet].locked -= job.credits;
        accounts[job.wallet].available += job.credits;
        ++refundedCount;
    }

    function _address(bytes32 topic) private pure returns (address) {
        return address(uint160(uint256(topic)));
    }
}
