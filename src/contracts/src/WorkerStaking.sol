// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { AccessControl } from "@openzeppelin/contracts/access/AccessControl.sol";
import { ECDSA } from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import { EIP712 } from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import { MessageHashUtils } from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import { Math } from "@openzeppelin/contracts/utils/math/Math.sol";
import { SafeCast } from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import { StakingConfig, StakingState } from "./StakingState.sol";
import { WorkerStakes } from "./WorkerStakes.sol";
import {
    IEscrowOfWorkers,
    IWorkerStaking,
    SignedCompletion,
    SlashReason,
    Worker
} from "./interfaces/IWorkerStaking.sol";
import { CompletionLib } from "./libraries/CompletionLib.sol";

/// @title WorkerStaking
/// @notice See `IWorkerStaking`. No proxy and no upgrade: a new version is a new address.
contract WorkerStaking is WorkerStakes, AccessControl {
    using SafeCast for uint256;

    bytes32 public constant SLASHER_ROLE = keccak256("SLASHER_ROLE");
    /// @dev Name, version, chain and contract, as EIP-5267 numbers the fields of a domain.
    bytes1 private constant DOMAIN_FIELDS = 0x0f;

    /// @inheritdoc IWorkerStaking
    mapping(uint32 workerId => mapping(bytes32 jobId => bool)) public punished;
    /// @notice Whose completions these workers sign. Zero until the admin has named it.
    address public escrow;

    constructor(StakingConfig memory config) StakingState(config) EIP712("WorkerStaking", "1") {
        _grantRole(DEFAULT_ADMIN_ROLE, config.admin);
    }

    /// @inheritdoc IWorkerStaking
    function setEscrow(address escrow_) external onlyRole(DEFAULT_ADMIN_ROLE) {
        require(escrow == address(0), EscrowAlreadySet(escrow));
        require(
            address(IEscrowOfWorkers(escrow_).WORKERS()) == address(this),
            NotEscrowOfTheseWorkers(escrow_)
        );
        escrow = escrow_;
        _grantRole(SLASHER_ROLE, escrow_);
        emit EscrowSet(escrow_);
    }

    /* SLASH */

    /// @inheritdoc IWorkerStaking
    function slash(uint32 workerId, bytes32 jobId, SlashReason reason)
        external
        nonReentrant
        onlyRole(SLASHER_ROLE)
        returns (uint256 amount)
    {
        Worker storage worker = _workers[workerId];
        if (worker.signer == address(0) || punished[workerId][jobId]) return 0;
        return _slash(workerId, worker, jobId, reason);
    }

    /// @inheritdoc IWorkerStaking
    function slashEquivocation(
        uint32 workerId,
        bytes32 jobId,
        SignedCompletion calldata a,
        SignedCompletion calldata b
    ) external nonReentrant returns (uint256 amount) {
        // A worker that was cut off may sign the same answer again at another time: that is no lie.
        require(
            a.outputHash != b.outputHash || a.outputTokens != b.outputTokens, SameContent(jobId)
        );
        require(!punished[workerId][jobId], AlreadyPunished(workerId, jobId));
        Worker storage worker = _known(workerId);
        bytes32 domain = _escrowDomain();
        require(
            _isSignedBy(worker.signer, domain, jobId, a)
                && _isSignedBy(worker.signer, domain, jobId, b),
            BadSignature()
        );
        return _slash(workerId, worker, jobId, SlashReason.Equivocation);
    }

    /// @dev Never fails for lack of stake: it takes what is there. What is taken is burnt, so that
    /// nobody gains by a verdict.
    function _slash(uint32 workerId, Worker storage worker, bytes32 jobId, SlashReason reason)
        private
        returns (uint256 amount)
    {
        punished[workerId][jobId] = true;
        (uint96 active, uint96 unbonding) = (worker.active, worker.unbonding);
        // Rounds up, so that no stake is too small to lose some.
        amount = Math.ceilDiv((uint256(active) + unbonding) * SLASH_BPS, BASIS_POINTS);
        uint256 fromActive = Math.min(amount, active);
        worker.active = (active - fromActive).toUint96();
        if (amount != fromActive) {
            worker.unbonding = (unbonding - (amount - fromActive)).toUint96();
        }
        emit WorkerSlashed(workerId, worker.signer, amount, reason, jobId);
        if (amount != 0) TOKEN.burn(amount);
    }

    function _isSignedBy(
        address signer,
        bytes32 domain,
        bytes32 jobId,
        SignedCompletion calldata completion
    ) private pure returns (bool) {
        bytes32 statement = keccak256(
            abi.encode(
                CompletionLib.TYPEHASH,
                jobId,
                completion.outputHash,
                completion.outputTokens,
                completion.completedAt
            )
        );
        // Zero for a malleable signature or one that recovers nothing. `signer` is never zero.
        (address recovered,,) = ECDSA.tryRecover(
            MessageHashUtils.toTypedDataHash(domain, statement), completion.r, completion.vs
        );
        return recovered == signer;
    }

    /// @dev The escrow's own, made as the escrow makes it. Not kept: the chain's id may change.
    function _escrowDomain() private view returns (bytes32) {
        require(escrow != address(0), EscrowNotSet());
        return MessageHashUtils.toDomainSeparator(
            DOMAIN_FIELDS, keccak256("JobEscrow"), keccak256("1"), block.chainid, escrow, bytes32(0)
        );
    }
}
