// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";

import { WorkerRecords } from "../../src/WorkerRecords.sol";
import { WorkerStakes } from "../../src/WorkerStakes.sol";
import { WorkerStaking } from "../../src/WorkerStaking.sol";
import { IWorkerStaking, SlashReason } from "../../src/interfaces/IWorkerStaking.sol";
import { StakingBase } from "./StakingBase.sol";

/// @notice Everybody who has a say in staking, against every call that is somebody's alone.
contract StakingRolePairsTest is StakingBase {
    struct Call {
        address[] holders;
        bytes data;
        bytes4 refusal;
    }

    bytes4 private immutable UNAUTHORIZED =
        IAccessControl.AccessControlUnauthorizedAccount.selector;
    bytes32 private constant JOB_ID = keccak256("job");

    function setUp() public override {
        super.setUp();
        _stake(workerId, MINIMUM);
    }

    function test_noKeyDoesAnothersWork() public {
        address[] memory keys = _keys();
        Call[] memory calls = _calls();
        for (uint256 i = 0; i < calls.length; ++i) {
            for (uint256 k = 0; k < keys.length; ++k) {
                if (_holds(calls[i], keys[k])) continue;
                (bool done, bytes memory reason) = _try(keys[k], calls[i].data);
                assertFalse(done, "let through");
                assertEq(bytes4(reason), calls[i].refusal);
            }
        }
    }

    /// @dev Else the table would pass on calls that nobody can make.
    function test_theHoldersAreLetThrough() public {
        Call[] memory calls = _calls();
        for (uint256 i = 0; i < calls.length; ++i) {
            for (uint256 h = 0; h < calls[i].holders.length; ++h) {
                uint256 before = vm.snapshotState();
                (bool done, bytes memory reason) = _try(calls[i].holders[h], calls[i].data);
                if (!done) assertNotEq(bytes4(reason), calls[i].refusal);
                vm.revertToState(before);
            }
        }
    }

    function test_nobodyTakesAWorkersStakeElsewhere() public {
        _requestUnstake(MINIMUM);
        skip(UNBONDING);
        address[] memory keys = _keys();
        for (uint256 k = 0; k < keys.length; ++k) {
            uint256 before = vm.snapshotState();
            // Anybody may call, and whoever calls, it goes to the payee.
            vm.prank(keys[k]);
            staking.withdraw(workerId);
            assertEq(token.balanceOf(payee), MINIMUM);
            vm.revertToState(before);
        }
    }

    function _keys() private returns (address[] memory keys) {
        keys = new address[](8);
        (keys[0], keys[1], keys[2], keys[3]) = (admin, escrow, signer, payee);
        (keys[4], keys[5], keys[6]) = (vm.addr(otherWorkerKey), holder, stranger);
        keys[7] = makeAddr("keeper");
    }

    function _calls() private view returns (Call[] memory calls) {
        bytes32 slasher = staking.SLASHER_ROLE();
        calls = new Call[](7);
        calls[0] = _call(
            escrow,
            abi.encodeCall(WorkerStaking.slash, (workerId, JOB_ID, SlashReason.FraudulentProof)),
            UNAUTHORIZED
        );
        calls[1] = _call(admin, abi.encodeCall(WorkerStaking.setEscrow, (escrow)), UNAUTHORIZED);
        calls[2] =
            _call(admin, abi.encodeCall(IAccessControl.grantRole, (slasher, admin)), UNAUTHORIZED);
        calls[3] = _call(
            admin, abi.encodeCall(IAccessControl.revokeRole, (slasher, escrow)), UNAUTHORIZED
        );
        calls[4] = _call(
            signer,
            abi.encodeCall(WorkerRecords.setPayee, (workerId, stranger)),
            IWorkerStaking.NotSigner.selector
        );
        calls[5] = _call(
            signer,
            abi.encodeCall(WorkerRecords.deactivate, (workerId)),
            IWorkerStaking.NotSigner.selector
        );
        calls[6] = _call(
            signer,
            abi.encodeCall(WorkerStakes.requestUnstake, (workerId, 1)),
            IWorkerStaking.NotSignerOrPayee.selector
        );
        calls[6].holders = new address[](2);
        (calls[6].holders[0], calls[6].holders[1]) = (signer, payee);
    }

    function _call(address keyHolder, bytes memory data, bytes4 refusal)
        private
        pure
        returns (Call memory call)
    {
        call = Call(new address[](1), data, refusal);
        call.holders[0] = keyHolder;
    }

    function _holds(Call memory call, address key) private pure returns (bool) {
        for (uint256 h = 0; h < call.holders.length; ++h) {
            if (call.holders[h] == key) return true;
        }
        return false;
    }

    function _try(address key, bytes memory data) private returns (bool done, bytes memory reason) {
        vm.prank(key);
        (done, reason) = address(staking).call(data);
    }
}
