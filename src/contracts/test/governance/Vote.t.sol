// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IGovernor } from "@openzeppelin/contracts/governance/IGovernor.sol";

import { ProposalBase } from "./ProposalBase.sol";

/// @notice Whose votes count, and when they carry a proposal.
contract VoteTest is ProposalBase {
    function test_votesThatWereNotDelegatedDoNotCount() public {
        vm.prank(holder);
        assertTrue(token.transfer(stranger, QUORUM));
        _propose();
        _open();
        vm.prank(stranger);
        assertEq(governor.castVote(proposal, FOR), 0);
    }

    /// @dev Votes are those of the snapshot: tokens that move afterwards vote once.
    function test_votesBoughtAfterTheSnapshotDoNotCount() public {
        _propose();
        _open();
        vm.prank(alice);
        assertTrue(token.transfer(stranger, QUORUM));
        vm.prank(stranger);
        token.delegate(stranger);
        skip(1);
        vm.prank(stranger);
        assertEq(governor.castVote(proposal, FOR), 0);
        vm.prank(alice);
        assertEq(governor.castVote(proposal, FOR), QUORUM);
    }

    function test_refusesVoteBeforeTheSnapshot() public {
        _propose();
        skip(VOTING_DELAY);
        _expectWrongState(IGovernor.ProposalState.Pending, IGovernor.ProposalState.Active);
        _vote(alice, FOR);
    }

    function test_refusesVoteAfterTheEnd() public {
        _propose();
        _open();
        skip(VOTING_PERIOD);
        _expectWrongState(IGovernor.ProposalState.Defeated, IGovernor.ProposalState.Active);
        _vote(alice, FOR);
    }

    function test_refusesSecondVote() public {
        _propose();
        _open();
        _vote(alice, FOR);
        vm.expectRevert(abi.encodeWithSelector(IGovernor.GovernorAlreadyCastVote.selector, alice));
        _vote(alice, AGAINST);
    }

    function test_defeatedByVotesAgainst() public {
        _give(bob, 1);
        skip(1);
        _propose();
        _open();
        _vote(alice, FOR);
        _vote(bob, AGAINST);
        _expectDefeat();
    }

    function test_defeatedByATie() public {
        _propose();
        _open();
        _vote(alice, FOR);
        _vote(bob, AGAINST);
        _expectDefeat();
    }

    function test_defeatedWithoutQuorum() public {
        vm.prank(alice);
        assertTrue(token.transfer(holder, 1));
        skip(1);
        _propose();
        _open();
        _vote(alice, FOR);
        _expectDefeat();
    }

    function testFuzz_passesExactlyWithQuorumAndMajority(
        uint256 votesFor,
        uint256 votesAgainst,
        uint256 votesAbstaining
    ) public {
        address[3] memory voters = [makeAddr("for"), makeAddr("against"), makeAddr("abstaining")];
        uint256[3] memory votes = [
            bound(votesFor, 0, 2 * QUORUM),
            bound(votesAgainst, 0, 2 * QUORUM),
            bound(votesAbstaining, 0, 2 * QUORUM)
        ];
        for (uint256 i; i < 3; ++i) {
            _give(voters[i], votes[i]);
        }
        skip(1);
        _propose();
        _open();
        _vote(voters[0], FOR);
        _vote(voters[1], AGAINST);
        _vote(voters[2], ABSTAIN);
        skip(VOTING_PERIOD);
        bool passes = votes[0] + votes[2] >= QUORUM && votes[0] > votes[1];
        _assertState(passes ? IGovernor.ProposalState.Succeeded : IGovernor.ProposalState.Defeated);
    }

    function _expectDefeat() private {
        skip(VOTING_PERIOD);
        _assertState(IGovernor.ProposalState.Defeated);
        _expectWrongState(IGovernor.ProposalState.Defeated, IGovernor.ProposalState.Succeeded);
        _queue();
    }
}
