// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IEscrowAccounts } from "./IEscrowAccounts.sol";
import { IEscrowEarnings } from "./IEscrowEarnings.sol";

/// @dev None → Locked → Settled | Refunded; Settled → Disputed → Upheld | Rejected.
/// New ones go to the end: readers keep the order.
enum JobStatus {
    None,
    Locked,
    Settled,
    Refunded,
    Disputed,
    Upheld,
    Rejected
}

/// @dev Why an item of a batch was passed over. New reasons go to the end: readers keep the order.
enum SkipReason {
    None,
    InsufficientCredits,
    JobIdUsed,
    NotLocked,
    UnknownWorker,
    BadSignature,
    ZeroCredits,
    UnknownTier,
    NotSettled,
    DisputeWindowOver,
    SpendLimitReached,
    Paused,
    SettleCapReached
}

/// @dev What is known of a job.
/// @param credits locked; once settled, charged
/// @param since block time at which the job took its status
/// @param workerId who settled it; zero before
/// @param staked whether that worker had its stake then, which decides its share
struct Job {
    address wallet;
    uint32 credits;
    uint8 tier;
    JobStatus status;
    uint32 since;
    uint24 workerId;
    bool staked;
}

struct LockItem {
    bytes32 jobId;
    address wallet;
    uint32 credits;
    uint8 tier;
}

/// @dev `r` and `vs` are the worker's EIP-2098 compact signature over `Completion`.
struct SettleItem {
    bytes32 jobId;
    bytes32 outputHash;
    uint32 workerId;
    uint32 outputTokens;
    uint40 completedAt;
    bytes32 r;
    bytes32 vs;
}

/// @param claimedHash of the answer that the caller says it received
struct DisputeItem {
    bytes32 jobId;
    bytes32 claimedHash;
}

/// @notice Holds prepaid credits, locks them for jobs, and shares them out once a worker has proven
/// its work. 1 credit = 10_000 units of the payment token.
interface IJobEscrow is IEscrowAccounts, IEscrowEarnings {
    event JobLocked(bytes32 indexed jobId, address indexed wallet, uint32 credits, uint8 tier);
    event JobSettled(
        bytes32 indexed jobId,
        address indexed wallet,
        uint32 indexed workerId,
        bytes32 outputHash,
        uint32 outputTokens,
        uint32 creditsCharged,
        uint32 creditsReturned,
        uint64 workerUnits,
        uint64 treasuryUnits
    );
    event JobRefunded(bytes32 indexed jobId, address indexed wallet, uint32 credits);
    event JobDisputed(
        bytes32 indexed jobId, address indexed wallet, uint32 indexed workerId, bytes32 claimedHash
    );
    event DisputeResolved(
        bytes32 indexed jobId,
        address indexed wallet,
        uint32 indexed workerId,
        bool upheld,
        uint32 creditsReturned
    );
    /// @param reason a `SkipReason`
    event JobSkipped(bytes32 indexed jobId, uint8 reason);
    /// @dev The dispute was upheld, but the contract of the workers took no stake for it.
    event SlashFailed(bytes32 indexed jobId, uint32 indexed workerId);
    event SettleCapSet(uint64 creditsPerHour);

    /// @dev Nothing could be contested, and time could not be told in windows of that length.
    error ZeroDisputeSeconds();
    error JobNotLocked(bytes32 jobId);
    error JobNotExpired(bytes32 jobId, uint256 expiresAt);
    error JobNotSettled(bytes32 jobId);
    error NotWalletOfJob(bytes32 jobId, address sender);
    error DisputeWindowOver(bytes32 jobId, uint256 closedAt);
    error JobNotDisputed(bytes32 jobId);
    error ArbitrationNotOver(bytes32 jobId, uint256 endsAt);
    /// @dev With less, the call that slashes the worker would fail for want of gas.
    error TooLittleGasToSlash();
    error SettleCapOutOfBounds(uint64 creditsPerHour, uint64 min, uint64 max);

    /// @notice Locks credits for new jobs. A bad item is skipped with `JobSkipped`, never reverted;
    /// while paused, all are.
    function lockBatch(LockItem[] calldata items) external;

    /// @notice Charges locked jobs by their signed token count, shares the charge between worker
    /// and treasury, and returns the rest of each lock. A bad item is skipped, never reverted.
    function settleBatch(SettleItem[] calldata items) external;

    /// @notice Returns whole locks. An item that holds no lock is skipped.
    function refundBatch(bytes32[] calldata jobIds) external;

    /// @notice Returns a lock that has outlived `EXPIRY_SECONDS`. Open to anyone, so that credits
    /// never depend on the operator being there.
    function refundExpired(bytes32 jobId) external;

    /// @notice Opens disputes of settled jobs for callers who have an API key only. While a dispute
    /// is open, what its job earned is held. Until `DISPUTE_SECONDS` after the settlement; an item
    /// that comes late or is not settled is skipped, never reverted.
    function disputeBatch(DisputeItem[] calldata items) external;

    /// @notice Opens a dispute of the sender's own job, so that no dispute depends on the operator.
    function openDispute(bytes32 jobId, bytes32 claimedHash) external;

    /// @notice Ends a dispute. Upheld: the whole charge returns to the wallet, and the worker is
    /// slashed if it has a stake. Otherwise worker and treasury get back what was held, due at
    /// once. Counts also late, while the dispute has not expired.
    function resolveDispute(bytes32 jobId, bool upheld) external;

    /// @notice Ends a dispute that the arbiter left open for `ARBITRATION_SECONDS` as not upheld:
    /// the worker's signed proof stands, since nobody has shown that it is false. Open to anyone.
    function expireDispute(bytes32 jobId) external;

    function jobs(bytes32 jobId) external view returns (Job memory);

    /// @notice Price in credits of an answer of `outputTokens`. Reverts on an unknown tier.
    function priceOf(uint8 tier, uint32 outputTokens) external view returns (uint64 credits);

    /// @notice Stops deposits and locks, and nothing else: what is in flight ends, and what is here
    /// can be taken out.
    function pause() external;

    function unpause() external;

    /// @notice How much settlements may charge in an hour, all together: a bound on what a stolen
    /// key can move. What is above it is skipped and can be settled in the next hour. Between a
    /// hundredth of `SETTLE_CAP_MAX` and all of it, since settlements must never be stopped.
    function setSettleCap(uint64 creditsPerHour) external;

    /// @return creditsPerHour the cap
    /// @return creditsLeft what may still be charged in the hour that runs
    function settleCap() external view returns (uint64 creditsPerHour, uint64 creditsLeft);
}
