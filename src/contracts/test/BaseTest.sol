// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Test } from "forge-std/Test.sol";

import { EscrowConfig } from "../src/EscrowState.sol";
import { JobEscrow } from "../src/JobEscrow.sol";
import { RCompute } from "../src/RCompute.sol";
import { StakingConfig } from "../src/StakingState.sol";
import { WorkerStaking } from "../src/WorkerStaking.sol";
import { DevUsdg } from "../src/dev/DevUsdg.sol";
import {
    DisputeItem,
    Job,
    JobStatus,
    LockItem,
    SettleItem
} from "../src/interfaces/IJobEscrow.sol";
import { TierPrice } from "../src/libraries/PriceTable.sol";

/// @notice One escrow with its token, its operators, two funded wallets and two workers.
abstract contract BaseTest is Test {
    uint8 internal constant LITE = 0;
    uint8 internal constant STANDARD = 1;
    uint8 internal constant PRO = 2;
    uint8 internal constant MAX = 3;

    uint256 internal constant UNITS = 10_000;
    uint32 internal constant EXPIRY = 180;
    uint32 internal constant DISPUTE = 600;
    uint32 internal constant ARBITRATION = 24 hours;
    uint32 internal constant THAW = 5 minutes;
    uint64 internal constant SETTLE_CAP = 1e12;
    uint32 internal constant START_CREDITS = 1_000_000;

    uint256 internal constant COMPUTE_SUPPLY = 1_000_000_000e18;
    uint96 internal constant MINIMUM_STAKE = 1_000e18;
    uint16 internal constant SLASH_BPS = 1_000;

    address internal admin = makeAddr("admin");
    address internal locker = makeAddr("locker");
    address internal settler = makeAddr("settler");
    address internal arbiter = makeAddr("arbiter");
    address internal pauser = makeAddr("pauser");
    address internal treasury = makeAddr("treasury");
    address internal alice = makeAddr("alice");
    address internal bob = makeAddr("bob");
    address internal payee = makeAddr("payee");
    address internal staker = makeAddr("staker");

    uint256 internal workerKey = uint256(keccak256("worker"));
    uint256 internal otherWorkerKey = uint256(keccak256("other worker"));
    uint256 internal withdrawalSignerKey = uint256(keccak256("withdrawal signer"));

    DevUsdg internal token;
    RCompute internal compute;
    WorkerStaking internal staking;
    JobEscrow internal escrow;
    uint32 internal workerId;
    uint32 internal otherWorkerId;

    function setUp() public virtual {
        vm.warp(1_780_000_000);
        token = new DevUsdg();
        compute = new RCompute(staker, COMPUTE_SUPPLY);
        staking = new WorkerStaking(StakingConfig(compute, admin, MINIMUM_STAKE, SLASH_BPS));
        escrow = new JobEscrow(_config());
        vm.prank(admin);
        staking.setEscrow(address(escrow));
        workerId = _register(workerKey, payee);
        otherWorkerId = _register(otherWorkerKey, payee);
        _fund(alice, START_CREDITS);
        _fund(bob, START_CREDITS);
    }

    function _config() internal view virtual returns (EscrowConfig memory config) {
        config.token = token;
        config.workers = staking;
        config.treasury = treasury;
        config.admin = admin;
        config.locker = locker;
        config.settler = settler;
        config.arbiter = arbiter;
        config.withdrawalSigner = vm.addr(withdrawalSignerKey);
        config.pauser = pauser;
        config.expirySeconds = EXPIRY;
        config.disputeSeconds = DISPUTE;
        config.arbitrationSeconds = ARBITRATION;
        config.thawSeconds = THAW;
        config.settleCapMax = SETTLE_CAP;
        config.prices = [TierPrice(2, 1), TierPrice(8, 4), TierPrice(18, 9), TierPrice(40, 20)];
    }

    function _fund(address wallet, uint64 credits) internal {
        uint256 units = credits * UNITS;
        token.mint(address(this), units);
        token.approve(address(escrow), units);
        escrow.deposit(wallet, credits);
    }

    /* WORKERS */

    function _register(uint256 key, address to) internal returns (uint32) {
        address signer = vm.addr(key);
        return staking.register(signer, to, _signRegistration(key, signer, to));
    }

    function _signRegistration(uint256 key, address signer, address to)
        internal
        view
        returns (bytes memory)
    {
        bytes32 digest = _typedDigest(
            "WorkerStaking",
            address(staking),
            block.chainid,
            keccak256(
                abi.encode(keccak256("Registration(address signer,address payee)"), signer, to)
            )
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    /* JOBS */

    function _jobId(uint256 n) internal pure returns (bytes32) {
        return bytes32(abi.encodePacked("job_", vm.toString(keccak256(abi.encode(n)))));
    }

    function _lockItem(bytes32 jobId, address wallet, uint32 credits, uint8 tier)
        internal
        pure
        returns (LockItem[] memory items)
    {
        items = new LockItem[](1);
        items[0] = LockItem(jobId, wallet, credits, tier);
    }

    function _lock(bytes32 jobId, address wallet, uint32 credits, uint8 tier) internal {
        vm.prank(locker);
        escrow.lockBatch(_lockItem(jobId, wallet, credits, tier));
    }

    /// @dev A settlement of `jobId` by the first worker, signed for this chain.
    function _completion(bytes32 jobId, uint32 outputTokens)
        internal
        view
        returns (SettleItem memory)
    {
        return _completionBy(workerKey, workerId, jobId, outputTokens);
    }

    function _completionBy(uint256 key, uint32 id, bytes32 jobId, uint32 outputTokens)
        internal
        view
        returns (SettleItem memory item)
    {
        item.jobId = jobId;
        item.outputHash = keccak256(abi.encode("output", jobId));
        item.workerId = id;
        item.outputTokens = outputTokens;
        item.completedAt = uint40(block.timestamp);
        (item.r, item.vs) = vm.signCompact(key, _completionDigest(item, block.chainid));
    }

    function _settle(SettleItem memory item) internal {
        SettleItem[] memory items = new SettleItem[](1);
        items[0] = item;
        vm.prank(settler);
        escrow.settleBatch(items);
    }

    function _refund(bytes32 jobId) internal {
        bytes32[] memory jobIds = new bytes32[](1);
        jobIds[0] = jobId;
        vm.prank(settler);
        escrow.refundBatch(jobIds);
    }

    /// @dev Settles `jobId` by the first worker after locking it: 40 credits of the tier max.
    function _settled(bytes32 jobId, address wallet) internal {
        _lock(jobId, wallet, 100, MAX);
        _settle(_completion(jobId, 1));
    }

    function _dispute(bytes32 jobId) internal {
        DisputeItem[] memory items = new DisputeItem[](1);
        items[0] = DisputeItem(jobId, _claimedHash(jobId));
        vm.prank(settler);
        escrow.disputeBatch(items);
    }

    function _resolve(bytes32 jobId, bool upheld) internal {
        vm.prank(arbiter);
        escrow.resolveDispute(jobId, upheld);
    }

    function _claimedHash(bytes32 jobId) internal pure returns (bytes32) {
        return keccak256(abi.encode("received", jobId));
    }

    /// @dev From now on `id` counts as a worker with an active stake, or without one.
    function _setStaked(uint32 id, uint256 key, bool staked) internal {
        vm.mockCall(
            address(staking),
            abi.encodeCall(staking.terms, (id)),
            abi.encode(vm.addr(key), payee, staked)
        );
    }

    /* EIP-712, written out anew so that the contracts are checked against the standard */

    function _completionDigest(SettleItem memory item, uint256 chainId)
        internal
        view
        returns (bytes32)
    {
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256(
                    "Completion(bytes32 jobId,bytes32 outputHash,uint32 outputTokens,uint40 completedAt)"
                ),
                item.jobId,
                item.outputHash,
                item.outputTokens,
                item.completedAt
            )
        );
        return _typedDigest("JobEscrow", address(escrow), chainId, structHash);
    }

    function _typedDigest(
        string memory name,
        address verifyingContract,
        uint256 chainId,
        bytes32 structHash
    ) internal pure returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256(bytes(name)),
                keccak256("1"),
                chainId,
                verifyingContract
            )
        );
        return keccak256(abi.encodePacked("\x19\x01", domain, structHash));
    }

    /* CHECKS */

    function _assertAccount(address wallet, uint64 available, uint64 locked) internal view {
        (uint64 actualAvailable, uint64 actualLocked,,) = escrow.accounts(wallet);
        assertEq(actualAvailable, available, "available");
        assertEq(actualLocked, locked, "locked");
    }

    /// @dev What the first worker and the treasury have, and what is held for disputes.
    function _assertShares(uint256 forWorker, uint256 forTreasury, uint256 disputed) internal view {
        assertEq(escrow.earnings(workerId), forWorker, "earnings");
        assertEq(escrow.treasuryUnits(), forTreasury, "treasury");
        assertEq(escrow.disputedUnits(), disputed, "disputed");
    }

    function _assertStatus(bytes32 jobId, JobStatus status) internal view {
        assertEq(uint8(escrow.jobs(jobId).status), uint8(status), "status");
    }

    function _assertSameJob(Job memory actual, Job memory expected) internal pure {
        assertEq(keccak256(abi.encode(actual)), keccak256(abi.encode(expected)), "job");
    }

    /// @dev Says what one settlement should have charged, from the rules and not from the contract.
    function _expectedPrice(uint256 perRequest, uint256 per1kTokens, uint256 outputTokens)
        internal
        pure
        returns (uint256)
    {
        if (outputTokens <= 500) return perRequest;
        uint256 thousandths = (outputTokens - 500) * per1kTokens;
        uint256 extra = thousandths / 1000;
        return perRequest + (thousandths % 1000 == 0 ? extra : extra + 1);
    }
}
