// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { JobStatus, LockItem, SettleItem } from "../../src/interfaces/IJobEscrow.sol";
import { BaseTest } from "../BaseTest.sol";
import { EscrowAuditor } from "./EscrowAuditor.sol";

/// @notice The actors of a random life of one escrow. Every call succeeds; what the rules forbid is
/// tried inside batches, where it must be skipped.
contract EscrowHandler is BaseTest {
    uint256 private constant BATCH_MAX = 6;

    EscrowAuditor public auditor;
    address[] public wallets;
    uint256[] public workerKeys;
    uint256 public donatedUnits;
    bytes32[] private _jobIds;

    function setUp() public override {
        auditor = new EscrowAuditor();
        vm.recordLogs();
        super.setUp();
        wallets = [alice, bob, makeAddr("carol"), makeAddr("dave")];
        workerKeys = [workerKey, otherWorkerKey, uint256(keccak256("third worker"))];
        _register(workerKeys[2], payee);
        _audit();
    }

    /* ACTORS */

    function deposit(uint256 walletSeed, uint64 credits) external {
        _fund(_wallet(walletSeed), uint64(bound(credits, 100, 5_000)));
        _audit();
    }

    function donate(uint256 units) external {
        units = bound(units, 0, 1e12);
        token.mint(address(escrow), units);
        donatedUnits += units;
    }

    /// @dev About one item in eight takes a known job id; some ask for more than the wallet has.
    function lock(uint256 seed) external {
        LockItem[] memory items = new LockItem[](_batchSize(seed));
        for (uint256 i; i < items.length; ++i) {
            uint256 random = _random(seed, i);
            bool reuse = random % 8 == 0 && _jobIds.length != 0;
            bytes32 id = reuse ? _knownJob(random) : _jobId(_jobIds.length);
            if (!reuse) _jobIds.push(id);
            uint256 most = random % 16 == 1 ? type(uint32).max : 200;
            items[i] = LockItem({
                jobId: id,
                wallet: _wallet(random >> 8),
                credits: uint32(bound(random >> 16, 0, most)),
                tier: uint8((random >> 24) % 5)
            });
        }
        vm.prank(locker);
        escrow.lockBatch(items);
        _audit();
    }

    /// @dev Jobs in any state, by any worker; one item in eight carries a broken signature.
    function settle(uint256 seed) external {
        if (_jobIds.length == 0) return;
        SettleItem[] memory items = new SettleItem[](_batchSize(seed));
        for (uint256 i; i < items.length; ++i) {
            uint256 random = _random(seed, i);
            uint32 id = uint32((random >> 8) % workerKeys.length);
            items[i] = _completionBy(
                workerKeys[id], id + 1, _knownJob(random), uint32(bound(random >> 16, 0, 12_000))
            );
            if (random % 8 == 0) items[i].outputTokens += 1;
        }
        vm.prank(settler);
        escrow.settleBatch(items);
        _audit();
    }

    function refund(uint256 seed) external {
        if (_jobIds.length == 0) return;
        bytes32[] memory ids = new bytes32[](_batchSize(seed) / 2 + 1);
        for (uint256 i; i < ids.length; ++i) {
            ids[i] = _knownJob(_random(seed, i));
        }
        vm.prank(settler);
        escrow.refundBatch(ids);
        _audit();
    }

    /// @dev Succeeds exactly for a lock that is old enough.
    function refundExpired(uint256 seed, uint256 callerSeed) external {
        if (_jobIds.length == 0) return;
        bytes32 id = _knownJob(seed);
        bool due = _isExpired(id);
        vm.prank(_wallet(callerSeed));
        try escrow.refundExpired(id) {
            assertTrue(due, "refunded before its time");
        } catch {
            assertFalse(due, "an expired lock could not be taken back");
        }
        _audit();
    }

    function warp(uint256 elapsed) external {
        skip(bound(elapsed, 1, 2 * EXPIRY));
    }

    /* READ */

    function walletCount() external view returns (uint256) {
        return wallets.length;
    }

    function workerCount() external view returns (uint256) {
        return workerKeys.length;
    }

    function jobIds() external view returns (bytes32[] memory) {
        return _jobIds;
    }

    function world() external view returns (address, address) {
        return (address(escrow), address(token));
    }

    function _audit() private {
        auditor.take(vm.getRecordedLogs(), address(escrow));
    }

    function _isExpired(bytes32 id) private view returns (bool) {
        (,, uint256 lockedAt, JobStatus status) = auditor.jobs(id);
        // forge-lint: disable-next-line(block-timestamp)
        return status == JobStatus.Locked && block.timestamp >= lockedAt + EXPIRY;
    }

    function _batchSize(uint256 seed) private pure returns (uint256) {
        return 1 + seed % BATCH_MAX;
    }

    function _random(uint256 seed, uint256 i) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(seed, i)));
    }

    function _wallet(uint256 seed) private view returns (address) {
        return wallets[seed % wallets.length];
    }

    /// @dev Mostly one of the latest jobs, so that most still hold their lock.
    function _knownJob(uint256 seed) private view returns (bytes32) {
        uint256 back = seed >> 128;
        uint256 window = back % 4 == 0 || _jobIds.length < 12 ? _jobIds.length : 12;
        return _jobIds[_jobIds.length - 1 - (back >> 8) % window];
    }
}
