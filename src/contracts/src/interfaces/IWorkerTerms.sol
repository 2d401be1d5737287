// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What the escrow needs to know of a worker.
interface IWorkerTerms {
    /// @return signer key that signs completions; zero when the id was never given out
    /// @return payee address that earnings are paid to
    /// @return shareBps part of a charge that the worker earns, in basis points, at most 10_000
    function terms(uint32 workerId)
        external
        view
        returns (address signer, address payee, uint16 shareBps);
}
