// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { EscrowConfig } from "../src/EscrowState.sol";
import { JobEscrow } from "../src/JobEscrow.sol";
import { DevUsdg } from "../src/dev/DevUsdg.sol";
import { Authorization, IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { MoneyBase } from "./MoneyBase.sol";
import { GlobalDollar } from "./tokens/GlobalDollar.sol";

/// @notice The token that the escrow is for, in place of the one of development.
contract GlobalDollarTest is MoneyBase {
    GlobalDollar private dollar;

    function setUp() public override {
        super.setUp();
        dollar = new GlobalDollar();
        EscrowConfig memory config = _config();
        config.token = DevUsdg(address(dollar));
        (escrow, token) = (new JobEscrow(config), DevUsdg(address(dollar)));
        dollar.mint(carol, 1_000 * UNITS);
    }

    function test_authorization_isPaidOnce() public {
        Authorization memory authorization = _authorize(carolKey, carol, 100, "salt");
        escrow.depositWithAuthorization(carol, carol, 100, authorization);
        // The token does nothing then, and says nothing.
        vm.expectRevert(
            abi.encodeWithSelector(
                IEscrowAccounts.AmountReceivedDiffers.selector, 100 * UNITS, uint256(0)
            )
        );
        escrow.depositWithAuthorization(carol, carol, 100, authorization);
        _assertCredits(carol, 100, 0);
        assertEq(dollar.balanceOf(address(escrow)), 100 * UNITS);
    }

    function test_permit() public {
        Signature memory permit = _permit(carolKey, 100 * UNITS, block.timestamp);
        vm.prank(carol);
        escrow.depositWithPermit(carol, 100, block.timestamp, permit.v, permit.r, permit.s);
        _assertCredits(carol, 100, 0);
    }

    function test_paused_andFrozen_comeThroughByTheirNames() public {
        Authorization memory authorization = _authorize(carolKey, carol, 100, "salt");
        dollar.setPaused(true);
        vm.expectRevert(GlobalDollar.ContractPaused.selector);
        escrow.depositWithAuthorization(carol, carol, 100, authorization);
        dollar.setPaused(false);
        dollar.setFrozen(address(escrow), true);
        vm.expectRevert(GlobalDollar.AddressFrozen.selector);
        escrow.depositWithAuthorization(carol, carol, 100, authorization);
        dollar.setFrozen(address(escrow), false);
        escrow.depositWithAuthorization(carol, carol, 100, authorization);
        _assertCredits(carol, 100, 0);
    }
}
