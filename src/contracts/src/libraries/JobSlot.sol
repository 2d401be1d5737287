// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Job, JobStatus } from "../interfaces/IJobEscrow.sol";

/// @dev A job in one word, because each further slot would cost as much as all the rest of a lock.
/// From the lowest bit: wallet 160, credits 32, since 32, workerId 24, tier 4, status 3, staked 1.
type JobSlot is uint256;

using JobSlotLib for JobSlot global;

library JobSlotLib {
    uint256 private constant CREDITS_AT = 160;
    uint256 private constant SINCE_AT = 192;
    uint256 private constant WORKER_AT = 224;
    uint256 private constant TIER_AT = 248;
    uint256 private constant STATUS_AT = 252;
    uint256 private constant STAKED = uint256(1) << 255;

    /// @dev `job.tier` must be below 16.
    function pack(Job memory job) internal pure returns (JobSlot) {
        uint256 word = uint160(job.wallet);
        word |= uint256(job.credits) << CREDITS_AT;
        word |= uint256(job.since) << SINCE_AT;
        word |= uint256(job.workerId) << WORKER_AT;
        word |= uint256(job.tier) << TIER_AT;
        word |= uint256(job.status) << STATUS_AT;
        if (job.staked) word |= STAKED;
        return JobSlot.wrap(word);
    }

    /// @dev Each cast cuts out the bits of its field.
    function unpack(JobSlot slot) internal pure returns (Job memory job) {
        uint256 word = JobSlot.unwrap(slot);
        // forge-lint: disable-start(unsafe-typecast)
        job.wallet = address(uint160(word));
        job.credits = uint32(word >> CREDITS_AT);
        job.since = uint32(word >> SINCE_AT);
        job.workerId = uint24(word >> WORKER_AT);
        job.tier = uint8(word >> TIER_AT) & 0xf;
        job.status = JobStatus(uint8(word >> STATUS_AT) & 0x7);
        job.staked = word & STAKED != 0;
        // forge-lint: disable-end(unsafe-typecast)
    }
}
