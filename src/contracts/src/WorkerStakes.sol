// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import { SafeCast } from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import { RCompute } from "./RCompute.sol";
import { WorkerRecords } from "./WorkerRecords.sol";
import { IWorkerStaking, Worker } from "./interfaces/IWorkerStaking.sol";

/// @notice Stake comes from anyone, and leaves slowly, to the worker's payee.
abstract contract WorkerStakes is WorkerRecords {
    using SafeCast for uint256;
    using SafeERC20 for RCompute;

    /// @inheritdoc IWorkerStaking
    function stake(uint32 workerId, uint256 amount) external nonReentrant {
        _stake(workerId, amount);
    }

    /// @inheritdoc IWorkerStaking
    function stakeWithPermit(
        uint32 workerId,
        uint256 amount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonReentrant {
        // Anyone may have brought the permit before. Then the allowance is there, and this would
        // fail for nothing; where it is not there, the transfer says so.
        try TOKEN.permit(msg.sender, address(this), amount, deadline, v, r, s) { } catch { }
        _stake(workerId, amount);
    }

    function _stake(uint32 workerId, uint256 amount) private {
        Worker storage worker = _living(workerId);
        // Counted as received, whatever the token does on the way.
        uint256 balanceBefore = TOKEN.balanceOf(address(this));
        TOKEN.safeTransferFrom(msg.sender, address(this), amount);
        uint96 received = (TOKEN.balanceOf(address(this)) - balanceBefore).toUint96();
        require(received != 0, ZeroAmount());
        worker.active += received;
        emit Staked(workerId, msg.sender, received, worker.active);
    }

    /// @inheritdoc IWorkerStaking
    function requestUnstake(uint32 workerId, uint256 amount) external nonReentrant {
        Worker storage worker = _known(workerId);
        require(
            msg.sender == worker.signer || msg.sender == worker.payee,
            NotSignerOrPayee(workerId, msg.sender)
        );
        require(amount != 0, ZeroAmount());
        require(amount <= worker.active, StakeTooLow(workerId, worker.active, amount));
        _unbond(workerId, worker, amount.toUint96());
    }

    /// @inheritdoc IWorkerStaking
    function withdraw(uint32 workerId) external nonReentrant {
        Worker storage worker = _known(workerId);
        uint96 amount = worker.unbonding;
        require(amount != 0, NothingUnbonding(workerId));
        require(_isDue(worker), StillUnbonding(workerId, worker.withdrawableAt));
        worker.unbonding = 0;
        _payOut(workerId, worker.payee, amount);
    }
}
