// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IJobEscrow, JobStatus } from "../src/interfaces/IJobEscrow.sol";
import { IWorkerStaking, SlashReason } from "../src/interfaces/IWorkerStaking.sol";
import { JobEscrow } from "../src/JobEscrow.sol";
import { EscrowConfig } from "../src/EscrowState.sol";
import { IWorkerTerms } from "../src/interfaces/IWorkerTerms.sol";
import { MoneyBase } from "./MoneyBase.sol";

/// @dev Knows one worker, and no stakes.
contract Terms is IWorkerTerms {
    address private immutable SIGNER;

    constructor(address signer) {
        SIGNER = signer;
    }

    function terms(uint32) external view returns (address, address, bool) {
        return (SIGNER, SIGNER, false);
    }
}

contract RevertingStaking is Terms {
    constructor(address signer) Terms(signer) { }

    function slash(uint32, bytes32, SlashReason) external pure {
        revert("broken");
    }
}

contract BurningStaking is Terms {
    constructor(address signer) Terms(signer) { }

    function slash(uint32, bytes32, SlashReason) external pure {
        while (true) { }
    }
}

/// @dev Answers with more than anybody wants to copy.
contract TalkingStaking is Terms {
    constructor(address signer) Terms(signer) { }

    function slash(uint32, bytes32, SlashReason) external pure {
        assembly {
            revert(0, 100000)
        }
    }
}

/// @dev Needs nearly all the gas that it is promised.
contract GreedyStaking is Terms {
    bool public slashed;

    constructor(address signer) Terms(signer) { }

    function slash(uint32, bytes32, SlashReason) external {
        require(gasleft() > 499_000);
        slashed = true;
    }
}

/// @dev Tries to have the verdict twice.
contract ReenteringStaking is Terms {
    constructor(address signer) Terms(signer) { }

    function slash(uint32, bytes32 jobId, SlashReason) external {
        JobEscrow(msg.sender).expireDispute(jobId);
    }
}

contract SlashOnVerdictTest is MoneyBase {
    bytes32 private jobId = _jobId(1);

    function test_refusesAVerdictThatBringsTooLittleGas() public {
        _disputed();
        vm.expectRevert(IJobEscrow.TooLittleGasToSlash.selector);
        vm.prank(arbiter);
        escrow.resolveDispute{ gas: 500_000 }(jobId, true);
        _assertStatus(jobId, JobStatus.Disputed);
    }

    /// @dev Whatever gas it brings, an upheld verdict either slashes or does not count.
    function testFuzz_neverSparesAWorkerForWantOfGas(uint256 gasLimit) public {
        _stake();
        _disputed();
        gasLimit = bound(gasLimit, 30_000, 800_000);
        vm.prank(arbiter);
        try escrow.resolveDispute{ gas: gasLimit }(jobId, true) {
            assertTrue(staking.punished(workerId, jobId));
        } catch {
            _assertStatus(jobId, JobStatus.Disputed);
        }
    }

    /// @dev Also where slashing costs all that it may.
    function test_givesTheSlashAllItsGas() public {
        GreedyStaking greedy = new GreedyStaking(vm.addr(workerKey));
        _useWorkers(greedy);
        _disputed();
        bool counted;
        for (uint256 gasLimit = 500_000; !counted; gasLimit += 1_000) {
            vm.prank(arbiter);
            try escrow.resolveDispute{ gas: gasLimit }(jobId, true) {
                counted = true;
            } catch {
                _assertStatus(jobId, JobStatus.Disputed);
            }
        }
        assertTrue(greedy.slashed());
    }

    function test_slashesNobodyWhereTheWorkerWasRight() public {
        _stake();
        _disputed();
        _resolve(jobId, false);
        assertFalse(staking.punished(workerId, jobId));
        assertEq(staking.workers(workerId).active, MINIMUM_STAKE);
    }

    function test_slashesNobodyWhereTimeDecides() public {
        _stake();
        _disputed();
        skip(ARBITRATION);
        escrow.expireDispute(jobId);
        assertFalse(staking.punished(workerId, jobId));
    }

    function test_slashesTheWorkerOfAnUpheldDispute() public {
        _stake();
        _disputed();
        uint256 amount = uint256(MINIMUM_STAKE) * SLASH_BPS / 10_000;
        vm.expectEmit(address(escrow));
        emit IJobEscrow.DisputeResolved(jobId, alice, workerId, true, 40);
        vm.expectEmit(address(staking));
        emit IWorkerStaking.WorkerSlashed(
            workerId, vm.addr(workerKey), amount, SlashReason.FraudulentProof, jobId
        );
        _resolve(jobId, true);
        assertEq(staking.workers(workerId).active, MINIMUM_STAKE - amount);
        _assertAccount(alice, START_CREDITS, 0);
    }

    function test_countsWhereTheWorkersHaveNoStakes() public {
        _assertVerdictCounts(new Terms(vm.addr(workerKey)));
    }

    function test_countsWhereTheirContractIsBroken() public {
        _assertVerdictCounts(new RevertingStaking(vm.addr(workerKey)));
        _assertVerdictCounts(new BurningStaking(vm.addr(workerKey)));
        _assertVerdictCounts(new TalkingStaking(vm.addr(workerKey)));
        _assertVerdictCounts(new ReenteringStaking(vm.addr(workerKey)));
    }

    /// @dev As before the staking contract was told which escrow may slash.
    function test_countsWhereTheEscrowMayNotSlash() public {
        bytes32 role = staking.SLASHER_ROLE();
        vm.prank(admin);
        staking.revokeRole(role, address(escrow));
        _disputed();
        _expectUnslashed();
    }

    function _assertVerdictCounts(IWorkerTerms workers) private {
        _useWorkers(workers);
        _disputed();
        _expectUnslashed();
        _assertAccount(alice, 100, 0);
    }

    function _useWorkers(IWorkerTerms workers) private {
        EscrowConfig memory config = _config();
        config.workers = workers;
        escrow = new JobEscrow(config);
        _fund(alice, 100);
    }

    function _expectUnslashed() private {
        vm.expectEmit(address(escrow));
        emit IJobEscrow.DisputeResolved(jobId, alice, workerId, true, 40);
        vm.expectEmit(address(escrow));
        emit IJobEscrow.SlashFailed(jobId, workerId);
        vm.prank(arbiter);
        escrow.resolveDispute{ gas: 1_000_000 }(jobId, true);
        _assertStatus(jobId, JobStatus.Upheld);
    }

    function _disputed() private {
        _lock(jobId, alice, 40, MAX);
        _settle(_completion(jobId, 1));
        _dispute(jobId);
    }

    function _stake() private {
        vm.startPrank(staker);
        compute.approve(address(staking), MINIMUM_STAKE);
        staking.stake(workerId, MINIMUM_STAKE);
        vm.stopPrank();
    }
}
