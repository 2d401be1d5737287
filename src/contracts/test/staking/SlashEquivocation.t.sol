// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { WorkerStaking } from "../../src/WorkerStaking.sol";
import {
    IWorkerStaking,
    SignedCompletion,
    SlashReason
} from "../../src/interfaces/IWorkerStaking.sol";
import { StakingBase } from "./StakingBase.sol";

contract SlashEquivocationTest is StakingBase {
    bytes32 private constant JOB = "job_1";
    uint256 private constant STAKED = 2_000e18;

    function setUp() public override {
        super.setUp();
        _stake(workerId, STAKED);
    }

    function test_refusesBeforeTheEscrowIsKnown() public {
        staking = new WorkerStaking(_config());
        workerId = _register(workerKey, payee);
        vm.expectRevert(IWorkerStaking.EscrowNotSet.selector);
        _report(_signed("a", 1), _signed("b", 1));
    }

    function test_refusesUnknownWorker() public {
        SignedCompletion memory a = _signed("a", 1);
        SignedCompletion memory b = _signed("b", 1);
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.UnknownWorker.selector, 3));
        staking.slashEquivocation(3, JOB, a, b);
    }

    function test_refusesOneCompletionTwice() public {
        SignedCompletion memory a = _signed("a", 1);
        _expectSameContent(a, a);
    }

    /// @dev The same answer signed again later is no lie.
    function test_refusesTheSameContentAtAnotherTime() public {
        SignedCompletion memory a = _signed("a", 1);
        skip(1);
        _expectSameContent(a, _signed("a", 1));
    }

    function test_refusesSignatureOfAnotherWorker() public {
        SignedCompletion memory a = _signed("a", 1);
        SignedCompletion memory b = _completion(otherWorkerKey, JOB, "b", 1);
        _expectBadSignature(a, b);
        _expectBadSignature(b, a);
    }

    function test_refusesCompletionOfAnotherJob() public {
        _expectBadSignature(_signed("a", 1), _completion(workerKey, "job_2", "b", 1));
    }

    function test_refusesCompletionForAnotherEscrow() public {
        _expectBadSignature(
            _signed("a", 1), _completionFor(stranger, block.chainid, workerKey, JOB, "b", 1)
        );
    }

    function test_refusesCompletionOnAnotherChain() public {
        _expectBadSignature(
            _signed("a", 1), _completionFor(escrow, block.chainid + 1, workerKey, JOB, "b", 1)
        );
    }

    function testFuzz_refusesContentThatWasNotSigned(bytes32 hash, uint32 tokens, uint40 at)
        public
    {
        SignedCompletion memory a = _signed("a", 1);
        SignedCompletion memory b = _signed("b", 1);
        vm.assume(hash != a.outputHash || tokens != a.outputTokens);
        vm.assume(hash != b.outputHash || tokens != b.outputTokens || at != b.completedAt);
        (b.outputHash, b.outputTokens, b.completedAt) = (hash, tokens, at);
        _expectBadSignature(a, b);
    }

    function testFuzz_refusesGarbage(bytes32 r, bytes32 vs) public {
        SignedCompletion memory b = _signed("b", 1);
        vm.assume(r != b.r || vs != b.vs);
        (b.r, b.vs) = (r, vs);
        _expectBadSignature(_signed("a", 1), b);
    }

    function test_refusesTheSameJobTwice() public {
        _report(_signed("a", 1), _signed("b", 1));
        _expectAlreadyPunished();
    }

    function test_refusesJobPunishedByVerdict() public {
        _slash(workerId, JOB);
        _expectAlreadyPunished();
    }

    function test_verdictAfterItChangesNothing() public {
        _report(_signed("a", 1), _signed("b", 1));
        assertEq(_slash(workerId, JOB), 0);
        _assertStake(workerId, STAKED - _penalty(STAKED), 0);
    }

    function testFuzz_burnsForAnySender(
        bytes32 hashA,
        bytes32 hashB,
        uint32 tokensA,
        uint32 tokensB,
        uint256 wait,
        address sender
    ) public {
        vm.assume(hashA != hashB || tokensA != tokensB);
        vm.assume(sender != address(staking));
        SignedCompletion memory a = _signed(hashA, tokensA);
        skip(bound(wait, 0, 365 days));
        SignedCompletion memory b = _signed(hashB, tokensB);
        uint256 penalty = _penalty(STAKED);
        uint256 before = token.balanceOf(sender);

        vm.expectEmit(address(staking));
        emit IWorkerStaking.WorkerSlashed(workerId, signer, penalty, SlashReason.Equivocation, JOB);
        vm.prank(sender);
        assertEq(staking.slashEquivocation(workerId, JOB, a, b), penalty);

        assertTrue(staking.punished(workerId, JOB));
        _assertStake(workerId, STAKED - penalty, 0);
        assertEq(token.totalSupply(), SUPPLY - penalty);
        assertEq(token.balanceOf(sender), before, "nothing for the reporter");
    }

    function test_reachesAWorkerThatLeft() public {
        _deactivate();
        _report(_signed("a", 1), _signed("b", 1));
        _assertStake(workerId, 0, STAKED - _penalty(STAKED));
    }

    function test_takesNothingWhereNothingIs() public {
        SignedCompletion memory a = _completion(otherWorkerKey, JOB, "a", 1);
        SignedCompletion memory b = _completion(otherWorkerKey, JOB, "b", 1);
        vm.expectEmit(address(staking));
        emit IWorkerStaking.WorkerSlashed(
            otherWorkerId, vm.addr(otherWorkerKey), 0, SlashReason.Equivocation, JOB
        );
        assertEq(staking.slashEquivocation(otherWorkerId, JOB, a, b), 0);
    }

    /// @dev After a fork of the chain, the domain is that of the new chain.
    function test_followsTheChainId() public {
        vm.chainId(block.chainid + 1);
        _report(_signed("a", 1), _signed("b", 1));
        assertTrue(staking.punished(workerId, JOB));
    }

    function _signed(bytes32 hash, uint32 tokens) private view returns (SignedCompletion memory) {
        return _completion(workerKey, JOB, hash, tokens);
    }

    function _report(SignedCompletion memory a, SignedCompletion memory b) private {
        staking.slashEquivocation(workerId, JOB, a, b);
    }

    function _expectSameContent(SignedCompletion memory a, SignedCompletion memory b) private {
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.SameContent.selector, JOB));
        _report(a, b);
    }

    function _expectBadSignature(SignedCompletion memory a, SignedCompletion memory b) private {
        vm.expectRevert(IWorkerStaking.BadSignature.selector);
        _report(a, b);
    }

    function _expectAlreadyPunished() private {
        SignedCompletion memory a = _signed("a", 1);
        SignedCompletion memory b = _signed("b", 1);
        vm.expectRevert(
            abi.encodeWithSelector(IWorkerStaking.AlreadyPunished.selector, workerId, JOB)
        );
        _report(a, b);
    }
}
