// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";

import { IModelRegistry, ModelStatus } from "../../src/interfaces/IModelRegistry.sol";
import { GovernanceBase } from "./GovernanceBase.sol";

contract CancelRetirementTest is GovernanceBase {
    function testFuzz_refusesAnyoneButTheTimelock(address sender) public {
        vm.assume(sender != address(timelock));
        _retire(MODEL);
        vm.expectRevert(
            abi.encodeWithSelector(
                IAccessControl.AccessControlUnauthorizedAccount.selector, sender, bytes32(0)
            )
        );
        vm.prank(sender);
        registry.cancelRetirement(MODEL);
    }

    function test_refusesUnknownModel() public {
        _expectWrongStatus("nobody knows", ModelStatus.Unknown);
    }

    function test_refusesModelThatStays() public {
        _expectWrongStatus(MODEL, ModelStatus.Listed);
    }

    function testFuzz_refusesOnceTheNoticeHasRunOut(uint256 wait) public {
        _retire(MODEL);
        skip(bound(wait, NOTICE, 3_650 days));
        _expectWrongStatus(MODEL, ModelStatus.Retired);
    }

    function testFuzz_cancelsWhileTheNoticeRuns(uint256 wait) public {
        _retire(MODEL);
        skip(bound(wait, 0, NOTICE - 1));
        vm.expectEmit(address(registry));
        emit IModelRegistry.RetirementCancelled(keccak256(bytes(MODEL)), MODEL);
        _cancelRetirement(MODEL);

        assertEq(registry.model(MODEL).retiresAt, 0);
        skip(NOTICE);
        _assertStatus(MODEL, ModelStatus.Listed);
    }

    /// @dev A later vote gives a whole notice again.
    function test_noticeBeginsAnew() public {
        _retire(MODEL);
        skip(NOTICE - 1);
        _cancelRetirement(MODEL);
        _retire(MODEL);
        skip(NOTICE - 1);
        _assertStatus(MODEL, ModelStatus.Retiring);
        skip(1);
        _assertStatus(MODEL, ModelStatus.Retired);
    }

    function _expectWrongStatus(string memory id, ModelStatus status) private {
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.WrongStatus.selector, id, status));
        _cancelRetirement(id);
    }
}
