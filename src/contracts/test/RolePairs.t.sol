// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";

import { JobDisputes } from "../src/JobDisputes.sol";
import { JobEscrow } from "../src/JobEscrow.sol";
import { OperatorLimits } from "../src/OperatorLimits.sol";
import { DisputeItem, LockItem, SettleItem } from "../src/interfaces/IJobEscrow.sol";
import { BaseTest } from "./BaseTest.sol";

/// @notice Every key that a part of the service holds, against every call of every other part.
contract RolePairsTest is BaseTest {
    struct Call {
        address holder;
        bytes data;
    }

    function test_noKeyDoesAnothersWork() public {
        address[9] memory keys = [
            locker,
            settler,
            arbiter,
            pauser,
            admin,
            treasury,
            vm.addr(withdrawalSignerKey),
            vm.addr(workerKey),
            makeAddr("keeper")
        ];
        Call[] memory calls = _calls();
        for (uint256 i = 0; i < calls.length; ++i) {
            for (uint256 k = 0; k < keys.length; ++k) {
                if (keys[k] != calls[i].holder) _assertUnauthorized(keys[k], calls[i].data);
            }
        }
    }

    /// @dev Else the table above would pass on calls that nobody can make.
    function test_theHolderIsLetThrough() public {
        Call[] memory calls = _calls();
        for (uint256 i = 0; i < calls.length; ++i) {
            vm.prank(calls[i].holder);
            (bool done, bytes memory reason) = address(escrow).call(calls[i].data);
            if (!done) {
                assertNotEq(
                    bytes4(reason), IAccessControl.AccessControlUnauthorizedAccount.selector
                );
            }
        }
    }

    function test_onlyTheAdminGivesAndTakesRoles() public {
        bytes32[6] memory roles = _roles();
        address[5] memory keys = [locker, settler, arbiter, vm.addr(withdrawalSignerKey), pauser];
        for (uint256 i = 0; i < roles.length; ++i) {
            for (uint256 k = 0; k < keys.length; ++k) {
                _assertUnauthorized(keys[k], abi.encodeCall(escrow.grantRole, (roles[i], keys[k])));
                _assertUnauthorized(keys[k], abi.encodeCall(escrow.revokeRole, (roles[i], admin)));
            }
        }
    }

    /// @dev A second one would be no less able to take what the first can.
    function test_eachRoleHasOneHolder() public view {
        bytes32[6] memory roles = _roles();
        address[6] memory holders =
            [admin, locker, settler, arbiter, vm.addr(withdrawalSignerKey), pauser];
        for (uint256 i = 0; i < roles.length; ++i) {
            for (uint256 k = 0; k < holders.length; ++k) {
                assertEq(escrow.hasRole(roles[i], holders[k]), i == k);
            }
        }
    }

    function _roles() private view returns (bytes32[6] memory) {
        return [
            escrow.DEFAULT_ADMIN_ROLE(),
            escrow.LOCKER_ROLE(),
            escrow.SETTLER_ROLE(),
            escrow.ARBITER_ROLE(),
            escrow.WITHDRAWAL_SIGNER_ROLE(),
            escrow.PAUSER_ROLE()
        ];
    }

    function _calls() private view returns (Call[] memory calls) {
        calls = new Call[](8);
        calls[0] = Call(locker, abi.encodeCall(JobEscrow.lockBatch, (new LockItem[](0))));
        calls[1] = Call(settler, abi.encodeCall(JobEscrow.settleBatch, (new SettleItem[](0))));
        calls[2] = Call(settler, abi.encodeCall(JobEscrow.refundBatch, (new bytes32[](0))));
        calls[3] = Call(settler, abi.encodeCall(JobDisputes.disputeBatch, (new DisputeItem[](0))));
        calls[4] = Call(arbiter, abi.encodeCall(JobDisputes.resolveDispute, (_jobId(1), true)));
        calls[5] = Call(pauser, abi.encodeCall(OperatorLimits.pause, ()));
        calls[6] = Call(pauser, abi.encodeCall(OperatorLimits.unpause, ()));
        calls[7] = Call(admin, abi.encodeCall(OperatorLimits.setSettleCap, (1)));
    }

    function _assertUnauthorized(address key, bytes memory data) private {
        vm.prank(key);
        (bool done, bytes memory reason) = address(escrow).call(data);
        assertFalse(done, "let through");
        assertEq(bytes4(reason), IAccessControl.AccessControlUnauthorizedAccount.selector);
    }
}
