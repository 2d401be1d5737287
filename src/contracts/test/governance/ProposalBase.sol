// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IGovernor } from "@openzeppelin/contracts/governance/IGovernor.sol";

import { GovernanceBase } from "./GovernanceBase.sol";

/// @notice One proposal, to retire a model, and two who each hold a quorum.
abstract contract ProposalBase is GovernanceBase {
    uint8 internal constant AGAINST = 0;
    uint8 internal constant FOR = 1;
    uint8 internal constant ABSTAIN = 2;
    bytes32 internal constant WHY_HASH = keccak256(bytes(WHY));
    string internal constant WHY = "Retire it: a better model of this size is listed";
    uint256 internal constant QUORUM = SUPPLY * QUORUM_PERCENT / 100;

    address[] internal targets;
    uint256[] internal values = [0];
    bytes[] internal calls;
    uint256 internal proposal;

    function setUp() public virtual override {
        super.setUp();
        targets = [address(registry)];
        calls = [abi.encodeCall(registry.retire, (MODEL))];
        _give(alice, QUORUM);
        _give(bob, QUORUM);
        skip(1);
    }

    function _give(address to, uint256 amount) internal {
        vm.prank(holder);
        assertTrue(token.transfer(to, amount));
        vm.prank(to);
        token.delegate(to);
    }

    function _propose() internal {
        vm.prank(alice);
        proposal = governor.propose(targets, values, calls, WHY);
    }

    function _open() internal {
        skip(VOTING_DELAY + 1);
    }

    function _vote(address voter, uint8 support) internal {
        vm.prank(voter);
        governor.castVote(proposal, support);
    }

    function _pass() internal {
        _propose();
        _open();
        _vote(alice, FOR);
        skip(VOTING_PERIOD);
        _assertState(IGovernor.ProposalState.Succeeded);
    }

    function _queue() internal {
        governor.queue(targets, values, calls, WHY_HASH);
    }

    function _execute() internal {
        governor.execute(targets, values, calls, WHY_HASH);
    }

    function _cancel() internal {
        governor.cancel(targets, values, calls, WHY_HASH);
    }

    function _assertState(IGovernor.ProposalState state) internal view {
        assertEq(uint8(governor.state(proposal)), uint8(state), "state");
    }

    /// @dev Expects the next call to find the proposal in `state`, where it needs `wanted`.
    function _expectWrongState(IGovernor.ProposalState state, IGovernor.ProposalState wanted)
        internal
    {
        vm.expectRevert(
            abi.encodeWithSelector(
                IGovernor.GovernorUnexpectedProposalState.selector,
                proposal,
                state,
                bytes32(2 ** uint256(wanted))
            )
        );
    }
}
