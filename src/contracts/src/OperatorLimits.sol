// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Pausable } from "@openzeppelin/contracts/utils/Pausable.sol";

import { EscrowConfig, EscrowState } from "./EscrowState.sol";
import { IJobEscrow } from "./interfaces/IJobEscrow.sol";

/// @notice What the operator can stop, and how much it can move.
abstract contract OperatorLimits is EscrowState, Pausable {
    /// @dev `charged` was charged in `hour`.
    struct SettleCap {
        uint64 creditsPerHour;
        uint64 charged;
        uint32 hour;
    }

    /// @dev The cap has a floor, or it would be a way to stop settlements.
    uint64 private constant FLOOR_DIVISOR = 100;

    uint64 public immutable SETTLE_CAP_MAX;
    SettleCap private _cap;

    constructor(EscrowConfig memory config) {
        require(
            config.settleCapMax >= FLOOR_DIVISOR,
            SettleCapOutOfBounds(config.settleCapMax, FLOOR_DIVISOR, type(uint64).max)
        );
        SETTLE_CAP_MAX = config.settleCapMax;
        _setCap(config.settleCapMax);
    }

    /// @inheritdoc IJobEscrow
    function pause() external onlyRole(PAUSER_ROLE) {
        _pause();
    }

    /// @inheritdoc IJobEscrow
    function unpause() external onlyRole(PAUSER_ROLE) {
        _unpause();
    }

    /// @inheritdoc IJobEscrow
    function setSettleCap(uint64 creditsPerHour) external onlyRole(DEFAULT_ADMIN_ROLE) {
        uint64 min = SETTLE_CAP_MAX / FLOOR_DIVISOR;
        require(
            creditsPerHour >= min && creditsPerHour <= SETTLE_CAP_MAX,
            SettleCapOutOfBounds(creditsPerHour, min, SETTLE_CAP_MAX)
        );
        _setCap(creditsPerHour);
    }

    /// @inheritdoc IJobEscrow
    function settleCap() external view returns (uint64 creditsPerHour, uint64 creditsLeft) {
        return (_cap.creditsPerHour, _chargeable());
    }

    function _setCap(uint64 creditsPerHour) private {
        _cap.creditsPerHour = creditsPerHour;
        emit SettleCapSet(creditsPerHour);
    }

    /// @dev Credits that may still be charged in this hour.
    function _chargeable() internal view returns (uint64) {
        SettleCap memory cap = _cap;
        uint64 charged = cap.hour == _hour() ? cap.charged : 0;
        // Less than nothing is left where the cap was lowered within the hour.
        return charged < cap.creditsPerHour ? cap.creditsPerHour - charged : 0;
    }

    function _countCharged(uint64 credits) internal {
        SettleCap memory cap = _cap;
        uint32 hour = _hour();
        uint64 before = cap.hour == hour ? cap.charged : 0;
        (_cap.charged, _cap.hour) = (before + credits, hour);
    }

    function _hour() private view returns (uint32) {
        // casting to 'uint32' is safe for half a million years
        // forge-lint: disable-next-line(unsafe-typecast)
        return uint32(block.timestamp / 1 hours);
    }
}
