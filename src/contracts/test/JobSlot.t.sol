// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Test } from "forge-std/Test.sol";

import { Job, JobStatus } from "../src/interfaces/IJobEscrow.sol";
import { JobSlot, JobSlotLib } from "../src/libraries/JobSlot.sol";

contract JobSlotTest is Test {
    function test_emptyWordIsNoJob() public pure {
        Job memory job = JobSlot.wrap(0).unpack();
        assertEq(uint8(job.status), uint8(JobStatus.None));
        assertEq(JobSlot.unwrap(JobSlotLib.pack(job)), 0);
    }

    function testFuzz_givesBackWhatWasPacked(
        address wallet,
        uint32 credits,
        uint8 tier,
        uint8 status,
        uint32 since,
        uint24 workerId,
        bool staked
    ) public pure {
        tier = uint8(bound(tier, 0, 15));
        JobStatus known = JobStatus(bound(status, 0, uint8(type(JobStatus).max)));
        Job memory job = Job(wallet, credits, tier, known, since, workerId, staked);
        assertEq(abi.encode(JobSlotLib.pack(job).unpack()), abi.encode(job));
    }

    /// @dev No field may reach into another: each alone, at its highest, leaves the others zero.
    function test_fieldsDoNotOverlap() public pure {
        Job[7] memory jobs;
        jobs[0].wallet = address(type(uint160).max);
        jobs[1].credits = type(uint32).max;
        jobs[2].tier = 15;
        jobs[3].status = type(JobStatus).max;
        jobs[4].since = type(uint32).max;
        jobs[5].workerId = type(uint24).max;
        jobs[6].staked = true;

        uint256 taken;
        for (uint256 i; i < jobs.length; ++i) {
            uint256 word = JobSlot.unwrap(JobSlotLib.pack(jobs[i]));
            assertEq(taken & word, 0);
            taken |= word;
        }
    }
}
