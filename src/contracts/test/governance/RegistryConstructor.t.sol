// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { ModelRegistry } from "../../src/ModelRegistry.sol";
import { IModelRegistry } from "../../src/interfaces/IModelRegistry.sol";
import { GovernanceBase } from "./GovernanceBase.sol";

contract RegistryConstructorTest is GovernanceBase {
    function test_refusesNobodyAsGovernance() public {
        vm.expectRevert(IModelRegistry.ZeroAddress.selector);
        new ModelRegistry(address(0), lister, NOTICE);
    }

    function test_refusesNoticeOutOfBounds() public {
        _expectOutOfBounds(0);
        _expectOutOfBounds(365 days + 1);
    }

    function test_nobodyListsWhereNoListerIsNamed() public {
        ModelRegistry made = new ModelRegistry(address(timelock), address(0), NOTICE);
        assertFalse(made.hasRole(made.LISTER_ROLE(), address(0)));
    }

    function testFuzz_keepsItsSettings(address governance, address lister_, uint40 notice) public {
        vm.assume(governance != address(0) && lister_ != address(0));
        vm.assume(governance != lister_ && governance != address(this));
        notice = uint40(bound(notice, 1, 365 days));
        ModelRegistry made = new ModelRegistry(governance, lister_, notice);
        assertEq(made.NOTICE_SECONDS(), notice);
        assertEq(made.modelCount(), 0);
        assertTrue(made.hasRole(made.DEFAULT_ADMIN_ROLE(), governance));
        assertFalse(made.hasRole(made.DEFAULT_ADMIN_ROLE(), address(this)));
        assertTrue(made.hasRole(made.LISTER_ROLE(), lister_));
        assertFalse(made.hasRole(made.LISTER_ROLE(), governance));
    }

    function _expectOutOfBounds(uint40 notice) private {
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.NoticeOutOfBounds.selector, notice));
        new ModelRegistry(address(timelock), lister, notice);
    }
}
