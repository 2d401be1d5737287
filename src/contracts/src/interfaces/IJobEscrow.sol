// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

enum JobStatus {
    None,
    Locked,
    Settled,
    Refunded
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
    UnknownTier
}

/// @dev One slot. All amounts in credits.
struct Account {
    uint64 available;
    uint64 locked;
    uint64 thawing;
    uint40 lastDepositAt;
}

/// @dev One slot.
struct Job {
    address wallet;
    uint32 credits;
    uint8 tier;
    JobStatus status;
    uint40 lockedAt;
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

/// @notice Holds prepaid credits, locks them for jobs, and shares them out once a worker has proven
/// its work. 1 credit = 10_000 units of the payment token.
interface IJobEscrow {
    event Deposited(address indexed wallet, address indexed payer, uint64 credits);
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
    /// @param reason a `SkipReason`
    event JobSkipped(bytes32 indexed jobId, uint8 reason);

    error ZeroAddress();
    error BelowMinimumDeposit(uint64 credits, uint64 minimum);
    /// @dev The token kept a part of the transfer, so the credits would not be covered.
    error AmountReceivedDiffers(uint256 expectedUnits, uint256 receivedUnits);
    error JobNotLocked(bytes32 jobId);
    error JobNotExpired(bytes32 jobId, uint256 expiresAt);

    /// @notice Pulls `credits * 10_000` token units from the sender and credits them to `wallet`.
    /// At least 100 credits.
    function deposit(address wallet, uint64 credits) external;

    /// @notice Locks credits for new jobs. A bad item is skipped with `JobSkipped`, never reverted.
    function lockBatch(LockItem[] calldata items) external;

    /// @notice Charges locked jobs by their signed token count, shares the charge between worker
    /// and treasury, and returns the rest of each lock. A bad item is skipped, never reverted.
    function settleBatch(SettleItem[] calldata items) external;

    /// @notice Returns whole locks. An item that holds no lock is skipped.
    function refundBatch(bytes32[] calldata jobIds) external;

    /// @notice Returns a lock that has outlived `EXPIRY_SECONDS`. Open to anyone, so that credits
    /// never depend on the operator being there.
    function refundExpired(bytes32 jobId) external;

    function accounts(address wallet)
        external
        view
        returns (uint64 available, uint64 locked, uint64 thawing, uint40 lastDepositAt);

    function jobs(bytes32 jobId) external view returns (Job memory);

    /// @notice Token units that `workerId` has earned and not yet been paid.
    function earnings(uint32 workerId) external view returns (uint256 units);

    /// @notice Token units that the treasury has earned and not yet been paid.
    function treasuryUnits() external view returns (uint256 units);

    /// @notice Price in credits of an answer of `outputTokens`. Reverts on an unknown tier.
    function priceOf(uint8 tier, uint32 outputTokens) external view returns (uint64 credits);
}
