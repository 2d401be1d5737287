// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { AccessControl } from "@openzeppelin/contracts/access/AccessControl.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {
    ReentrancyGuardTransient
} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import { ECDSA } from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import { EIP712 } from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

import {
    Account,
    IJobEscrow,
    Job,
    JobStatus,
    LockItem,
    SettleItem,
    SkipReason
} from "./interfaces/IJobEscrow.sol";
import { IWorkerTerms } from "./interfaces/IWorkerTerms.sol";
import { CompletionLib } from "./libraries/CompletionLib.sol";
import { PriceTable, PriceTableLib, TierPrice } from "./libraries/PriceTable.sol";

/// @dev All that is fixed for the life of one escrow.
struct EscrowConfig {
    IERC20 token;
    IWorkerTerms workers;
    address treasury;
    address admin;
    address locker;
    address settler;
    uint40 expirySeconds;
    TierPrice[4] prices;
}

/// @title JobEscrow
/// @notice See `IJobEscrow`. No proxy and no upgrade: a new version is a new address.
contract JobEscrow is IJobEscrow, AccessControl, EIP712, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;
    using CompletionLib for SettleItem;

    bytes32 public constant LOCKER_ROLE = keccak256("LOCKER_ROLE");
    bytes32 public constant SETTLER_ROLE = keccak256("SETTLER_ROLE");

    uint64 public constant UNITS_PER_CREDIT = 10_000;
    uint64 public constant MINIMUM_DEPOSIT_CREDITS = 100;
    uint64 private constant BASIS_POINTS = 10_000;

    IERC20 public immutable TOKEN;
    IWorkerTerms public immutable WORKERS;
    address public immutable TREASURY;
    uint40 public immutable EXPIRY_SECONDS;
    PriceTable private immutable PRICES;

    /// @inheritdoc IJobEscrow
    mapping(address wallet => Account) public accounts;
    /// @dev Ended jobs stay: a job id can never be used again.
    mapping(bytes32 jobId => Job) private _jobs;
    /// @inheritdoc IJobEscrow
    mapping(uint32 workerId => uint256 units) public earnings;
    /// @inheritdoc IJobEscrow
    uint256 public treasuryUnits;

    /// @dev The worker of consecutive settlements, held in memory so that its terms are read once
    /// and its earnings written once. The id 0 is nobody, and its signer is zero.
    struct HeldWorker {
        uint32 id;
        uint16 shareBps;
        address signer;
        uint256 earnedUnits;
    }

    constructor(EscrowConfig memory config) EIP712("JobEscrow", "1") {
        require(
            address(config.token) != address(0) && address(config.workers) != address(0)
                && config.treasury != address(0) && config.admin != address(0)
                && config.locker != address(0) && config.settler != address(0),
            ZeroAddress()
        );
        TOKEN = config.token;
        WORKERS = config.workers;
        TREASURY = config.treasury;
        EXPIRY_SECONDS = config.expirySeconds;
        PRICES = PriceTableLib.pack(config.prices);
        _grantRole(DEFAULT_ADMIN_ROLE, config.admin);
        _grantRole(LOCKER_ROLE, config.locker);
        _grantRole(SETTLER_ROLE, config.settler);
    }

    /* DEPOSIT */

    /// @inheritdoc IJobEscrow
    function deposit(address wallet, uint64 credits) external nonReentrant {
        require(wallet != address(0), ZeroAddress());
        require(
            credits >= MINIMUM_DEPOSIT_CREDITS,
            BelowMinimumDeposit(credits, MINIMUM_DEPOSIT_CREDITS)
        );

        Account storage account = accounts[wallet];
        account.available += credits;
        account.lastDepositAt = uint40(block.timestamp);
        emit Deposited(wallet, msg.sender, credits);

        _pull(msg.sender, uint256(credits) * UNITS_PER_CREDIT);
    }

    /// @dev Refuses tokens that deliver another amount than was asked for.
    function _pull(address payer, uint256 units) private {
        uint256 balanceBefore = TOKEN.balanceOf(address(this));
        TOKEN.safeTransferFrom(payer, address(this), units);
        uint256 received = TOKEN.balanceOf(address(this)) - balanceBefore;
        require(received == units, AmountReceivedDiffers(units, received));
    }

    /* LOCK */

    /// @inheritdoc IJobEscrow
    function lockBatch(LockItem[] calldata items) external onlyRole(LOCKER_ROLE) {
        for (uint256 i; i < items.length; ++i) {
            SkipReason reason = _lock(items[i]);
            if (reason != SkipReason.None) emit JobSkipped(items[i].jobId, uint8(reason));
        }
    }

    function _lock(LockItem calldata item) private returns (SkipReason) {
        (bytes32 jobId, address wallet, uint32 credits) = (item.jobId, item.wallet, item.credits);
        if (credits == 0) return SkipReason.ZeroCredits;
        if (!PRICES.has(item.tier)) return SkipReason.UnknownTier;
        if (_jobs[jobId].status != JobStatus.None) return SkipReason.JobIdUsed;
        Account storage account = accounts[wallet];
        uint64 available = account.available;
        if (available < credits) return SkipReason.InsufficientCredits;

        // Both halves in one assignment, so that the compiler writes their common slot once.
        (account.available, account.locked) = (available - credits, account.locked + credits);
        _jobs[jobId] = Job({
            wallet: wallet,
            credits: credits,
            tier: item.tier,
            status: JobStatus.Locked,
            lockedAt: uint40(block.timestamp)
        });
        emit JobLocked(jobId, wallet, credits, item.tier);
        return SkipReason.None;
    }

    /* SETTLE */

    /// @inheritdoc IJobEscrow
    function settleBatch(SettleItem[] calldata items) external onlyRole(SETTLER_ROLE) {
        HeldWorker memory worker;
        uint256 treasuryShare;
        for (uint256 i; i < items.length; ++i) {
            if (items[i].workerId != worker.id) {
                _letGo(worker);
                worker = _hold(items[i].workerId);
            }
            (SkipReason reason, uint64 forTreasury) = _settle(items[i], worker);
            treasuryShare += forTreasury;
            if (reason != SkipReason.None) emit JobSkipped(items[i].jobId, uint8(reason));
        }
        _letGo(worker);
        treasuryUnits += treasuryShare;
    }

    function _hold(uint32 workerId) private view returns (HeldWorker memory worker) {
        worker.id = workerId;
        (worker.signer,, worker.shareBps) = WORKERS.terms(workerId);
    }

    function _letGo(HeldWorker memory worker) private {
        if (worker.earnedUnits != 0) earnings[worker.id] += worker.earnedUnits;
    }

    /// @dev Adds the worker's share to `worker` and returns the treasury's; the caller writes both.
    function _settle(SettleItem calldata item, HeldWorker memory worker)
        private
        returns (SkipReason reason, uint64 forTreasury)
    {
        Job storage stored = _jobs[item.jobId];
        Job memory job = stored;
        if (job.status != JobStatus.Locked) return (SkipReason.NotLocked, 0);
        if (worker.signer == address(0)) return (SkipReason.UnknownWorker, 0);
        if (!_isSignedBy(worker.signer, item)) return (SkipReason.BadSignature, 0);

        uint32 charged = _charge(job, item.outputTokens);
        uint32 returned = job.credits - charged;
        uint64 units = charged * UNITS_PER_CREDIT;
        // Rounds down; the treasury takes the remainder.
        uint64 forWorker = units * worker.shareBps / BASIS_POINTS;
        forTreasury = units - forWorker;

        stored.status = JobStatus.Settled;
        _release(job, returned);
        worker.earnedUnits += forWorker;
        emit JobSettled(
            item.jobId,
            job.wallet,
            item.workerId,
            item.outputHash,
            item.outputTokens,
            charged,
            returned,
            forWorker,
            forTreasury
        );
    }

    function _isSignedBy(address signer, SettleItem calldata item) private view returns (bool) {
        // Zero for a malleable signature or one that recovers nothing. `signer` is never zero.
        (address recovered,,) =
            ECDSA.tryRecover(_hashTypedDataV4(item.structHash()), item.r, item.vs);
        return recovered == signer;
    }

    /// @dev Never above the lock: what was not locked was never promised.
    function _charge(Job memory job, uint32 outputTokens) private view returns (uint32) {
        uint64 price = PRICES.priceOf(job.tier, outputTokens);
        // casting to 'uint32' is safe because the price is below a 32-bit lock
        // forge-lint: disable-next-line(unsafe-typecast)
        return price < job.credits ? uint32(price) : job.credits;
    }

    /* REFUND */

    /// @inheritdoc IJobEscrow
    function refundBatch(bytes32[] calldata jobIds) external onlyRole(SETTLER_ROLE) {
        for (uint256 i; i < jobIds.length; ++i) {
            Job memory job = _jobs[jobIds[i]];
            if (job.status == JobStatus.Locked) _refund(jobIds[i], job);
            else emit JobSkipped(jobIds[i], uint8(SkipReason.NotLocked));
        }
    }

    /// @inheritdoc IJobEscrow
    function refundExpired(bytes32 jobId) external {
        Job memory job = _jobs[jobId];
        require(job.status == JobStatus.Locked, JobNotLocked(jobId));
        uint256 expiresAt = uint256(job.lockedAt) + EXPIRY_SECONDS;
        // A validator can move the time by seconds, which only moves the refund by as much.
        // forge-lint: disable-next-line(block-timestamp)
        require(block.timestamp >= expiresAt, JobNotExpired(jobId, expiresAt));
        _refund(jobId, job);
    }

    function _refund(bytes32 jobId, Job memory job) private {
        _jobs[jobId].status = JobStatus.Refunded;
        _release(job, job.credits);
        emit JobRefunded(jobId, job.wallet, job.credits);
    }

    /// @dev Ends a lock; `returned` of it goes back to the wallet.
    function _release(Job memory job, uint32 returned) private {
        Account storage account = accounts[job.wallet];
        (account.locked, account.available) =
        (account.locked - job.credits, account.available + returned);
    }

    /* READ */

    /// @inheritdoc IJobEscrow
    function jobs(bytes32 jobId) external view returns (Job memory) {
        return _jobs[jobId];
    }

    /// @inheritdoc IJobEscrow
    function priceOf(uint8 tier, uint32 outputTokens) external view returns (uint64) {
        return PRICES.priceOf(tier, outputTokens);
    }
}
