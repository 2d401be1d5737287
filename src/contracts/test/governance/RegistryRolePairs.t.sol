// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";
import { IGovernor } from "@openzeppelin/contracts/governance/IGovernor.sol";
import { TimelockController } from "@openzeppelin/contracts/governance/TimelockController.sol";
import {
    GovernorSettings
} from "@openzeppelin/contracts/governance/extensions/GovernorSettings.sol";

import { ModelRegistry } from "../../src/ModelRegistry.sol";
import { GovernanceBase } from "./GovernanceBase.sol";

/// @notice Who may list may not retire, and nothing of the network's government obeys a single key.
contract RegistryRolePairsTest is GovernanceBase {
    struct Call {
        address target;
        /// A contract, or none: no key holds it.
        address holder;
        bytes data;
    }

    function test_noKeyDoesGovernancesWork() public {
        address[6] memory keys = [holder, alice, lister, stranger, makeAddr("deployer"), address(0)];
        Call[] memory calls = _calls();
        for (uint256 i = 0; i < calls.length; ++i) {
            // Of the contracts only the one that is named.
            for (uint256 c = 0; c < 3; ++c) {
                address other = [address(governor), address(timelock), address(registry)][c];
                if (other != calls[i].holder) _assertRefused(other, calls[i]);
            }
            for (uint256 k = 0; k < keys.length; ++k) {
                if (keys[k] != calls[i].holder) _assertRefused(keys[k], calls[i]);
            }
        }
    }

    /// @dev Else the table would pass on calls that nobody can make.
    function test_theHolderIsLetThrough() public {
        Call[] memory calls = _calls();
        for (uint256 i = 0; i < calls.length; ++i) {
            uint256 before = vm.snapshotState();
            vm.prank(calls[i].holder);
            (bool done, bytes memory reason) = calls[i].target.call(calls[i].data);
            // The governor also asks for the vote behind it.
            if (!done) assertFalse(_isRefusal(reason), "refused");
            vm.revertToState(before);
        }
    }

    function test_noKeyHasARoleOfTheTimelock() public view {
        bytes32[3] memory roles =
            [timelock.DEFAULT_ADMIN_ROLE(), timelock.PROPOSER_ROLE(), timelock.CANCELLER_ROLE()];
        address[5] memory keys = [holder, alice, lister, stranger, address(this)];
        for (uint256 r = 0; r < roles.length; ++r) {
            for (uint256 k = 0; k < keys.length; ++k) {
                assertFalse(timelock.hasRole(roles[r], keys[k]), "a key has a role");
            }
        }
    }

    function _calls() private view returns (Call[] memory calls) {
        bytes32 listerRole = registry.LISTER_ROLE();
        bytes32 proposer = timelock.PROPOSER_ROLE();
        (address rules, address house) = (address(registry), address(timelock));
        calls = new Call[](8);
        calls[0] =
            Call(rules, lister, abi.encodeCall(ModelRegistry.list, (_spec("somebody/else-8B"))));
        calls[1] = Call(rules, house, abi.encodeCall(ModelRegistry.retire, (MODEL)));
        calls[2] = Call(rules, house, abi.encodeCall(IAccessControl.grantRole, (listerRole, alice)));
        calls[3] =
            Call(rules, house, abi.encodeCall(IAccessControl.revokeRole, (listerRole, lister)));
        calls[4] = Call(
            house,
            address(governor),
            abi.encodeCall(
                TimelockController.schedule, (rules, 0, "", bytes32(0), bytes32(0), TIMELOCK)
            )
        );
        calls[5] = Call(house, house, abi.encodeCall(IAccessControl.grantRole, (proposer, alice)));
        calls[6] = Call(house, house, abi.encodeCall(TimelockController.updateDelay, (1)));
        calls[7] = Call(
            address(governor), house, abi.encodeCall(GovernorSettings.setProposalThreshold, (1))
        );
    }

    function _assertRefused(address key, Call memory call) private {
        // The registry's admin may list too.
        if (call.holder == lister && key == address(timelock)) return;
        vm.prank(key);
        (bool done, bytes memory reason) = call.target.call(call.data);
        assertFalse(done, "let through");
        assertTrue(_isRefusal(reason), "refused for another reason");
    }

    function _isRefusal(bytes memory reason) private pure returns (bool) {
        bytes4 why = bytes4(reason);
        return why == IAccessControl.AccessControlUnauthorizedAccount.selector
            || why == TimelockController.TimelockUnauthorizedCaller.selector
            || why == IGovernor.GovernorOnlyExecutor.selector;
    }
}
