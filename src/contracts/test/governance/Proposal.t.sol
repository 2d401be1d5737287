// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";
import { IGovernor } from "@openzeppelin/contracts/governance/IGovernor.sol";
import { TimelockController } from "@openzeppelin/contracts/governance/TimelockController.sol";

import { ModelStatus } from "../../src/interfaces/IModelRegistry.sol";
import { ProposalBase } from "./ProposalBase.sol";

/// @notice The way of a proposal from its making to its effect.
contract ProposalTest is ProposalBase {
    /* REFUSALS */

    function test_refusesProposerWithoutEnoughVotes() public {
        _give(stranger, THRESHOLD - 1);
        skip(1);
        vm.expectRevert(
            abi.encodeWithSelector(
                IGovernor.GovernorInsufficientProposerVotes.selector,
                stranger,
                THRESHOLD - 1,
                THRESHOLD
            )
        );
        vm.prank(stranger);
        governor.propose(targets, values, calls, WHY);
    }

    function test_refusesQueueingBeforeTheEnd() public {
        _propose();
        _open();
        _vote(alice, FOR);
        skip(VOTING_PERIOD - 1);
        _expectWrongState(IGovernor.ProposalState.Active, IGovernor.ProposalState.Succeeded);
        _queue();
    }

    function test_refusesAnotherCallThanWasVotedOn() public {
        _pass();
        calls = [abi.encodeCall(registry.retire, ("another"))];
        uint256 another = governor.hashProposal(targets, values, calls, WHY_HASH);
        vm.expectRevert(
            abi.encodeWithSelector(IGovernor.GovernorNonexistentProposal.selector, another)
        );
        _queue();
    }

    function test_refusesExecutionWithoutAQueue() public {
        _pass();
        _expectWrongState(IGovernor.ProposalState.Succeeded, IGovernor.ProposalState.Queued);
        _execute();
    }

    function test_refusesExecutionBeforeTheTimelock() public {
        _pass();
        _queue();
        skip(TIMELOCK - 1);
        _expectOperationNotReady();
        _execute();
        _assertStatus(MODEL, ModelStatus.Listed);
    }

    function test_refusesExecutionTwice() public {
        _pass();
        _queue();
        skip(TIMELOCK);
        _execute();
        _expectWrongState(IGovernor.ProposalState.Executed, IGovernor.ProposalState.Queued);
        _execute();
    }

    function testFuzz_refusesAnyoneElseAtTheTimelock(address sender) public {
        vm.assume(sender != address(governor));
        bytes32 role = timelock.PROPOSER_ROLE();
        vm.expectRevert(
            abi.encodeWithSelector(
                IAccessControl.AccessControlUnauthorizedAccount.selector, sender, role
            )
        );
        vm.prank(sender);
        timelock.scheduleBatch(targets, values, calls, 0, 0, TIMELOCK);
    }

    /* CANCELLED */

    function test_proposerCancelsBeforeTheVote() public {
        _propose();
        vm.expectRevert(
            abi.encodeWithSelector(IGovernor.GovernorUnableToCancel.selector, proposal, bob)
        );
        vm.prank(bob);
        _cancel();

        vm.prank(alice);
        _cancel();
        _assertState(IGovernor.ProposalState.Canceled);
        _open();
        _expectWrongState(IGovernor.ProposalState.Canceled, IGovernor.ProposalState.Active);
        _vote(alice, FOR);
    }

    function test_nobodyCancelsOnceVotesAreCast() public {
        _propose();
        _open();
        vm.expectRevert(
            abi.encodeWithSelector(IGovernor.GovernorUnableToCancel.selector, proposal, alice)
        );
        vm.prank(alice);
        _cancel();
    }

    /* THE WHOLE LIFE */

    function test_retiresAModel() public {
        _propose();
        _assertState(IGovernor.ProposalState.Pending);
        _open();
        _assertState(IGovernor.ProposalState.Active);
        _vote(alice, FOR);
        _vote(bob, ABSTAIN);
        skip(VOTING_PERIOD);
        _assertState(IGovernor.ProposalState.Succeeded);
        assertTrue(governor.proposalNeedsQueuing(proposal));

        vm.prank(stranger);
        _queue();
        _assertState(IGovernor.ProposalState.Queued);
        assertEq(governor.proposalEta(proposal), block.timestamp + TIMELOCK);
        _assertStatus(MODEL, ModelStatus.Listed);

        skip(TIMELOCK);
        vm.prank(stranger);
        _execute();
        _assertState(IGovernor.ProposalState.Executed);
        _assertStatus(MODEL, ModelStatus.Retiring);
        assertEq(registry.model(MODEL).retiresAt, block.timestamp + NOTICE);

        skip(NOTICE - 1);
        _assertStatus(MODEL, ModelStatus.Retiring);
        skip(1);
        _assertStatus(MODEL, ModelStatus.Retired);
    }

    function test_takesARetirementBack() public {
        _pass();
        _queueAndExecute();
        _assertStatus(MODEL, ModelStatus.Retiring);

        calls = [abi.encodeCall(registry.cancelRetirement, (MODEL))];
        _pass();
        _queueAndExecute();
        skip(NOTICE);
        _assertStatus(MODEL, ModelStatus.Listed);
    }

    /// @dev A notice is longer than a vote and its timelock take: it can always be taken back.
    function test_noticeLeavesTimeForAnotherVote() public pure {
        assertLt(VOTING_DELAY + VOTING_PERIOD + TIMELOCK, NOTICE);
    }

    function test_changesItsOwnSettings() public {
        targets = [address(governor)];
        calls = [abi.encodeCall(governor.setVotingPeriod, (14 days))];
        _pass();
        _queueAndExecute();
        assertEq(governor.votingPeriod(), 14 days);
    }

    function test_executesOnTheTimelockItself() public {
        _pass();
        _queue();
        skip(TIMELOCK);
        timelock.executeBatch(targets, values, calls, 0, _salt());
        _assertState(IGovernor.ProposalState.Executed);
        _assertStatus(MODEL, ModelStatus.Retiring);
    }

    function _queueAndExecute() private {
        _queue();
        skip(TIMELOCK);
        _execute();
    }

    function _expectOperationNotReady() private {
        bytes32 operation = timelock.hashOperationBatch(targets, values, calls, 0, _salt());
        vm.expectRevert(
            abi.encodeWithSelector(
                TimelockController.TimelockUnexpectedOperationState.selector,
                operation,
                bytes32(2 ** uint256(TimelockController.OperationState.Ready))
            )
        );
    }

    function _salt() private view returns (bytes32) {
        return bytes20(address(governor)) ^ WHY_HASH;
    }
}
