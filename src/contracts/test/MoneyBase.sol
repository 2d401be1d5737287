// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Authorization } from "../src/interfaces/IEscrowAccounts.sol";
import { BaseTest } from "./BaseTest.sol";

/// @notice What wallets and the operator sign when money comes and goes: written out anew, so that
/// the escrow is checked against the standards.
abstract contract MoneyBase is BaseTest {
    bytes32 internal constant WITHDRAWAL = keccak256(
        "Withdrawal(address wallet,address to,uint64 credits,uint256 nonce,uint256 deadline)"
    );
    bytes32 internal constant PERMIT = keccak256(
        "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
    );
    bytes32 internal constant RECEIVE = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );

    /// @dev A wallet whose key is known.
    uint256 internal carolKey = uint256(keccak256("carol"));
    address internal carol = vm.addr(carolKey);
    address internal stranger = makeAddr("stranger");

    struct Signature {
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    /* WITHDRAWAL */

    function _voucher(address wallet, address to, uint64 credits, uint256 deadline)
        internal
        view
        returns (bytes memory)
    {
        return _signWithdrawal(withdrawalSignerKey, wallet, to, credits, deadline);
    }

    function _signWithdrawal(
        uint256 key,
        address wallet,
        address to,
        uint64 credits,
        uint256 deadline
    ) internal view returns (bytes memory) {
        bytes32 digest = _withdrawalDigest(wallet, to, credits, deadline, block.chainid);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function _withdrawalDigest(
        address wallet,
        address to,
        uint64 credits,
        uint256 deadline,
        uint256 chainId
    ) internal view returns (bytes32) {
        uint256 nonce = escrow.withdrawalNonce(wallet);
        bytes32 structHash = keccak256(abi.encode(WITHDRAWAL, wallet, to, credits, nonce, deadline));
        return _typedDigest("JobEscrow", address(escrow), chainId, structHash);
    }

    /* DEPOSIT */

    function _permit(uint256 key, uint256 units, uint256 deadline)
        internal
        view
        returns (Signature memory)
    {
        address owner = vm.addr(key);
        return _signForToken(
            key,
            keccak256(
                abi.encode(PERMIT, owner, address(escrow), units, token.nonces(owner), deadline)
            )
        );
    }

    /// @dev Valid for the next hour.
    function _authorize(uint256 key, address wallet, uint64 credits, bytes32 salt)
        internal
        view
        returns (Authorization memory authorization)
    {
        authorization.validAfter = block.timestamp - 1;
        authorization.validBefore = block.timestamp + 1 hours;
        authorization.salt = salt;
        Signature memory signature = _signForToken(
            key,
            keccak256(
                abi.encode(
                    RECEIVE,
                    vm.addr(key),
                    address(escrow),
                    credits * UNITS,
                    authorization.validAfter,
                    authorization.validBefore,
                    keccak256(abi.encode(wallet, salt))
                )
            )
        );
        (authorization.v, authorization.r, authorization.s) =
        (signature.v, signature.r, signature.s);
    }

    function _signForToken(uint256 key, bytes32 structHash)
        internal
        view
        returns (Signature memory signature)
    {
        bytes32 digest = _typedDigest(token.name(), address(token), block.chainid, structHash);
        (signature.v, signature.r, signature.s) = vm.sign(key, digest);
    }

    /* CHECKS */

    function _assertCredits(address wallet, uint64 available, uint64 thawing) internal view {
        (uint64 actualAvailable,, uint64 actualThawing,) = escrow.accounts(wallet);
        assertEq(actualAvailable, available, "available");
        assertEq(actualThawing, thawing, "thawing");
    }

    function _pause() internal {
        vm.prank(pauser);
        escrow.pause();
    }
}
