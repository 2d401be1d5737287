// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IWorkerTerms } from "./IWorkerTerms.sol";

/// @dev Why stake was taken. New reasons go to the end: readers keep the order.
enum SlashReason {
    FraudulentProof,
    Equivocation
}

/// @dev What is known of a worker. Stakes in units of the governance token.
/// @param withdrawableAt block time from which all that is unbonding can be withdrawn
/// @param deactivated the signer has left for good; its stake and its faults remain
/// @param active stake that counts for the higher share
/// @param unbonding stake on its way out, which can still be slashed
struct Worker {
    address signer;
    uint40 withdrawableAt;
    bool deactivated;
    address payee;
    uint96 active;
    uint96 unbonding;
}

/// @dev A `Completion` without its job id, and the EIP-2098 compact signature over it.
struct SignedCompletion {
    bytes32 outputHash;
    uint32 outputTokens;
    uint40 completedAt;
    bytes32 r;
    bytes32 vs;
}

/// @dev What an escrow says of the workers that it pays.
interface IEscrowOfWorkers {
    function WORKERS() external view returns (IWorkerTerms);
}

/// @notice Who the workers are, where they are paid, and what they have at stake.
interface IWorkerStaking is IWorkerTerms {
    event WorkerRegistered(uint32 indexed workerId, address indexed signer, address indexed payee);
    event PayeeChanged(uint32 indexed workerId, address indexed payee);
    event WorkerDeactivated(uint32 indexed workerId, address indexed signer);
    /// @param active stake of the worker from now on
    event Staked(uint32 indexed workerId, address indexed from, uint256 amount, uint256 active);
    /// @param active stake of the worker from now on
    /// @param unbonding all that can be withdrawn at `withdrawableAt`
    event UnstakeRequested(
        uint32 indexed workerId,
        uint256 amount,
        uint256 active,
        uint256 unbonding,
        uint40 withdrawableAt
    );
    event Withdrawn(uint32 indexed workerId, address indexed payee, uint256 amount);
    /// @param amount burnt; zero when the worker had nothing at stake
    event WorkerSlashed(
        uint32 indexed workerId,
        address indexed signer,
        uint256 amount,
        SlashReason reason,
        bytes32 indexed relatedJobId
    );
    event EscrowSet(address indexed escrow);

    error ZeroAddress();
    error ZeroAmount();
    error BadSignature();
    error SignatureExpired(uint256 deadline);
    error AlreadyRegistered(uint32 workerId);
    /// @dev `WORKER_ID_MAX` workers are registered: this contract takes no more.
    error NoWorkerIdLeft();
    error UnknownWorker(uint32 workerId);
    error Deactivated(uint32 workerId);
    error NotSigner(uint32 workerId, address sender);
    error NotSignerOrPayee(uint32 workerId, address sender);
    error StakeTooLow(uint32 workerId, uint256 active, uint256 asked);
    error NothingUnbonding(uint32 workerId);
    error StillUnbonding(uint32 workerId, uint256 withdrawableAt);
    error MinimumStakeOutOfBounds(uint256 minimumStake);
    error SlashBpsOutOfBounds(uint16 slashBps);
    error EscrowAlreadySet(address escrow);
    error EscrowNotSet();
    /// @dev That escrow asks another contract about its workers.
    error NotEscrowOfTheseWorkers(address escrow);
    error SameContent(bytes32 jobId);
    error AlreadyPunished(uint32 workerId, bytes32 jobId);

    /* WHO */

    /// @notice Registers a worker. Open to any sender, so that the service can pay the gas; the
    /// signer's EIP-712 signature over `Registration` is the consent. A repeat returns the same id.
    function register(address signer, address payee, bytes calldata signature)
        external
        returns (uint32 workerId);

    /// @notice Changes where earnings and withdrawn stake go. By the worker's signer.
    function setPayee(uint32 workerId, address payee) external;

    /// @notice The same for any sender, with the signer's EIP-712 signature over `PayeeChange`.
    function setPayeeWithSignature(
        uint32 workerId,
        address payee,
        uint256 deadline,
        bytes calldata signature
    ) external;

    /// @notice Ends a worker for good: it settles no more jobs, and all of its stake begins to
    /// unbond. What it has earned stays its own. By the worker's signer.
    function deactivate(uint32 workerId) external;

    /// @notice The same for any sender, with the signer's EIP-712 signature over `Deactivation`.
    function deactivateWithSignature(uint32 workerId, uint256 deadline, bytes calldata signature)
        external;

    /* STAKE */

    /// @notice Adds to a worker's stake, which from then on is the worker's own. Open to anyone.
    function stake(uint32 workerId, uint256 amount) external;

    /// @notice The same with the sender's EIP-2612 permit in place of an approval.
    function stakeWithPermit(
        uint32 workerId,
        uint256 amount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice Takes stake out of the active part. All that is unbonding can be withdrawn
    /// `UNBONDING_SECONDS` after the latest request; what was due already is paid out now. By the
    /// worker's signer, or by its payee, which would receive it.
    function requestUnstake(uint32 workerId, uint256 amount) external;

    /// @notice Pays unbonded stake out to the worker's payee. Open to anyone.
    function withdraw(uint32 workerId) external;

    /* SLASH */

    /// @notice Burns `SLASH_BPS` of a worker's stake, active first. Once a job: a repeat, and a
    /// worker that is not known, change nothing, so that no dispute is held up by it.
    function slash(uint32 workerId, bytes32 jobId, SlashReason reason)
        external
        returns (uint256 amount);

    /// @notice Burns as `slash` does for two completions of one job that say different things, both
    /// signed by the worker. Open to anyone.
    function slashEquivocation(
        uint32 workerId,
        bytes32 jobId,
        SignedCompletion calldata a,
        SignedCompletion calldata b
    ) external returns (uint256 amount);

    /// @notice Tells, once, which escrow these workers sign completions for, and lets it slash.
    function setEscrow(address escrow) external;

    /* READ */

    /// @notice Id of a signer; zero when it is not registered, or has left.
    function workerIdOf(address signer) external view returns (uint32 workerId);

    function workers(uint32 workerId) external view returns (Worker memory);

    /// @notice How many ids were given out: they run from 1 to here.
    function workerCount() external view returns (uint32);

    /// @notice Whether a worker was slashed for a job.
    function punished(uint32 workerId, bytes32 jobId) external view returns (bool);
}
