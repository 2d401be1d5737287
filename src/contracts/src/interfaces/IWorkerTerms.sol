// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev The escrow keeps an id in 24 bits of a job's slot: no worker may get a higher one.
uint32 constant WORKER_ID_MAX = type(uint24).max;

/// @notice What the escrow needs to know of a worker.
interface IWorkerTerms {
    /// @return signer key that signs completions; zero when the id was never given out, or
    /// when the worker has left
    /// @return payee address that earnings are paid to
    /// @return staked whether the worker has an active stake and so earns the higher share
    function terms(uint32 workerId)
        external
        view
        returns (address signer, address payee, bool staked);
}
