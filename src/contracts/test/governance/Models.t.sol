// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Model, ModelStatus } from "../../src/interfaces/IModelRegistry.sol";
import { GovernanceBase } from "./GovernanceBase.sol";

/// @notice Pages through all that was ever listed.
contract ModelsTest is GovernanceBase {
    function test_unknownModelIsEmpty() public view {
        Model memory unknown = registry.model("nobody knows");
        assertEq(unknown.listedAt, 0);
        assertEq(bytes(unknown.spec.id).length, 0);
    }

    function testFuzz_pagesPastTheEndAreEmpty(uint256 start, uint256 count) public view {
        start = bound(start, 1, type(uint256).max);
        assertEq(registry.models(start, count).length, 0);
    }

    function testFuzz_pagesHoldWhatWasListed(uint256 total, uint256 start, uint256 count) public {
        total = bound(total, 1, 12);
        for (uint256 i = 1; i < total; ++i) {
            _list(_id(i));
        }
        assertEq(registry.modelCount(), total);

        start = bound(start, 0, total);
        Model[] memory page = registry.models(start, count);
        uint256 left = total - start;
        assertEq(page.length, count < left ? count : left);
        for (uint256 i; i < page.length; ++i) {
            assertEq(page[i].spec.id, start + i == 0 ? MODEL : _id(start + i));
        }
    }

    function test_retiredModelsStayInTheList() public {
        _retire(MODEL);
        skip(NOTICE);
        Model[] memory page = registry.models(0, 10);
        assertEq(page.length, 1);
        assertEq(page[0].spec.id, MODEL);
        assertLe(page[0].retiresAt, block.timestamp);
        _assertStatus(MODEL, ModelStatus.Retired);
    }

    function _id(uint256 i) private pure returns (string memory) {
        return string.concat("model-", vm.toString(i));
    }
}
