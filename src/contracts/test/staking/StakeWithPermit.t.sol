// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC20Errors } from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";

import { IWorkerStaking } from "../../src/interfaces/IWorkerStaking.sol";
import { StakingBase } from "./StakingBase.sol";

contract StakeWithPermitTest is StakingBase {
    struct Permit {
        uint256 deadline;
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    uint256 private ownerKey = uint256(keccak256("owner"));
    address private owner = vm.addr(ownerKey);

    function setUp() public override {
        super.setUp();
        vm.prank(holder);
        assertTrue(token.transfer(owner, SUPPLY));
    }

    function test_refusesUnknownWorker() public {
        Permit memory permit = _permit(ownerKey, 1);
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.UnknownWorker.selector, 3));
        vm.prank(owner);
        staking.stakeWithPermit(3, 1, permit.deadline, permit.v, permit.r, permit.s);
    }

    function test_refusesPermitOfAnother() public {
        _expectNoAllowance(_permit(workerKey, 1e18), owner);
    }

    function test_refusesLatePermit() public {
        Permit memory permit = _permit(ownerKey, 1e18);
        vm.warp(permit.deadline + 1);
        _expectNoAllowance(permit, owner);
    }

    /// @dev The tokens of whoever signed stay out of reach of whoever saw the signature.
    function test_refusesAnotherSenderWithThePermit() public {
        _expectNoAllowance(_permit(ownerKey, 1e18), stranger);
    }

    function testFuzz_needsNoApproval(uint256 amount) public {
        amount = bound(amount, 1, SUPPLY);
        _stakeWith(_permit(ownerKey, amount), amount);
    }

    /// @dev Whoever saw the permit in the pool could otherwise make the stake fail.
    function testFuzz_doesNotMindAPermitThatWasBrought(uint256 amount) public {
        amount = bound(amount, 1, SUPPLY);
        Permit memory permit = _permit(ownerKey, amount);
        vm.prank(stranger);
        token.permit(owner, address(staking), amount, permit.deadline, permit.v, permit.r, permit.s);
        _stakeWith(permit, amount);
    }

    function _stakeWith(Permit memory permit, uint256 amount) private {
        vm.expectEmit(address(staking));
        emit IWorkerStaking.Staked(workerId, owner, amount, amount);
        vm.prank(owner);
        staking.stakeWithPermit(workerId, amount, permit.deadline, permit.v, permit.r, permit.s);
        _assertStake(workerId, amount, 0);
        assertEq(token.balanceOf(owner), SUPPLY - amount);
        assertEq(token.allowance(owner, address(staking)), 0);
    }

    function _permit(uint256 key, uint256 amount) private view returns (Permit memory permit) {
        permit.deadline = block.timestamp + 1 hours;
        bytes32 statement = keccak256(
            abi.encode(
                keccak256(
                    "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
                ),
                owner,
                address(staking),
                amount,
                0,
                permit.deadline
            )
        );
        (permit.v, permit.r, permit.s) =
            vm.sign(key, _typedDigest("RCompute", address(token), block.chainid, statement));
    }

    function _expectNoAllowance(Permit memory permit, address sender) private {
        vm.expectRevert(
            abi.encodeWithSelector(
                IERC20Errors.ERC20InsufficientAllowance.selector, address(staking), 0, 1e18
            )
        );
        vm.prank(sender);
        staking.stakeWithPermit(workerId, 1e18, permit.deadline, permit.v, permit.r, permit.s);
    }
}
