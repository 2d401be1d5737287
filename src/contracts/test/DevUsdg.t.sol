// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC3009Cancel } from "@openzeppelin/contracts/interfaces/draft-IERC3009.sol";
import { IERC20Errors } from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import { ERC3009 } from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";

import { BaseTest } from "./BaseTest.sol";

contract DevUsdgTest is BaseTest {
    bytes32 private constant PERMIT = keccak256(
        "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
    );
    bytes32 private constant TRANSFER = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant RECEIVE = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant CANCEL =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
    bytes32 private constant NONCE = keccak256("nonce");

    uint256 private ownerKey = uint256(keccak256("owner"));
    address private owner = vm.addr(ownerKey);

    function test_looksLikeThePaymentToken() public view {
        assertEq(token.name(), "Global Dollar (development)");
        assertEq(token.symbol(), "USDG");
        assertEq(token.decimals(), 6);
    }

    function testFuzz_mintsForAnyone(address caller, address to, uint128 amount) public {
        vm.assume(to != address(0) && to != address(escrow));
        vm.prank(caller);
        token.mint(to, amount);
        assertEq(token.balanceOf(to), amount);
    }

    function testFuzz_permits(uint256 value) public {
        bytes32 structHash = keccak256(
            abi.encode(PERMIT, owner, alice, value, token.nonces(owner), block.timestamp)
        );
        (uint8 v, bytes32 r, bytes32 s) = _sign(structHash);
        token.permit(owner, alice, value, block.timestamp, v, r, s);
        assertEq(token.allowance(owner, alice), value);
    }

    function test_refusesASecondUseOfAnAuthorization() public {
        token.mint(owner, 2);
        (uint8 v, bytes32 r, bytes32 s) = _sign(_authorization(TRANSFER, 1));
        token.transferWithAuthorization(owner, alice, 1, 0, block.timestamp + 1, NONCE, v, r, s);
        vm.expectRevert(
            abi.encodeWithSelector(ERC3009.ERC3009UsedAuthorization.selector, owner, NONCE)
        );
        token.transferWithAuthorization(owner, alice, 1, 0, block.timestamp + 1, NONCE, v, r, s);
    }

    function test_refusesACancelledAuthorization() public {
        token.mint(owner, 1);
        (uint8 v, bytes32 r, bytes32 s) = _sign(keccak256(abi.encode(CANCEL, owner, NONCE)));
        vm.expectEmit(address(token));
        emit IERC3009Cancel.AuthorizationCanceled(owner, NONCE);
        token.cancelAuthorization(owner, NONCE, v, r, s);
        assertTrue(token.authorizationState(owner, NONCE));

        (v, r, s) = _sign(_authorization(RECEIVE, 1));
        vm.expectRevert(
            abi.encodeWithSelector(ERC3009.ERC3009UsedAuthorization.selector, owner, NONCE)
        );
        vm.prank(alice);
        token.receiveWithAuthorization(owner, alice, 1, 0, block.timestamp + 1, NONCE, v, r, s);
    }

    /// @dev Only the one it is for may bring it, so that its books can follow.
    function test_refusesToBeReceivedByAnother() public {
        token.mint(owner, 1);
        (uint8 v, bytes32 r, bytes32 s) = _sign(_authorization(RECEIVE, 1));
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InvalidReceiver.selector, alice));
        vm.prank(bob);
        token.receiveWithAuthorization(owner, alice, 1, 0, block.timestamp + 1, NONCE, v, r, s);
    }

    function testFuzz_refusesAuthorizationsOutOfTime(uint256 late) public {
        token.mint(owner, 1);
        uint256 before = block.timestamp + 1;
        (uint8 v, bytes32 r, bytes32 s) = _sign(_authorization(RECEIVE, 1));
        vm.warp(bound(late, before, type(uint40).max));
        vm.expectPartialRevert(ERC3009.ERC3009InvalidAuthorizationTime.selector);
        vm.prank(alice);
        token.receiveWithAuthorization(owner, alice, 1, 0, before, NONCE, v, r, s);
    }

    function testFuzz_transfersWithAuthorization(uint128 value) public {
        token.mint(owner, value);
        (uint8 v, bytes32 r, bytes32 s) = _sign(_authorization(TRANSFER, value));
        token.transferWithAuthorization(owner, alice, value, 0, block.timestamp + 1, NONCE, v, r, s);
        assertEq(token.balanceOf(alice), value);
        assertTrue(token.authorizationState(owner, NONCE));
    }

    function testFuzz_receivesWithAuthorization(uint128 value) public {
        token.mint(owner, value);
        (uint8 v, bytes32 r, bytes32 s) = _sign(_authorization(RECEIVE, value));
        vm.prank(alice);
        token.receiveWithAuthorization(owner, alice, value, 0, block.timestamp + 1, NONCE, v, r, s);
        assertEq(token.balanceOf(alice), value);
    }

    function _authorization(bytes32 typehash, uint256 value) private view returns (bytes32) {
        return keccak256(abi.encode(typehash, owner, alice, value, 0, block.timestamp + 1, NONCE));
    }

    function _sign(bytes32 structHash) private view returns (uint8, bytes32, bytes32) {
        return
            vm.sign(ownerKey, _typedDigest(token.name(), address(token), block.chainid, structHash));
    }
}
