// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { AccessControl } from "@openzeppelin/contracts/access/AccessControl.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

import { IEscrowAccounts } from "./interfaces/IEscrowAccounts.sol";
import { IJobEscrow, Job, JobStatus } from "./interfaces/IJobEscrow.sol";
import { IWorkerTerms } from "./interfaces/IWorkerTerms.sol";
import { JobSlot, JobSlotLib } from "./libraries/JobSlot.sol";
import { PriceTable, PriceTableLib, TierPrice } from "./libraries/PriceTable.sol";

/// @dev All that is fixed for the life of one escrow, and who begins with which role.
/// @param settleCapMax credits that settlements may ever be allowed to charge in an hour
struct EscrowConfig {
    IERC20 token;
    IWorkerTerms workers;
    address treasury;
    address admin;
    address locker;
    address settler;
    address arbiter;
    address withdrawalSigner;
    address pauser;
    uint32 expirySeconds;
    uint32 disputeSeconds;
    uint32 arbitrationSeconds;
    uint32 thawSeconds;
    uint64 settleCapMax;
    TierPrice[4] prices;
}

/// @dev A wallet's credits, in one word: all that a lock must look at, and all that it changes.
/// @param spendLimit credits a day; zero: none
/// @param spent locked on the day `spentOn` and not given back on it
/// @param spentOn days since 1970
struct Account {
    uint48 available;
    uint48 locked;
    uint48 thawing;
    uint32 lastDepositAt;
    uint32 spendLimit;
    uint32 spent;
    uint16 spentOn;
}

/// @notice What one escrow remembers, and who may do what with it.
abstract contract EscrowState is IJobEscrow, AccessControl {
    bytes32 public constant LOCKER_ROLE = keccak256("LOCKER_ROLE");
    bytes32 public constant SETTLER_ROLE = keccak256("SETTLER_ROLE");
    /// @dev Apart from the roles that run jobs: who earns by them must not judge them.
    bytes32 public constant ARBITER_ROLE = keccak256("ARBITER_ROLE");
    bytes32 public constant WITHDRAWAL_SIGNER_ROLE = keccak256("WITHDRAWAL_SIGNER_ROLE");
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");

    uint64 public constant UNITS_PER_CREDIT = 10_000;
    uint64 public constant DEFAULT_SHARE_BPS = 7_500;
    uint64 public constant STAKED_SHARE_BPS = 8_500;
    uint64 private constant BASIS_POINTS = 10_000;

    IERC20 public immutable TOKEN;
    IWorkerTerms public immutable WORKERS;
    address public immutable TREASURY;
    uint32 public immutable EXPIRY_SECONDS;
    uint32 public immutable DISPUTE_SECONDS;
    uint32 public immutable ARBITRATION_SECONDS;
    PriceTable internal immutable PRICES;

    mapping(address wallet => Account) internal _accounts;
    /// @dev Ended jobs stay: a job id can never be used again.
    mapping(bytes32 jobId => JobSlot) private _jobs;

    constructor(EscrowConfig memory config) {
        require(
            address(config.token) != address(0) && address(config.workers) != address(0)
                && config.treasury != address(0) && config.admin != address(0)
                && config.locker != address(0) && config.settler != address(0)
                && config.arbiter != address(0) && config.withdrawalSigner != address(0)
                && config.pauser != address(0),
            ZeroAddress()
        );
        require(config.disputeSeconds != 0, ZeroDisputeSeconds());
        TOKEN = config.token;
        WORKERS = config.workers;
        TREASURY = config.treasury;
        EXPIRY_SECONDS = config.expirySeconds;
        DISPUTE_SECONDS = config.disputeSeconds;
        ARBITRATION_SECONDS = config.arbitrationSeconds;
        PRICES = PriceTableLib.pack(config.prices);
        _grantRole(DEFAULT_ADMIN_ROLE, config.admin);
        _grantRole(LOCKER_ROLE, config.locker);
        _grantRole(SETTLER_ROLE, config.settler);
        _grantRole(ARBITER_ROLE, config.arbiter);
        _grantRole(WITHDRAWAL_SIGNER_ROLE, config.withdrawalSigner);
        _grantRole(PAUSER_ROLE, config.pauser);
    }

    /// @inheritdoc IEscrowAccounts
    function accounts(address wallet)
        external
        view
        returns (uint64 available, uint64 locked, uint64 thawing, uint40 lastDepositAt)
    {
        Account storage account = _accounts[wallet];
        return (account.available, account.locked, account.thawing, account.lastDepositAt);
    }

    /// @inheritdoc IJobEscrow
    function jobs(bytes32 jobId) public view returns (Job memory) {
        return _jobs[jobId].unpack();
    }

    /// @inheritdoc IJobEscrow
    function priceOf(uint8 tier, uint32 outputTokens) external view returns (uint64) {
        return PRICES.priceOf(tier, outputTokens);
    }

    /// @dev Writes `job` with a new status, which begins now.
    function _move(bytes32 jobId, Job memory job, JobStatus status) internal {
        job.status = status;
        // casting to 'uint32' is safe until the year 2106
        // forge-lint: disable-next-line(unsafe-typecast)
        job.since = uint32(block.timestamp);
        _jobs[jobId] = JobSlotLib.pack(job);
    }

    /// @dev How a charge is shared out. A dispute undoes exactly what the settlement did, because
    /// both ask here with what the job remembers.
    function _shares(uint32 charged, bool staked)
        internal
        pure
        returns (uint64 forWorker, uint64 forTreasury)
    {
        uint64 units = charged * UNITS_PER_CREDIT;
        // Rounds down; the treasury takes the remainder.
        forWorker = units * (staked ? STAKED_SHARE_BPS : DEFAULT_SHARE_BPS) / BASIS_POINTS;
        forTreasury = units - forWorker;
    }
}
