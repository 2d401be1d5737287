// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IAccessControl } from "@openzeppelin/contracts/access/IAccessControl.sol";

import { WorkerStaking } from "../../src/WorkerStaking.sol";
import { IWorkerStaking } from "../../src/interfaces/IWorkerStaking.sol";
import { EscrowDouble, StakingBase } from "./StakingBase.sol";

contract SetEscrowTest is StakingBase {
    WorkerStaking private fresh;

    function setUp() public override {
        super.setUp();
        fresh = new WorkerStaking(_config());
    }

    function testFuzz_refusesAnyoneButTheAdmin(address sender) public {
        vm.assume(sender != admin);
        address own = address(new EscrowDouble(fresh));
        vm.expectRevert(
            abi.encodeWithSelector(
                IAccessControl.AccessControlUnauthorizedAccount.selector, sender, bytes32(0)
            )
        );
        vm.prank(sender);
        fresh.setEscrow(own);
    }

    function test_refusesEscrowOfOtherWorkers() public {
        vm.expectRevert(
            abi.encodeWithSelector(IWorkerStaking.NotEscrowOfTheseWorkers.selector, escrow)
        );
        vm.prank(admin);
        fresh.setEscrow(escrow);
    }

    function test_refusesAddressWithoutCode() public {
        vm.expectRevert();
        vm.prank(admin);
        fresh.setEscrow(stranger);
    }

    function test_refusesToBeToldTwice() public {
        address another = address(new EscrowDouble(staking));
        vm.expectRevert(abi.encodeWithSelector(IWorkerStaking.EscrowAlreadySet.selector, escrow));
        vm.prank(admin);
        staking.setEscrow(another);
    }

    function test_letsTheEscrowSlash() public {
        address own = address(new EscrowDouble(fresh));
        bytes32 role = fresh.SLASHER_ROLE();
        assertFalse(fresh.hasRole(role, own));

        vm.expectEmit(address(fresh));
        emit IWorkerStaking.EscrowSet(own);
        vm.prank(admin);
        fresh.setEscrow(own);

        assertEq(fresh.escrow(), own);
        assertTrue(fresh.hasRole(role, own));
    }
}
