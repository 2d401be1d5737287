// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IWorkerStaking } from "../../src/interfaces/IWorkerStaking.sol";
import { StakingBase } from "./StakingBase.sol";

contract SetPayeeTest is StakingBase {
    address private next = makeAddr("next payee");
    uint256 private deadline;

    function setUp() public override {
        super.setUp();
        deadline = block.timestamp + 1 hours;
    }

    function testFuzz_refusesAnyoneButTheSigner(address sender) public {
        vm.assume(sender != signer);
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.NotSigner.selector, workerId, sender));
        vm.prank(sender);
        staking.setPayee(workerId, next);
    }

    function test_refusesZeroPayee() public {
        vm.expectRevert(IWorkerStaking.ZeroAddress.selector);
        vm.prank(signer);
        staking.setPayee(workerId, address(0));
    }

    function test_refusesUnknownWorker() public {
        bytes memory signature = _signChange(workerKey, 3, next, 0);
        bytes memory error = abi.encodeWithSelector(IWorkerStaking.UnknownWorker.selector, 3);
        vm.expectRevert(error);
        staking.setPayee(3, next);
        vm.expectRevert(error);
        staking.setPayeeWithSignature(3, next, deadline, signature);
    }

    function test_refusesSignatureOfAnother() public {
        _expectBadSignature(next, _signChange(otherWorkerKey, workerId, next, 0));
    }

    function test_refusesOtherPayeeThanSigned() public {
        _expectBadSignature(stranger, _signChange(workerKey, workerId, next, 0));
    }

    function test_refusesOtherDeadlineThanSigned() public {
        bytes memory signature = _signChange(workerKey, workerId, next, 0);
        ++deadline;
        _expectBadSignature(next, signature);
    }

    function test_refusesSignatureForAnotherWorker() public {
        _expectBadSignature(next, _signChange(workerKey, otherWorkerId, next, 0));
    }

    function testFuzz_refusesGarbage(bytes memory signature) public {
        _expectBadSignature(next, signature);
    }

    function test_refusesLateSignature() public {
        bytes memory signature = _signChange(workerKey, workerId, next, 0);
        vm.warp(deadline + 1);
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.SignatureExpired.selector, deadline));
        staking.setPayeeWithSignature(workerId, next, deadline, signature);
    }

    function test_takesSignatureInItsLastSecond() public {
        bytes memory signature = _signChange(workerKey, workerId, next, 0);
        vm.warp(deadline);
        staking.setPayeeWithSignature(workerId, next, deadline, signature);
        _assertPayee(next);
    }

    function test_refusesTheSameSignatureTwice() public {
        bytes memory signature = _signChange(workerKey, workerId, next, 0);
        staking.setPayeeWithSignature(workerId, next, deadline, signature);
        vm.prank(signer);
        staking.setPayee(workerId, payee);
        _expectBadSignature(next, signature);
    }

    function test_refusesZeroPayeeThoughSigned() public {
        bytes memory signature = _signChange(workerKey, workerId, address(0), 0);
        vm.expectRevert(IWorkerStaking.ZeroAddress.selector);
        staking.setPayeeWithSignature(workerId, address(0), deadline, signature);
    }

    function testFuzz_changesByCall(address to) public {
        vm.assume(to != address(0));
        vm.expectEmit(address(staking));
        emit IWorkerStaking.PayeeChanged(workerId, to);
        vm.prank(signer);
        staking.setPayee(workerId, to);
        _assertPayee(to);
    }

    function testFuzz_changesBySignatureForAnySender(address to, address sender, uint256 wait)
        public
    {
        vm.assume(to != address(0));
        bytes memory signature = _signChange(workerKey, workerId, to, 0);
        vm.warp(bound(wait, block.timestamp, deadline));
        vm.expectEmit(address(staking));
        emit IWorkerStaking.PayeeChanged(workerId, to);
        vm.prank(sender);
        staking.setPayeeWithSignature(workerId, to, deadline, signature);
        _assertPayee(to);
        assertEq(staking.nonces(signer), 1);

        staking.setPayeeWithSignature(
            workerId, next, deadline, _signChange(workerKey, workerId, next, 1)
        );
        _assertPayee(next);
    }

    /// @dev What it has earned and staked is still to be paid somewhere.
    function test_changesForAWorkerThatLeft() public {
        _deactivate();
        vm.prank(signer);
        staking.setPayee(workerId, next);
        (, address now_,) = staking.terms(workerId);
        assertEq(now_, next);
    }

    /// @dev The old registration names the old payee.
    function test_oldRegistrationChangesNothing() public {
        vm.prank(signer);
        staking.setPayee(workerId, next);
        bytes32 statement = keccak256(
            abi.encode(keccak256("Registration(address signer,address payee)"), signer, payee)
        );
        bytes memory signature = _sign(workerKey, statement);
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.AlreadyRegistered.selector, workerId));
        staking.register(signer, payee, signature);
        _assertPayee(next);
    }

    function _assertPayee(address to) private view {
        (address signer_, address payee_,) = staking.terms(workerId);
        assertEq(signer_, signer);
        assertEq(payee_, to);
    }

    function _signChange(uint256 key, uint32 id, address to, uint256 nonce)
        private
        view
        returns (bytes memory)
    {
        return _sign(
            key,
            keccak256(
                abi.encode(
                    keccak256(
                        "PayeeChange(uint32 workerId,address payee,uint256 nonce,uint256 deadline)"
                    ),
                    id,
                    to,
                    nonce,
                    deadline
                )
            )
        );
    }

    function _expectBadSignature(address to, bytes memory signature) private {
        vm.expectRevert(IWorkerStaking.BadSignature.selector);
        staking.setPayeeWithSignature(workerId, to, deadline, signature);
    }
}
