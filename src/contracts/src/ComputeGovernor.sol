// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Governor } from "@openzeppelin/contracts/governance/Governor.sol";
import { TimelockController } from "@openzeppelin/contracts/governance/TimelockController.sol";
import {
    GovernorCountingSimple
} from "@openzeppelin/contracts/governance/extensions/GovernorCountingSimple.sol";
import {
    GovernorSettings
} from "@openzeppelin/contracts/governance/extensions/GovernorSettings.sol";
import {
    GovernorTimelockControl
} from "@openzeppelin/contracts/governance/extensions/GovernorTimelockControl.sol";
import { GovernorVotes } from "@openzeppelin/contracts/governance/extensions/GovernorVotes.sol";
import {
    GovernorVotesQuorumFraction
} from "@openzeppelin/contracts/governance/extensions/GovernorVotesQuorumFraction.sol";

import { RCompute } from "./RCompute.sol";

/// @dev Where governance starts; a vote can change each of these later. Times in seconds.
/// @param votingDelaySeconds from a proposal until votes are counted as they then stand
/// @param proposalThreshold votes that a proposer needs, in units of the token
/// @param quorumPercent of the token's supply that must vote for or abstain
/// @param timelockSeconds from the queueing of a proposal until anyone may execute it
struct GovernorConfig {
    RCompute token;
    uint48 votingDelaySeconds;
    uint32 votingPeriodSeconds;
    uint256 proposalThreshold;
    uint256 quorumPercent;
    uint256 timelockSeconds;
}

/// @title ComputeGovernor
/// @notice Holders of the governance token propose and vote; the timelock carries out what passed.
/// The governor makes its own timelock, so that nobody else ever has a role in it: it alone queues
/// and cancels, and anyone executes what is due.
contract ComputeGovernor is
    Governor,
    GovernorSettings,
    GovernorCountingSimple,
    GovernorVotes,
    GovernorVotesQuorumFraction,
    GovernorTimelockControl
{
    /// @dev Without any of these a single holder could pass anything before others look up.
    error ZeroSetting();

    constructor(GovernorConfig memory config)
        Governor("ComputeGovernor")
        GovernorSettings(
            config.votingDelaySeconds, config.votingPeriodSeconds, config.proposalThreshold
        )
        GovernorVotes(config.token)
        GovernorVotesQuorumFraction(config.quorumPercent)
        GovernorTimelockControl(_newTimelock(config.timelockSeconds))
    {
        require(
            config.votingDelaySeconds != 0 && config.proposalThreshold != 0
                && config.quorumPercent != 0 && config.timelockSeconds != 0,
            ZeroSetting()
        );
    }

    function _newTimelock(uint256 delaySeconds) private returns (TimelockController) {
        address[] memory governor = new address[](1);
        governor[0] = address(this);
        address[] memory anyone = new address[](1);
        return new TimelockController(delaySeconds, governor, anyone, address(0));
    }

    /* WHERE TWO PARENTS SPEAK */

    function proposalThreshold()
        public
        view
        override(Governor, GovernorSettings)
        returns (uint256)
    {
        return super.proposalThreshold();
    }

    function state(uint256 proposalId)
        public
        view
        override(Governor, GovernorTimelockControl)
        returns (ProposalState)
    {
        return super.state(proposalId);
    }

    function proposalNeedsQueuing(uint256 proposalId)
        public
        view
        override(Governor, GovernorTimelockControl)
        returns (bool)
    {
        return super.proposalNeedsQueuing(proposalId);
    }

    function _queueOperations(
        uint256 proposalId,
        address[] memory targets,
        uint256[] memory values,
        bytes[] memory calldatas,
        bytes32 descriptionHash
    ) internal override(Governor, GovernorTimelockControl) returns (uint48) {
        return super._queueOperations(proposalId, targets, values, calldatas, descriptionHash);
    }

    function _executeOperations(
        uint256 proposalId,
        address[] memory targets,
        uint256[] memory values,
        bytes[] memory calldatas,
        bytes32 descriptionHash
    ) internal override(Governor, GovernorTimelockControl) {
        super._executeOperations(proposalId, targets, values, calldatas, descriptionHash);
    }

    function _cancel(
        address[] memory targets,
        uint256[] memory values,
        bytes[] memory calldatas,
        bytes32 descriptionHash
    ) internal override(Governor, GovernorTimelockControl) returns (uint256) {
        return super._cancel(targets, values, calldatas, descriptionHash);
    }

    function _executor()
        internal
        view
        override(Governor, GovernorTimelockControl)
        returns (address)
    {
        return super._executor();
    }
}
