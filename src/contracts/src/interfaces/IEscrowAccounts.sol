// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev A payer's EIP-3009 signature, without what the deposit itself says.
/// @param salt chosen by the payer; the nonce it signs is `authorizationNonce(wallet, salt)`
struct Authorization {
    uint256 validAfter;
    uint256 validBefore;
    bytes32 salt;
    uint8 v;
    bytes32 r;
    bytes32 s;
}

/// @notice Prepaid credits of wallets: how they come in, how they go out, and what their owner
/// lets a day cost. 1 credit = 10_000 units of the payment token.
interface IEscrowAccounts {
    event Deposited(address indexed wallet, address indexed payer, uint64 credits);
    event Recovered(address indexed wallet, address indexed token, uint256 amount);
    /// @dev Out of what was available, at once.
    event Withdrawn(address indexed wallet, address indexed to, uint64 credits);
    /// @param endsAt when all that thaws by now can be taken out
    event WithdrawalRequested(address indexed wallet, uint64 credits, uint40 endsAt);
    event WithdrawalCancelled(address indexed wallet, uint64 credits);
    /// @dev Out of what had thawed.
    event WithdrawalCompleted(address indexed wallet, address indexed to, uint64 credits);
    /// @param creditsPerDay zero: no limit
    event SpendLimitSet(address indexed wallet, uint32 creditsPerDay);

    error ZeroAddress();
    error BelowMinimumDeposit(uint64 credits, uint64 minimum);
    error AccountFull(address wallet, uint64 mostCredits);
    /// @dev The token kept a part of the transfer, so the credits would not be covered.
    error AmountReceivedDiffers(uint256 expectedUnits, uint256 receivedUnits);
    /// @dev Payment tokens at a deposit address are for `sweep`; only their wallet may take them
    /// back.
    error OnlyTheWalletRecoversPayments(address wallet);
    error ZeroCredits();
    error NotEnoughAvailable(address wallet, uint64 credits, uint64 available);
    /// @dev Tokens sent to the escrow by itself would be nobody's.
    error PaysItself();
    error VoucherExpired(uint256 deadline);
    /// @dev Not signed by the operator, for other terms, or used before.
    error BadVoucher();
    error BadWalletSignature(address wallet);
    error NothingThaws(address wallet);
    error StillThawing(address wallet, uint256 endsAt);

    /* DEPOSIT: whole credits, at least 100 */

    /// @notice Pulls `credits * 10_000` token units from the sender and credits them to `wallet`.
    function deposit(address wallet, uint64 credits) external;

    /// @notice `deposit` with the sender's EIP-2612 permit instead of an approval before it. A
    /// permit that somebody else has already used does no harm: what counts is the allowance.
    function depositWithPermit(
        address wallet,
        uint64 credits,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @notice Credits `wallet` from `payer`, who has signed an EIP-3009 `ReceiveWithAuthorization`
    /// and sends nothing. Open to anyone: the nonce that is signed names the wallet.
    function depositWithAuthorization(
        address payer,
        address wallet,
        uint64 credits,
        Authorization calldata authorization
    ) external;

    /// @notice The nonce to sign for `depositWithAuthorization`.
    function authorizationNonce(address wallet, bytes32 salt) external pure returns (bytes32);

    /// @notice Where plain token transfers for `wallet` go: `sweep` turns them into credits.
    function depositAddress(address wallet) external view returns (address);

    /// @notice Credits `wallet` with the whole credits at its deposit address; less than a credit
    /// stays there for the next time. Open to anyone.
    function sweep(address wallet) external;

    /// @notice Sends what came to the wallet's deposit address by mistake to the wallet. Open to
    /// anyone, but for the payment token: that one only the wallet itself may take back, also while
    /// deposits are paused.
    /// @param token zero for the chain's own coin
    function recover(address wallet, address token, uint256 amount) external;

    /* WITHDRAWAL: never paused, no fee */

    /// @notice Pays out at once what is available to the sender. The operator signs, so that the
    /// service never runs a job on credits that are gone.
    /// @param voucher a signature of `WITHDRAWAL_SIGNER_ROLE` over EIP-712 `Withdrawal(address
    /// wallet,address to,uint64 credits,uint256 nonce,uint256 deadline)`; the nonce is
    /// `withdrawalNonce(wallet)`, so that only one voucher of several can be used
    function withdraw(uint64 credits, address to, uint256 deadline, bytes calldata voucher) external;

    /// @notice The same for a wallet that has signed the same statement and sends nothing. Its
    /// signature may be that of a contract (ERC-1271).
    function withdrawFor(
        address wallet,
        uint64 credits,
        address to,
        uint256 deadline,
        bytes calldata walletSignature,
        bytes calldata voucher
    ) external;

    /// @notice Sets credits of the sender aside for `completeWithdrawal`, which needs nobody's
    /// consent. No job can take them from now on. Asked again, the sum of both thaws anew.
    function requestWithdrawal(uint64 credits) external;

    /// @notice Makes all that thaws available again.
    function cancelWithdrawal() external;

    /// @notice Pays out all that the sender has set aside, `THAW_SECONDS` after it last asked.
    function completeWithdrawal(address to) external;

    function withdrawalNonce(address wallet) external view returns (uint256);

    /// @return endsAt when what thaws can be taken out; zero when nothing thaws
    function thawEndsAt(address wallet) external view returns (uint256 endsAt);

    /* LIMIT */

    /// @notice The most that the sender's jobs may lock in a day (UTC), less what they give back on
    /// that day. Zero, as at first: no limit. So a lost key, or a false operator, costs no more.
    function setSpendLimit(uint32 creditsPerDay) external;

    /// @return creditsPerDay zero: no limit
    /// @return spent locked today and not given back
    function spendLimit(address wallet) external view returns (uint32 creditsPerDay, uint32 spent);

    function accounts(address wallet)
        external
        view
        returns (uint64 available, uint64 locked, uint64 thawing, uint40 lastDepositAt);
}
