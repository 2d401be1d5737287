// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What jobs have earned, in units of the payment token. It is held until no dispute can
/// ask for it any more, and then paid out to whoever asks on the owner's behalf.
interface IEscrowEarnings {
    event EarningsClaimed(uint32 indexed workerId, address indexed payee, uint256 units);
    event TreasuryClaimed(address indexed treasury, uint256 units);

    error UnknownWorker(uint32 workerId);
    error NothingToClaim();

    /// @notice Pays the worker's payee what is due. Open to anyone, never paused.
    function claim(uint32 workerId) external;

    /// @notice Pays the treasury what is due. Open to anyone, never paused.
    function claimTreasury() external;

    /// @notice What `workerId` has earned and not yet been paid, held or due.
    function earnings(uint32 workerId) external view returns (uint256 units);

    /// @notice What `claim` would pay now. A settlement is due after one to two `DISPUTE_SECONDS`.
    function claimableEarnings(uint32 workerId) external view returns (uint256 units);

    /// @notice What the treasury has earned and not yet been paid, held or due.
    function treasuryUnits() external view returns (uint256 units);

    /// @notice What `claimTreasury` would pay now.
    function claimableTreasury() external view returns (uint256 units);

    /// @notice What is held for open disputes.
    function disputedUnits() external view returns (uint256 units);
}
