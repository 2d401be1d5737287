// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { console } from "forge-std/console.sol";

import { LockItem, SettleItem } from "../src/interfaces/IJobEscrow.sol";
import { BaseTest } from "./BaseTest.sol";

/// @notice What a job costs on chain. Isolation makes each call a transaction of its own, so
/// figures include its base cost, its calldata and cold storage.
/// forge-config: default.isolate = true
contract GasTest is BaseTest {
    uint256 private constant LOCK_GAS_TARGET = 35_000;
    uint256 private constant SETTLE_GAS_TARGET = 30_000;
    uint256 private constant WALLETS = 4;

    struct GasPerJob {
        uint256 lock;
        uint256 settle;
        uint256 refund;
    }

    /// @dev The figures of a service that has run before: no counter starts at zero.
    function setUp() public override {
        super.setUp();
        for (uint256 i; i < WALLETS; ++i) {
            _fund(_wallet(i), START_CREDITS);
        }
        _run(0, WALLETS, WALLETS);
    }

    function test_gas_batchOf1() public {
        _print("batch 1", _run(1_000, 1, WALLETS));
    }

    function test_gas_batchOf10() public {
        _print("batch 10", _run(1_000, 10, WALLETS));
    }

    function test_gas_batchOf100() public {
        GasPerJob memory gas = _run(1_000, 100, WALLETS);
        _print("batch 100", gas);
        assertLe(gas.lock, LOCK_GAS_TARGET);
        assertLe(gas.settle, SETTLE_GAS_TARGET);
    }

    /// @dev The dearest case: every job of another wallet, every neighbour of another worker.
    function test_gas_batchOf100Wallets() public {
        for (uint256 i; i < 100; ++i) {
            _fund(_wallet(i), 1_000);
        }
        _run(5_000, 100, 100);
        _print("batch 100, 100 wallets", _run(1_000, 100, 100));
    }

    /// @dev Locks and settles `count` jobs of `wallets` wallets, then locks and refunds as many.
    function _run(uint256 firstJob, uint256 count, uint256 wallets)
        private
        returns (GasPerJob memory gas)
    {
        LockItem[] memory locks = _locks(firstJob, count, wallets);
        SettleItem[] memory settlements = new SettleItem[](count);
        for (uint256 i; i < count; ++i) {
            settlements[i] = i * 2 < count || wallets > WALLETS && i % 2 == 0
                ? _completion(locks[i].jobId, 600)
                : _completionBy(otherWorkerKey, otherWorkerId, locks[i].jobId, 600);
        }
        vm.prank(locker);
        escrow.lockBatch(locks);
        gas.lock = vm.lastCallGas().gasTotalUsed / count;
        vm.prank(settler);
        escrow.settleBatch(settlements);
        gas.settle = vm.lastCallGas().gasTotalUsed / count;

        locks = _locks(firstJob + 100_000, count, wallets);
        bytes32[] memory jobIds = new bytes32[](count);
        for (uint256 i; i < count; ++i) {
            jobIds[i] = locks[i].jobId;
        }
        vm.prank(locker);
        escrow.lockBatch(locks);
        vm.prank(settler);
        escrow.refundBatch(jobIds);
        gas.refund = vm.lastCallGas().gasTotalUsed / count;
    }

    function _locks(uint256 firstJob, uint256 count, uint256 wallets)
        private
        returns (LockItem[] memory items)
    {
        items = new LockItem[](count);
        for (uint256 i; i < count; ++i) {
            items[i] = LockItem(_jobId(firstJob + i), _wallet(i * wallets / count), 44, MAX);
        }
    }

    function _wallet(uint256 i) private returns (address) {
        return makeAddr(string.concat("wallet ", vm.toString(i)));
    }

    function _print(string memory title, GasPerJob memory gas) private pure {
        console.log(title);
        console.log("  lock %d  settle %d  refund %d gas a job", gas.lock, gas.settle, gas.refund);
    }
}
