// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { JobEscrow } from "../src/JobEscrow.sol";
import { WorkerStaking } from "../src/WorkerStaking.sol";
import { IJobEscrow, JobStatus, SettleItem, SkipReason } from "../src/interfaces/IJobEscrow.sol";
import { BaseTest } from "./BaseTest.sol";

/// @notice A signature counts on one chain and one contract, also after a fork of the chain.
contract ReplayTest is BaseTest {
    uint256 private constant OTHER_CHAIN = 424_242;

    bytes32 private jobId = _jobId(1);

    function setUp() public override {
        super.setUp();
        _lock(jobId, alice, 40, MAX);
    }

    function test_completionOfThisChainFailsOnAFork() public {
        SettleItem memory item = _completion(jobId, 1);
        vm.chainId(OTHER_CHAIN);
        _expectBadSignature(item);

        // Signed anew for the fork it counts there: the domain follows the chain id.
        _settle(_completion(jobId, 1));
        _assertStatus(jobId, JobStatus.Settled);
    }

    function test_completionOfAnotherChainFailsHere() public {
        SettleItem memory item = _completion(jobId, 1);
        (item.r, item.vs) = vm.signCompact(workerKey, _completionDigest(item, OTHER_CHAIN));
        _expectBadSignature(item);
    }

    function test_completionOfAnotherEscrowFailsHere() public {
        SettleItem memory item = _completion(jobId, 1);
        escrow = new JobEscrow(_config());
        _fund(alice, 100);
        _lock(jobId, alice, 40, MAX);
        _expectBadSignature(item);
    }

    function test_registrationOfThisChainFailsOnAFork() public {
        uint256 key = uint256(keccak256("third worker"));
        address signer = vm.addr(key);
        bytes memory signature = _signRegistration(key, signer, payee);

        vm.chainId(OTHER_CHAIN);
        vm.expectRevert(WorkerStaking.BadSignature.selector);
        staking.register(signer, payee, signature);

        assertEq(staking.register(signer, payee, _signRegistration(key, signer, payee)), 3);
    }

    function _expectBadSignature(SettleItem memory item) private {
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSkipped(jobId, uint8(SkipReason.BadSignature));
        _settle(item);
        _assertStatus(jobId, JobStatus.Locked);
    }
}
