// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { SlashReason } from "./IWorkerStaking.sol";

/// @notice What the escrow tells of a worker whose proof was found false. Of `IWorkerStaking`, but
/// for what it returns: the contract of the workers may answer anything, or not have it at all.
interface IWorkerSlashing {
    /// @param jobId whose dispute was upheld
    function slash(uint32 workerId, bytes32 jobId, SlashReason reason) external;
}
