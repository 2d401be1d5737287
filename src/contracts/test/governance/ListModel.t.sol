// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";
import { SafeCast } from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import {
    IModelRegistry,
    Model,
    ModelSpec,
    ModelStatus
} from "../../src/interfaces/IModelRegistry.sol";
import { GovernanceBase } from "./GovernanceBase.sol";

contract ListModelTest is GovernanceBase {
    using SafeCast for uint256;

    function testFuzz_refusesStrangers(address sender) public {
        vm.assume(sender != lister && sender != address(timelock));
        bytes32 role = registry.LISTER_ROLE();
        vm.expectRevert(
            abi.encodeWithSelector(
                IAccessControl.AccessControlUnauthorizedAccount.selector, sender, role
            )
        );
        vm.prank(sender);
        registry.list(_spec("a"));
    }

    function test_refusesListerThatGovernanceDismissed() public {
        bytes32 role = registry.LISTER_ROLE();
        vm.prank(address(timelock));
        registry.revokeRole(role, lister);
        vm.expectRevert(
            abi.encodeWithSelector(
                IAccessControl.AccessControlUnauthorizedAccount.selector, lister, role
            )
        );
        _list("a");
    }

    function test_refusesTheSameIdTwice() public {
        _expectRefused(abi.encodeWithSelector(IModelRegistry.AlreadyListed.selector, MODEL), MODEL);
    }

    /// @dev An id means one model for ever.
    function test_refusesIdOfARetiredModel() public {
        _retire(MODEL);
        skip(NOTICE);
        _expectRefused(abi.encodeWithSelector(IModelRegistry.AlreadyListed.selector, MODEL), MODEL);
    }

    function test_refusesTextsThatAreEmptyOrTooLong() public {
        _expectBadTexts("", "", "");
        _expectBadTexts(_letters(97), _letters(17), _letters(65));
    }

    function testFuzz_refusesWhatCannotBePrinted(bytes1 letter, uint256 position) public {
        vm.assume(letter <= 0x20 || letter >= 0x7f);
        _expectBadLetter(letter, position);
        _expectBadLetter(" ", position);
        _expectBadLetter(0x7f, position);
    }

    function testFuzz_refusesUnknownTier(uint8 tier) public {
        ModelSpec memory spec = _spec("a");
        spec.tier = uint8(bound(tier, 4, type(uint8).max));
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.UnknownTier.selector, spec.tier));
        vm.prank(lister);
        registry.list(spec);
    }

    function test_refusesModelWithoutContext() public {
        ModelSpec memory spec = _spec("a");
        spec.contextWindow = 0;
        vm.expectRevert(IModelRegistry.ZeroContextWindow.selector);
        vm.prank(lister);
        registry.list(spec);
    }

    function testFuzz_lists(
        uint256 idBytes,
        uint256 parametersBytes,
        uint256 publisherBytes,
        uint32 contextWindow,
        uint8 tier,
        bool byGovernance
    ) public {
        ModelSpec memory spec = ModelSpec({
            id: _letters(bound(idBytes, 1, registry.ID_BYTES_MAX())),
            parameters: _letters(bound(parametersBytes, 1, registry.PARAMETERS_BYTES_MAX())),
            publisher: _letters(bound(publisherBytes, 1, registry.PUBLISHER_BYTES_MAX())),
            contextWindow: uint32(bound(contextWindow, 1, type(uint32).max)),
            tier: uint8(bound(tier, 0, 3))
        });
        _assertStatus(spec.id, ModelStatus.Unknown);
        vm.expectEmit(address(registry));
        emit IModelRegistry.ModelListed(keccak256(bytes(spec.id)), spec);
        vm.prank(byGovernance ? address(timelock) : lister);
        registry.list(spec);

        _assertStatus(spec.id, ModelStatus.Listed);
        Model memory expected = Model(spec, uint40(block.timestamp), 0);
        assertEq(abi.encode(registry.model(spec.id)), abi.encode(expected));
        assertEq(registry.modelCount(), 2);
    }

    function _expectBadLetter(bytes1 letter, uint256 position) private {
        bytes memory text = bytes(_letters(16));
        text[bound(position, 0, 15)] = letter;
        _expectBadTexts(string(text), string(text), string(text));
    }

    /// @dev Each text in turn is bad, the others are good.
    function _expectBadTexts(string memory id, string memory parameters, string memory publisher)
        private
    {
        ModelSpec memory spec = _spec(id);
        _expectBadText(spec, id, 96);
        spec = _spec("a");
        spec.parameters = parameters;
        _expectBadText(spec, parameters, 16);
        spec = _spec("a");
        spec.publisher = publisher;
        _expectBadText(spec, publisher, 64);
    }

    function _expectBadText(ModelSpec memory spec, string memory text, uint256 maximumBytes)
        private
    {
        vm.expectRevert(abi.encodeWithSelector(IModelRegistry.BadText.selector, text, maximumBytes));
        vm.prank(lister);
        registry.list(spec);
    }

    function _expectRefused(bytes memory error, string memory id) private {
        vm.expectRevert(error);
        _list(id);
    }

    /// @dev `count` printable letters, from the first to the last and round again.
    function _letters(uint256 count) private pure returns (string memory) {
        bytes memory text = new bytes(count);
        for (uint256 i; i < count; ++i) {
            text[i] = bytes1((0x21 + i % 94).toUint8());
        }
        return string(text);
    }
}
