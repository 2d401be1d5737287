// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { StdStorage, stdStorage } from "forge-std/Test.sol";

import { IWorkerStaking } from "../src/interfaces/IWorkerStaking.sol";
import { WORKER_ID_MAX } from "../src/interfaces/IWorkerTerms.sol";
import { BaseTest } from "./BaseTest.sol";

contract RegisterTest is BaseTest {
    using stdStorage for StdStorage;

    uint256 private constant CURVE_ORDER =
        0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;

    function test_refusesZeroPayee() public {
        bytes memory signature = _signRegistration(workerKey, vm.addr(workerKey), address(0));
        vm.expectRevert(IWorkerStaking.ZeroAddress.selector);
        staking.register(vm.addr(workerKey), address(0), signature);
    }

    function test_refusesSignatureOfAnother() public {
        address signer = makeAddr("someone else");
        _expectBadSignature(signer, payee, _signRegistration(workerKey, signer, payee));
    }

    function test_refusesOtherPayeeThanSigned() public {
        bytes memory signature = _signRegistration(workerKey, vm.addr(workerKey), payee);
        _expectBadSignature(vm.addr(workerKey), alice, signature);
    }

    function testFuzz_refusesGarbage(bytes memory signature) public {
        _expectBadSignature(vm.addr(workerKey), payee, signature);
        _expectBadSignature(address(0), payee, signature);
    }

    function test_refusesMalleableSignature() public {
        uint256 key = uint256(keccak256("third worker"));
        bytes memory signature = _signRegistration(key, vm.addr(key), payee);
        (bytes32 r, bytes32 s, uint8 v) = _split(signature);
        _expectBadSignature(
            vm.addr(key),
            payee,
            abi.encodePacked(r, bytes32(CURVE_ORDER - uint256(s)), v == 27 ? uint8(28) : uint8(27))
        );
    }

    function test_refusesAnotherPayeeLater() public {
        address signer = vm.addr(workerKey);
        bytes memory signature = _signRegistration(workerKey, signer, alice);
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.AlreadyRegistered.selector, workerId));
        staking.register(signer, alice, signature);
        (, address stillPayee,) = staking.terms(workerId);
        assertEq(stillPayee, payee);
    }

    /// @dev The escrow could not keep a higher id.
    function test_refusesMoreWorkersThanIds() public {
        stdstore.target(address(staking)).sig("workerCount()").checked_write(WORKER_ID_MAX - 1);
        assertEq(_register(uint256(keccak256("third worker")), payee), WORKER_ID_MAX);

        uint256 key = uint256(keccak256("fourth worker"));
        bytes memory signature = _signRegistration(key, vm.addr(key), payee);
        vm.expectRevert(IWorkerStaking.NoWorkerIdLeft.selector);
        staking.register(vm.addr(key), payee, signature);
        assertEq(_register(workerKey, payee), workerId);
    }

    function test_answersARepeatWithTheSameId() public {
        vm.recordLogs();
        assertEq(_register(workerKey, payee), workerId);
        assertEq(vm.getRecordedLogs().length, 0);
        assertEq(_register(uint256(keccak256("third worker")), payee), otherWorkerId + 1);
    }

    function testFuzz_registersForAnySender(uint256 key, address to, address sender) public {
        key = boundPrivateKey(key);
        vm.assume(to != address(0));
        address signer = vm.addr(key);
        vm.assume(staking.workerIdOf(signer) == 0);
        bytes memory signature = _signRegistration(key, signer, to);

        vm.expectEmit(address(staking));
        emit IWorkerStaking.WorkerRegistered(3, signer, to);
        vm.prank(sender);
        assertEq(staking.register(signer, to, signature), 3);

        assertEq(staking.workerIdOf(signer), 3);
        assertEq(staking.workerCount(), 3);
        (address termsSigner, address termsPayee, bool staked) = staking.terms(3);
        assertEq(termsSigner, signer);
        assertEq(termsPayee, to);
        assertFalse(staked);
    }

    function test_givesIdsFromOne() public view {
        assertEq(workerId, 1);
        assertEq(otherWorkerId, 2);
        assertEq(staking.workerIdOf(alice), 0);
    }

    function testFuzz_knowsNobodyBehindAnUnusedId(uint32 id) public view {
        vm.assume(id != workerId && id != otherWorkerId);
        (address signer, address to,) = staking.terms(id);
        assertEq(signer, address(0));
        assertEq(to, address(0));
    }

    function _expectBadSignature(address signer, address to, bytes memory signature) private {
        vm.expectRevert(IWorkerStaking.BadSignature.selector);
        staking.register(signer, to, signature);
    }

    function _split(bytes memory signature) private pure returns (bytes32 r, bytes32 s, uint8 v) {
        assembly ("memory-safe") {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
    }
}
