// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC3009 } from "@openzeppelin/contracts/interfaces/draft-IERC3009.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { IERC20Permit } from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {
    ReentrancyGuardTransient
} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

import { Account } from "./EscrowState.sol";
import { OperatorLimits } from "./OperatorLimits.sol";
import { Authorization, IEscrowAccounts } from "./interfaces/IEscrowAccounts.sol";

/// @notice How payment tokens become credits, where their owner sends a transaction or a signature.
abstract contract Deposits is OperatorLimits, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    uint64 public constant MINIMUM_DEPOSIT_CREDITS = 100;
    /// @dev More than all the money there is. Half of what an account can count, so that whatever
    /// jobs and disputes give back always fits, and no batch fails for one rich wallet.
    uint64 private constant ACCOUNT_CREDITS_MAX = type(uint48).max / 2;

    /// @inheritdoc IEscrowAccounts
    function deposit(address wallet, uint64 credits) external nonReentrant whenNotPaused {
        _depositFromSender(wallet, credits);
    }

    /// @inheritdoc IEscrowAccounts
    function depositWithPermit(
        address wallet,
        uint64 credits,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonReentrant whenNotPaused {
        // Anyone may use a permit that waits to be mined. It has then done what it is for.
        try IERC20Permit(address(TOKEN))
            .permit(
                msg.sender, address(this), uint256(credits) * UNITS_PER_CREDIT, deadline, v, r, s
            ) { }
            catch { }
        _depositFromSender(wallet, credits);
    }

    /// @inheritdoc IEscrowAccounts
    function depositWithAuthorization(
        address payer,
        address wallet,
        uint64 credits,
        Authorization calldata authorization
    ) external nonReentrant whenNotPaused {
        uint256 balanceBefore = _credit(wallet, payer, credits);
        IERC3009(address(TOKEN))
            .receiveWithAuthorization(
                payer,
                address(this),
                uint256(credits) * UNITS_PER_CREDIT,
                authorization.validAfter,
                authorization.validBefore,
                authorizationNonce(wallet, authorization.salt),
                authorization.v,
                authorization.r,
                authorization.s
            );
        _requireReceived(balanceBefore, credits);
    }

    /// @inheritdoc IEscrowAccounts
    function authorizationNonce(address wallet, bytes32 salt) public pure returns (bytes32) {
        return keccak256(abi.encode(wallet, salt));
    }

    function _depositFromSender(address wallet, uint64 credits) private {
        uint256 balanceBefore = _credit(wallet, msg.sender, credits);
        TOKEN.safeTransferFrom(msg.sender, address(this), uint256(credits) * UNITS_PER_CREDIT);
        _requireReceived(balanceBefore, credits);
    }

    /// @dev Credits what is about to be paid. `_requireReceived` must follow the payment.
    /// @return balanceBefore the escrow's token units before the payment
    function _credit(address wallet, address payer, uint64 credits)
        internal
        returns (uint256 balanceBefore)
    {
        require(wallet != address(0), ZeroAddress());
        require(
            credits >= MINIMUM_DEPOSIT_CREDITS,
            BelowMinimumDeposit(credits, MINIMUM_DEPOSIT_CREDITS)
        );
        Account storage account = _accounts[wallet];
        uint256 held = uint256(account.available) + account.locked + account.thawing + credits;
        require(held <= ACCOUNT_CREDITS_MAX, AccountFull(wallet, ACCOUNT_CREDITS_MAX));
        // casting to 'uint48' is safe because of the line above
        // forge-lint: disable-next-line(unsafe-typecast)
        account.available += uint48(credits);
        // casting to 'uint32' is safe until the year 2106
        // forge-lint: disable-next-line(unsafe-typecast)
        account.lastDepositAt = uint32(block.timestamp);
        emit Deposited(wallet, payer, credits);
        return TOKEN.balanceOf(address(this));
    }

    /// @dev Refuses tokens that deliver another amount than was asked for.
    function _requireReceived(uint256 balanceBefore, uint64 credits) internal view {
        uint256 expected = uint256(credits) * UNITS_PER_CREDIT;
        uint256 received = TOKEN.balanceOf(address(this)) - balanceBefore;
        require(received == expected, AmountReceivedDiffers(expected, received));
    }
}
