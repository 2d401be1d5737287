// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

import { RCompute } from "./RCompute.sol";
import { IWorkerStaking, Worker } from "./interfaces/IWorkerStaking.sol";
import { IWorkerTerms } from "./interfaces/IWorkerTerms.sol";

/// @dev All that is fixed for the life of one staking contract.
/// @param admin names the escrow, and may let others slash: the timelock, once all is deployed
/// @param minimumStake active stake from which a worker earns the higher share
/// @param slashBps part of a worker's stake that one fault costs
struct StakingConfig {
    RCompute token;
    address admin;
    uint96 minimumStake;
    uint16 slashBps;
}

/// @notice What is remembered of workers, and how stake begins to leave.
abstract contract StakingState is IWorkerStaking {
    using SafeERC20 for RCompute;

    /// @dev Longer than a dispute can take from settlement to verdict, so that whoever is to be
    /// slashed cannot have left.
    uint40 public constant UNBONDING_SECONDS = 7 days;
    uint16 internal constant BASIS_POINTS = 10_000;

    RCompute public immutable TOKEN;
    uint96 public immutable MINIMUM_STAKE;
    uint16 public immutable SLASH_BPS;

    mapping(uint32 workerId => Worker) internal _workers;

    constructor(StakingConfig memory config) {
        require(address(config.token) != address(0) && config.admin != address(0), ZeroAddress());
        // Zero would give the higher share to everybody; more than there is, to nobody.
        require(
            config.minimumStake != 0 && config.minimumStake <= config.token.totalSupply(),
            MinimumStakeOutOfBounds(config.minimumStake)
        );
        require(
            config.slashBps != 0 && config.slashBps <= BASIS_POINTS,
            SlashBpsOutOfBounds(config.slashBps)
        );
        TOKEN = config.token;
        MINIMUM_STAKE = config.minimumStake;
        SLASH_BPS = config.slashBps;
    }

    /// @inheritdoc IWorkerStaking
    function workers(uint32 workerId) external view returns (Worker memory) {
        return _workers[workerId];
    }

    /// @inheritdoc IWorkerTerms
    function terms(uint32 workerId)
        external
        view
        returns (address signer, address payee, bool staked)
    {
        Worker storage worker = _workers[workerId];
        // Whoever has left signs nothing any more, but is still owed what it has earned.
        signer = worker.deactivated ? address(0) : worker.signer;
        return (signer, worker.payee, worker.active >= MINIMUM_STAKE);
    }

    function _known(uint32 workerId) internal view returns (Worker storage worker) {
        worker = _workers[workerId];
        require(worker.signer != address(0), UnknownWorker(workerId));
    }

    function _living(uint32 workerId) internal view returns (Worker storage worker) {
        worker = _known(workerId);
        require(!worker.deactivated, Deactivated(workerId));
    }

    /// @dev One entry a worker: a later request holds back an earlier one, but never what is due.
    function _unbond(uint32 workerId, Worker storage worker, uint96 amount) internal {
        uint96 due = _isDue(worker) ? worker.unbonding : 0;
        worker.active -= amount;
        worker.unbonding = worker.unbonding - due + amount;
        // casting to 'uint40' is safe for 34 000 years
        // forge-lint: disable-next-line(unsafe-typecast)
        worker.withdrawableAt = uint40(block.timestamp) + UNBONDING_SECONDS;
        emit UnstakeRequested(
            workerId, amount, worker.active, worker.unbonding, worker.withdrawableAt
        );
        if (due != 0) _payOut(workerId, worker.payee, due);
    }

    function _isDue(Worker storage worker) internal view returns (bool) {
        // A validator can move the time by seconds, of a week.
        // forge-lint: disable-next-line(block-timestamp)
        return block.timestamp >= worker.withdrawableAt;
    }

    /// @dev To the payee only, whoever asks.
    function _payOut(uint32 workerId, address payee, uint96 amount) internal {
        emit Withdrawn(workerId, payee, amount);
        TOKEN.safeTransfer(payee, amount);
    }
}
