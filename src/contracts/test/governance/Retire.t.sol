// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";

import { IModelRegistry, ModelStatus } from "../../src/interfaces/IModelRegistry.sol";
import { GovernanceBase } from "./GovernanceBase.sol";

contract RetireTest is GovernanceBase {
    /// @dev The lister too: it opens the door, and cannot close it.
    function testFuzz_refusesAnyoneButTheTimelock(address sender) public {
        vm.assume(sender != address(timelock));
        _expectUnauthorized(sender);
        _expectUnauthorized(lister);
    }

    function test_refusesUnknownModel() public {
        _expectWrongStatus("nobody knows", ModelStatus.Unknown);
    }

    function test_refusesModelOnItsWayOut() public {
        _retire(MODEL);
        skip(NOTICE - 1);
        _expectWrongStatus(MODEL, ModelStatus.Retiring);
        skip(1);
        _expectWrongStatus(MODEL, ModelStatus.Retired);
    }

    function testFuzz_retiresWhenTheNoticeHasRunOut(uint256 wait) public {
        wait = bound(wait, 0, 2 * uint256(NOTICE));
        uint40 retiresAt = uint40(block.timestamp) + NOTICE;
        vm.expectEmit(address(registry));
        emit IModelRegistry.RetirementAnnounced(keccak256(bytes(MODEL)), MODEL, retiresAt);
        _retire(MODEL);

        assertEq(registry.model(MODEL).retiresAt, retiresAt);
        _assertStatus(MODEL, ModelStatus.Retiring);
        skip(wait);
        _assertStatus(MODEL, wait < NOTICE ? ModelStatus.Retiring : ModelStatus.Retired);
    }

    function test_leavesOtherModelsAlone() public {
        _list("a");
        _retire(MODEL);
        skip(NOTICE);
        _assertStatus("a", ModelStatus.Listed);
    }

    function _expectWrongStatus(string memory id, ModelStatus status) private {
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.WrongStatus.selector, id, status));
        _retire(id);
    }

    function _expectUnauthorized(address sender) private {
        vm.expectRevert(
            abi.encodeWithSelector(
                IAccessControl.AccessControlUnauthorizedAccount.selector, sender, bytes32(0)
            )
        );
        vm.prank(sender);
        registry.retire(MODEL);
    }
}
