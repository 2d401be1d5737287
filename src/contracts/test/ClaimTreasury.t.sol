// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IEscrowEarnings } from "../src/interfaces/IEscrowEarnings.sol";
import { JobStatus } from "../src/interfaces/IJobEscrow.sol";
import { MoneyBase } from "./MoneyBase.sol";

contract ClaimTreasuryTest is MoneyBase {
    /// @dev Of a job of 40 credits, without a stake.
    uint256 private constant FOR_TREASURY = 40 * 2_500;

    function test_refusesWhereNothingWasEarned() public {
        _expectNothing();
    }

    function testFuzz_refusesWhatCanStillBeDisputed(uint256 settledAfter, uint256 age) public {
        skip(bound(settledAfter, 0, DISPUTE - 1));
        _settled(_jobId(1), alice);
        skip(bound(age, 0, DISPUTE));
        _expectNothing();
        assertEq(escrow.claimableTreasury(), 0);
        assertEq(escrow.treasuryUnits(), FOR_TREASURY);
        _dispute(_jobId(1));
        _assertStatus(_jobId(1), JobStatus.Disputed);
    }

    function test_refusesASecondTime() public {
        _settled(_jobId(1), alice);
        skip(2 * DISPUTE);
        escrow.claimTreasury();
        _expectNothing();
    }

    function test_paysWhatADisputeFoundRightAtOnce() public {
        _settled(_jobId(1), alice);
        _settled(_jobId(2), alice);
        _dispute(_jobId(1));
        _resolve(_jobId(1), false);
        assertEq(escrow.claimableTreasury(), FOR_TREASURY);
        escrow.claimTreasury();
        assertEq(token.balanceOf(treasury), FOR_TREASURY);
        _dispute(_jobId(2));
        _assertStatus(_jobId(2), JobStatus.Disputed);
    }

    function testFuzz_paysTheTreasuryWhoeverAsks(address caller, uint256 late, bool paused) public {
        _settled(_jobId(1), alice);
        _settled(_jobId(2), bob);
        skip(bound(late, 2 * DISPUTE, 1_000 days));
        if (paused) _pause();

        vm.expectEmit(address(escrow));
        emit IEscrowEarnings.TreasuryClaimed(treasury, 2 * FOR_TREASURY);
        vm.prank(caller);
        escrow.claimTreasury();

        assertEq(token.balanceOf(treasury), 2 * FOR_TREASURY);
        assertEq(escrow.treasuryUnits(), 0);
        assertEq(escrow.claimableTreasury(), 0);
    }

    function _expectNothing() private {
        vm.expectRevert(IEscrowEarnings.NothingToClaim.selector);
        escrow.claimTreasury();
    }
}
