// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { ECDSA } from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import { EIP712 } from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

import { IWorkerTerms } from "./interfaces/IWorkerTerms.sol";

/// @title WorkerStaking
/// @notice Who the workers are, where they are paid, and what share of a charge they earn.
contract WorkerStaking is IWorkerTerms, EIP712 {
    struct Worker {
        address signer;
        address payee;
    }

    event WorkerRegistered(uint32 indexed workerId, address indexed signer, address indexed payee);

    error ZeroAddress();
    error BadSignature();
    error AlreadyRegistered(uint32 workerId);

    uint16 public constant DEFAULT_SHARE_BPS = 7_500;
    bytes32 private constant REGISTRATION_TYPEHASH =
        keccak256("Registration(address signer,address payee)");

    /// @notice Id of a signer; zero when it is not registered.
    mapping(address signer => uint32 workerId) public workerIdOf;
    mapping(uint32 workerId => Worker) private _workers;
    uint32 private _lastWorkerId;

    constructor() EIP712("WorkerStaking", "1") { }

    /// @notice Registers a worker. Open to any sender, so that the service can pay the gas; the
    /// signer's EIP-712 signature over `Registration` is the consent. A repeat returns the same id.
    function register(address signer, address payee, bytes calldata signature)
        external
        returns (uint32 workerId)
    {
        require(payee != address(0), ZeroAddress());
        _requireConsent(signer, payee, signature);

        workerId = workerIdOf[signer];
        if (workerId != 0) {
            require(_workers[workerId].payee == payee, AlreadyRegistered(workerId));
            return workerId;
        }

        workerId = ++_lastWorkerId;
        workerIdOf[signer] = workerId;
        _workers[workerId] = Worker({ signer: signer, payee: payee });
        emit WorkerRegistered(workerId, signer, payee);
    }

    /// @inheritdoc IWorkerTerms
    function terms(uint32 workerId)
        external
        view
        returns (address signer, address payee, uint16 shareBps)
    {
        Worker storage worker = _workers[workerId];
        return (worker.signer, worker.payee, DEFAULT_SHARE_BPS);
    }

    function _requireConsent(address signer, address payee, bytes calldata signature) private view {
        bytes32 digest =
            _hashTypedDataV4(keccak256(abi.encode(REGISTRATION_TYPEHASH, signer, payee)));
        // The signer that is recovered is never zero.
        (address recovered, ECDSA.RecoverError failure,) =
            ECDSA.tryRecoverCalldata(digest, signature);
        require(failure == ECDSA.RecoverError.NoError && recovered == signer, BadSignature());
    }
}
