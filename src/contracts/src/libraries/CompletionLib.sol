// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { SettleItem } from "../interfaces/IJobEscrow.sol";

/// @notice The statement a worker signs when it has finished a job.
library CompletionLib {
    bytes32 internal constant TYPEHASH = keccak256(
        "Completion(bytes32 jobId,bytes32 outputHash,uint32 outputTokens,uint40 completedAt)"
    );

    function structHash(SettleItem calldata item) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(TYPEHASH, item.jobId, item.outputHash, item.outputTokens, item.completedAt)
        );
    }
}
