// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Nonces } from "@openzeppelin/contracts/utils/Nonces.sol";
import {
    ReentrancyGuardTransient
} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import { ECDSA } from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import { EIP712 } from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

import { StakingState } from "./StakingState.sol";
import { IWorkerStaking, Worker } from "./interfaces/IWorkerStaking.sol";
import { WORKER_ID_MAX } from "./interfaces/IWorkerTerms.sol";

/// @notice Workers come, say where they are paid, and leave. The signer decides, by a call or by a
/// signature that anyone may bring.
abstract contract WorkerRecords is StakingState, EIP712, Nonces, ReentrancyGuardTransient {
    bytes32 private constant REGISTRATION_TYPEHASH =
        keccak256("Registration(address signer,address payee)");
    bytes32 private constant PAYEE_CHANGE_TYPEHASH =
        keccak256("PayeeChange(uint32 workerId,address payee,uint256 nonce,uint256 deadline)");
    bytes32 private constant DEACTIVATION_TYPEHASH =
        keccak256("Deactivation(uint32 workerId,uint256 nonce,uint256 deadline)");

    /// @dev Keeps those who have left: a registration is signed without a nonce, so it could be
    /// brought again.
    mapping(address signer => uint32 workerId) private _idOf;
    /// @inheritdoc IWorkerStaking
    uint32 public workerCount;

    /* REGISTER */

    /// @inheritdoc IWorkerStaking
    function register(address signer, address payee, bytes calldata signature)
        external
        returns (uint32 workerId)
    {
        require(payee != address(0), ZeroAddress());
        bytes32 statement = keccak256(abi.encode(REGISTRATION_TYPEHASH, signer, payee));
        _requireSignature(signer, statement, signature);

        workerId = _idOf[signer];
        if (workerId != 0) {
            require(_living(workerId).payee == payee, AlreadyRegistered(workerId));
            return workerId;
        }

        require(workerCount < WORKER_ID_MAX, NoWorkerIdLeft());
        workerId = ++workerCount;
        _idOf[signer] = workerId;
        Worker storage worker = _workers[workerId];
        (worker.signer, worker.payee) = (signer, payee);
        emit WorkerRegistered(workerId, signer, payee);
    }

    /// @inheritdoc IWorkerStaking
    function workerIdOf(address signer) external view returns (uint32) {
        uint32 workerId = _idOf[signer];
        return _workers[workerId].deactivated ? 0 : workerId;
    }

    /* PAYEE */

    /// @inheritdoc IWorkerStaking
    function setPayee(uint32 workerId, address payee) external {
        Worker storage worker = _known(workerId);
        require(msg.sender == worker.signer, NotSigner(workerId, msg.sender));
        _setPayee(workerId, worker, payee);
    }

    /// @inheritdoc IWorkerStaking
    function setPayeeWithSignature(
        uint32 workerId,
        address payee,
        uint256 deadline,
        bytes calldata signature
    ) external {
        Worker storage worker = _known(workerId);
        _requireInTime(deadline);
        uint256 nonce = _useNonce(worker.signer);
        bytes32 statement =
            keccak256(abi.encode(PAYEE_CHANGE_TYPEHASH, workerId, payee, nonce, deadline));
        _requireSignature(worker.signer, statement, signature);
        _setPayee(workerId, worker, payee);
    }

    /// @dev Also for those who have left: they may still be owed earnings and stake.
    function _setPayee(uint32 workerId, Worker storage worker, address payee) private {
        require(payee != address(0), ZeroAddress());
        worker.payee = payee;
        emit PayeeChanged(workerId, payee);
    }

    /* LEAVE */

    /// @inheritdoc IWorkerStaking
    function deactivate(uint32 workerId) external nonReentrant {
        Worker storage worker = _living(workerId);
        require(msg.sender == worker.signer, NotSigner(workerId, msg.sender));
        _deactivate(workerId, worker);
    }

    /// @inheritdoc IWorkerStaking
    function deactivateWithSignature(uint32 workerId, uint256 deadline, bytes calldata signature)
        external
        nonReentrant
    {
        Worker storage worker = _living(workerId);
        _requireInTime(deadline);
        uint256 nonce = _useNonce(worker.signer);
        bytes32 statement = keccak256(abi.encode(DEACTIVATION_TYPEHASH, workerId, nonce, deadline));
        _requireSignature(worker.signer, statement, signature);
        _deactivate(workerId, worker);
    }

    function _deactivate(uint32 workerId, Worker storage worker) private {
        worker.deactivated = true;
        emit WorkerDeactivated(workerId, worker.signer);
        if (worker.active != 0) _unbond(workerId, worker, worker.active);
    }

    /* SIGNATURES */

    function _requireInTime(uint256 deadline) private view {
        // A validator can move the time by seconds; the signer chose the deadline.
        // forge-lint: disable-next-line(block-timestamp)
        require(block.timestamp <= deadline, SignatureExpired(deadline));
    }

    function _requireSignature(address signer, bytes32 statement, bytes calldata signature)
        private
        view
    {
        // The signer that is recovered is never zero.
        (address recovered, ECDSA.RecoverError failure,) =
            ECDSA.tryRecoverCalldata(_hashTypedDataV4(statement), signature);
        require(failure == ECDSA.RecoverError.NoError && recovered == signer, BadSignature());
    }
}
