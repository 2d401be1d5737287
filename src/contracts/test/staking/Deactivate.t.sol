// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IWorkerStaking } from "../../src/interfaces/IWorkerStaking.sol";
import { StakingBase } from "./StakingBase.sol";

contract DeactivateTest is StakingBase {
    uint256 private deadline;

    function setUp() public override {
        super.setUp();
        deadline = block.timestamp + 1 hours;
    }

    function testFuzz_refusesAnyoneButTheSigner(address sender) public {
        vm.assume(sender != signer);
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.NotSigner.selector, workerId, sender));
        vm.prank(sender);
        staking.deactivate(workerId);
    }

    function test_refusesUnknownWorker() public {
        bytes memory error = abi.encodeWithSelector(IWorkerStaking.UnknownWorker.selector, 3);
        vm.expectRevert(error);
        staking.deactivate(3);
        vm.expectRevert(error);
        staking.deactivateWithSignature(3, deadline, "");
    }

    function test_refusesToLeaveTwice() public {
        _deactivate();
        bytes memory signature = _signDeactivation(workerKey, workerId, 0);
        bytes memory error = abi.encodeWithSelector(IWorkerStaking.Deactivated.selector, workerId);
        vm.expectRevert(error);
        vm.prank(signer);
        staking.deactivate(workerId);
        vm.expectRevert(error);
        staking.deactivateWithSignature(workerId, deadline, signature);
    }

    function test_refusesSignatureOfAnother() public {
        _expectBadSignature(_signDeactivation(otherWorkerKey, workerId, 0));
        _expectBadSignature(_signDeactivation(workerKey, otherWorkerId, 0));
        _expectBadSignature(_signDeactivation(workerKey, workerId, 1));
    }

    function testFuzz_refusesGarbage(bytes memory signature) public {
        _expectBadSignature(signature);
    }

    function test_refusesLateSignature() public {
        bytes memory signature = _signDeactivation(workerKey, workerId, 0);
        vm.warp(deadline + 1);
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.SignatureExpired.selector, deadline));
        staking.deactivateWithSignature(workerId, deadline, signature);
    }

    /// @dev A registration is signed without a nonce, so it could be brought again by anyone.
    function test_neverComesBack() public {
        bytes32 statement = keccak256(
            abi.encode(keccak256("Registration(address signer,address payee)"), signer, payee)
        );
        bytes memory registration = _sign(workerKey, statement);
        _deactivate();
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.Deactivated.selector, workerId));
        staking.register(signer, payee, registration);
    }

    function testFuzz_leavesWithAllItsStake(uint256 amount, uint256 unstaked) public {
        amount = bound(amount, 1, SUPPLY);
        unstaked = bound(unstaked, 0, amount);
        _stake(workerId, amount);
        if (unstaked != 0) _requestUnstake(unstaked);
        skip(1 days);

        vm.expectEmit(address(staking));
        emit IWorkerStaking.WorkerDeactivated(workerId, signer);
        if (unstaked != amount) {
            vm.expectEmit(address(staking));
            emit IWorkerStaking.UnstakeRequested(
                workerId, amount - unstaked, 0, amount, uint40(block.timestamp) + UNBONDING
            );
        }
        _deactivate();

        _assertLeft();
        _assertStake(workerId, 0, amount);
        skip(UNBONDING);
        staking.withdraw(workerId);
        assertEq(token.balanceOf(payee), amount);
    }

    function testFuzz_leavesBySignatureForAnySender(address sender) public {
        bytes memory signature = _signDeactivation(workerKey, workerId, 0);
        vm.expectEmit(address(staking));
        emit IWorkerStaking.WorkerDeactivated(workerId, signer);
        vm.prank(sender);
        staking.deactivateWithSignature(workerId, deadline, signature);
        _assertLeft();
        _assertStake(workerId, 0, 0);
        assertEq(staking.nonces(signer), 1, "what else was signed for it counts no more");
    }

    function test_leavesBySignatureInItsLastSecond() public {
        bytes memory signature = _signDeactivation(workerKey, workerId, 0);
        vm.warp(deadline);
        staking.deactivateWithSignature(workerId, deadline, signature);
        _assertLeft();
    }

    /// @dev It settles nothing more, but what it has earned can still be paid.
    function _assertLeft() private view {
        (address signer_, address payee_, bool staked) = staking.terms(workerId);
        assertEq(signer_, address(0));
        assertEq(payee_, payee);
        assertFalse(staked);
        assertEq(staking.workerIdOf(signer), 0);
        assertEq(staking.workers(workerId).signer, signer);
        assertTrue(staking.workers(workerId).deactivated);
    }

    function _signDeactivation(uint256 key, uint32 id, uint256 nonce)
        private
        view
        returns (bytes memory)
    {
        bytes32 typeHash = keccak256("Deactivation(uint32 workerId,uint256 nonce,uint256 deadline)");
        return _sign(key, keccak256(abi.encode(typeHash, id, nonce, deadline)));
    }

    function _expectBadSignature(bytes memory signature) private {
        vm.expectRevert(IWorkerStaking.BadSignature.selector);
        staking.deactivateWithSignature(workerId, deadline, signature);
    }
}
