// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {
    ReentrancyGuardTransient
} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

import { EscrowState } from "./EscrowState.sol";
import { IEscrowEarnings } from "./interfaces/IEscrowEarnings.sol";
import { Job } from "./interfaces/IJobEscrow.sol";
import { HeldUnits } from "./libraries/HeldUnits.sol";

/// @notice What workers and treasury have earned, held for as long as a dispute can ask for it.
/// Windows are `DISPUTE_SECONDS` long and what was earned in the latest two is not paid out: so a
/// dispute in its time always finds the shares that it contests.
abstract contract Earnings is EscrowState, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    mapping(uint32 workerId => HeldUnits) private _earnings;
    HeldUnits private _treasury;
    /// @inheritdoc IEscrowEarnings
    uint256 public disputedUnits;

    /* CLAIM */

    /// @inheritdoc IEscrowEarnings
    function claim(uint32 workerId) external nonReentrant {
        HeldUnits memory held = _earningsOf(workerId);
        uint256 units = held.due;
        require(units != 0, NothingToClaim());
        held.due = 0;
        _earnings[workerId] = held;

        (, address payee,) = WORKERS.terms(workerId);
        require(payee != address(0), UnknownWorker(workerId));
        // Paid to the escrow it would be nobody's. The worker names another payee and claims again.
        require(payee != address(this), PaysItself());
        emit EarningsClaimed(workerId, payee, units);
        TOKEN.safeTransfer(payee, units);
    }

    /// @inheritdoc IEscrowEarnings
    function claimTreasury() external nonReentrant {
        HeldUnits memory held = _ofTreasury();
        uint256 units = held.due;
        require(units != 0, NothingToClaim());
        held.due = 0;
        _treasury = held;

        emit TreasuryClaimed(TREASURY, units);
        TOKEN.safeTransfer(TREASURY, units);
    }

    /* READ */

    /// @inheritdoc IEscrowEarnings
    function earnings(uint32 workerId) external view returns (uint256 units) {
        return _earningsOf(workerId).total();
    }

    /// @inheritdoc IEscrowEarnings
    function claimableEarnings(uint32 workerId) external view returns (uint256 units) {
        return _earningsOf(workerId).due;
    }

    /// @inheritdoc IEscrowEarnings
    function treasuryUnits() external view returns (uint256 units) {
        return _ofTreasury().total();
    }

    /// @inheritdoc IEscrowEarnings
    function claimableTreasury() external view returns (uint256 units) {
        return _ofTreasury().due;
    }

    function _earningsOf(uint32 workerId) private view returns (HeldUnits memory held) {
        held = _earnings[workerId];
        held.rollTo(_window(block.timestamp));
    }

    function _ofTreasury() private view returns (HeldUnits memory held) {
        held = _treasury;
        held.rollTo(_window(block.timestamp));
    }

    /* EARN */

    function _earn(uint32 workerId, uint72 units) internal {
        HeldUnits memory held = _earningsOf(workerId);
        held.latest += units;
        _earnings[workerId] = held;
    }

    function _earnTreasury(uint72 units) internal {
        HeldUnits memory held = _ofTreasury();
        held.latest += units;
        _treasury = held;
    }

    /* CONTEST */

    /// @dev Takes what `job` earned from both its owners. It must be settled, and in its window.
    function _contest(Job memory job) internal {
        (uint64 forWorker, uint64 forTreasury) = _shares(job.credits, job.staked);
        (HeldUnits memory worker, HeldUnits memory treasury) =
            (_earningsOf(job.workerId), _ofTreasury());
        worker.take(_window(job.since), forWorker);
        treasury.take(_window(job.since), forTreasury);
        _earnings[job.workerId] = worker;
        _treasury = treasury;
        disputedUnits += forWorker + forTreasury;
    }

    /// @dev Ends what `_contest` began. Returned to its owners the money is due at once: a job is
    /// contested only once.
    function _endContest(Job memory job, bool backToOwners) internal {
        (uint64 forWorker, uint64 forTreasury) = _shares(job.credits, job.staked);
        disputedUnits -= forWorker + forTreasury;
        if (!backToOwners) return;
        (HeldUnits memory worker, HeldUnits memory treasury) =
            (_earningsOf(job.workerId), _ofTreasury());
        worker.due += forWorker;
        treasury.due += forTreasury;
        _earnings[job.workerId] = worker;
        _treasury = treasury;
    }

    function _window(uint256 time) private view returns (uint32) {
        // casting to 'uint32' is safe until the year 2106, whatever the length
        // forge-lint: disable-next-line(unsafe-typecast)
        return uint32(time / DISPUTE_SECONDS);
    }
}
