// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {
    ReentrancyGuardTransient
} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import { ECDSA } from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import { EIP712 } from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import { SignatureChecker } from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

import { Account, EscrowConfig, EscrowState } from "./EscrowState.sol";
import { IEscrowAccounts } from "./interfaces/IEscrowAccounts.sol";

/// @notice How credits become payment tokens again: at once with the operator's signature, or
/// without anybody's a few minutes later. Nothing here can be paused.
abstract contract Withdrawals is EscrowState, EIP712, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// @param nonce of the wallet's next voucher
    /// @param thawEndsAt zero when nothing thaws
    struct WithdrawalState {
        uint64 nonce;
        uint40 thawEndsAt;
    }

    bytes32 private constant WITHDRAWAL_TYPEHASH = keccak256(
        "Withdrawal(address wallet,address to,uint64 credits,uint256 nonce,uint256 deadline)"
    );

    uint32 public immutable THAW_SECONDS;
    mapping(address wallet => WithdrawalState) private _withdrawals;

    constructor(EscrowConfig memory config) {
        THAW_SECONDS = config.thawSeconds;
    }

    /* AT ONCE */

    /// @inheritdoc IEscrowAccounts
    function withdraw(uint64 credits, address to, uint256 deadline, bytes calldata voucher)
        external
        nonReentrant
    {
        _useVoucher(_digest(msg.sender, to, credits, deadline), deadline, voucher);
        _withdraw(msg.sender, to, credits);
    }

    /// @inheritdoc IEscrowAccounts
    function withdrawFor(
        address wallet,
        uint64 credits,
        address to,
        uint256 deadline,
        bytes calldata walletSignature,
        bytes calldata voucher
    ) external nonReentrant {
        bytes32 digest = _digest(wallet, to, credits, deadline);
        require(
            SignatureChecker.isValidSignatureNowCalldata(wallet, digest, walletSignature),
            BadWalletSignature(wallet)
        );
        _useVoucher(digest, deadline, voucher);
        _withdraw(wallet, to, credits);
    }

    /// @inheritdoc IEscrowAccounts
    function withdrawalNonce(address wallet) external view returns (uint256) {
        return _withdrawals[wallet].nonce;
    }

    /// @dev With the wallet's next nonce in it, so that the digest can be used once.
    function _digest(address wallet, address to, uint64 credits, uint256 deadline)
        private
        view
        returns (bytes32)
    {
        uint256 nonce = _withdrawals[wallet].nonce;
        return _hashTypedDataV4(
            keccak256(abi.encode(WITHDRAWAL_TYPEHASH, wallet, to, credits, nonce, deadline))
        );
    }

    function _useVoucher(bytes32 digest, uint256 deadline, bytes calldata voucher) private view {
        // A validator can move the time by seconds.
        // forge-lint: disable-next-line(block-timestamp)
        require(block.timestamp <= deadline, VoucherExpired(deadline));
        (address signer, ECDSA.RecoverError failure,) = ECDSA.tryRecoverCalldata(digest, voucher);
        require(
            failure == ECDSA.RecoverError.NoError && hasRole(WITHDRAWAL_SIGNER_ROLE, signer),
            BadVoucher()
        );
    }

    function _withdraw(address wallet, address to, uint64 credits) private {
        ++_withdrawals[wallet].nonce;
        _takeAvailable(wallet, credits);
        emit Withdrawn(wallet, to, credits);
        _payOut(to, credits);
    }

    /* AFTER A THAW */

    /// @inheritdoc IEscrowAccounts
    function requestWithdrawal(uint64 credits) external {
        _accounts[msg.sender].thawing += _takeAvailable(msg.sender, credits);
        // casting to 'uint40' is safe for thousands of years
        // forge-lint: disable-next-line(unsafe-typecast)
        uint40 endsAt = uint40(block.timestamp + THAW_SECONDS);
        _withdrawals[msg.sender].thawEndsAt = endsAt;
        emit WithdrawalRequested(msg.sender, credits, endsAt);
    }

    /// @inheritdoc IEscrowAccounts
    function cancelWithdrawal() external {
        uint48 credits = _takeThawing(msg.sender);
        _accounts[msg.sender].available += credits;
        emit WithdrawalCancelled(msg.sender, credits);
    }

    /// @inheritdoc IEscrowAccounts
    function completeWithdrawal(address to) external nonReentrant {
        uint256 endsAt = _withdrawals[msg.sender].thawEndsAt;
        // A validator can move the time by seconds, of minutes.
        // forge-lint: disable-next-line(block-timestamp)
        require(block.timestamp >= endsAt, StillThawing(msg.sender, endsAt));
        uint48 credits = _takeThawing(msg.sender);
        emit WithdrawalCompleted(msg.sender, to, credits);
        _payOut(to, credits);
    }

    /// @inheritdoc IEscrowAccounts
    function thawEndsAt(address wallet) external view returns (uint256 endsAt) {
        return _withdrawals[wallet].thawEndsAt;
    }

    function _takeThawing(address wallet) private returns (uint48 credits) {
        Account storage account = _accounts[wallet];
        credits = account.thawing;
        require(credits != 0, NothingThaws(wallet));
        account.thawing = 0;
        _withdrawals[wallet].thawEndsAt = 0;
    }

    /* BOTH */

    function _takeAvailable(address wallet, uint64 credits) private returns (uint48 taken) {
        require(credits != 0, ZeroCredits());
        Account storage account = _accounts[wallet];
        uint48 available = account.available;
        require(credits <= available, NotEnoughAvailable(wallet, credits, available));
        // casting to 'uint48' is safe because of the line above
        // forge-lint: disable-next-line(unsafe-typecast)
        taken = uint48(credits);
        account.available = available - taken;
    }

    function _payOut(address to, uint64 credits) private {
        require(to != address(0), ZeroAddress());
        require(to != address(this), PaysItself());
        TOKEN.safeTransfer(to, uint256(credits) * UNITS_PER_CREDIT);
    }
}
