// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

import { EscrowConfig } from "../src/EscrowState.sol";
import { JobEscrow } from "../src/JobEscrow.sol";
import { IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { IJobEscrow } from "../src/interfaces/IJobEscrow.sol";
import { IWorkerTerms } from "../src/interfaces/IWorkerTerms.sol";
import { PriceTableLib } from "../src/libraries/PriceTable.sol";
import { BaseTest } from "./BaseTest.sol";

contract ConstructorTest is BaseTest {
    function test_refusesZeroAddresses() public {
        EscrowConfig memory config = _config();
        config.token = IERC20(address(0));
        _expectRefused(config);

        config = _config();
        config.workers = IWorkerTerms(address(0));
        _expectRefused(config);

        config = _config();
        config.treasury = address(0);
        _expectRefused(config);

        config = _config();
        config.admin = address(0);
        _expectRefused(config);

        config = _config();
        config.locker = address(0);
        _expectRefused(config);

        config = _config();
        config.settler = address(0);
        _expectRefused(config);

        config = _config();
        config.arbiter = address(0);
        _expectRefused(config);

        config = _config();
        config.withdrawalSigner = address(0);
        _expectRefused(config);

        config = _config();
        config.pauser = address(0);
        _expectRefused(config);
    }

    /// @dev Earnings are held in windows of that length.
    function test_refusesDisputesWithoutTime() public {
        EscrowConfig memory config = _config();
        config.disputeSeconds = 0;
        vm.expectRevert(IJobEscrow.ZeroDisputeSeconds.selector);
        new JobEscrow(config);
    }

    /// @dev A hundredth of it, the least that can be set, must be something.
    function testFuzz_refusesABoundOfSettlementsWithoutRoom(uint64 cap) public {
        EscrowConfig memory config = _config();
        config.settleCapMax = uint64(bound(cap, 0, 99));
        vm.expectPartialRevert(IJobEscrow.SettleCapOutOfBounds.selector);
        new JobEscrow(config);
    }

    function test_refusesFreeTier() public {
        for (uint256 tier = LITE; tier <= MAX; ++tier) {
            EscrowConfig memory config = _config();
            config.prices[tier].perRequest = 0;
            vm.expectRevert(abi.encodeWithSelector(PriceTableLib.ZeroPrice.selector, tier));
            new JobEscrow(config);
        }
    }

    function test_keepsWhatItWasGiven() public view {
        assertEq(address(escrow.TOKEN()), address(token));
        assertEq(address(escrow.WORKERS()), address(staking));
        assertEq(escrow.TREASURY(), treasury);
        assertEq(escrow.EXPIRY_SECONDS(), EXPIRY);
        assertEq(escrow.DISPUTE_SECONDS(), DISPUTE);
        assertEq(escrow.ARBITRATION_SECONDS(), ARBITRATION);
        assertTrue(escrow.hasRole(escrow.DEFAULT_ADMIN_ROLE(), admin));
        assertTrue(escrow.hasRole(escrow.LOCKER_ROLE(), locker));
        assertTrue(escrow.hasRole(escrow.SETTLER_ROLE(), settler));
        assertEq(escrow.THAW_SECONDS(), THAW);
        assertEq(escrow.SETTLE_CAP_MAX(), SETTLE_CAP);
        assertFalse(escrow.paused());
        assertTrue(escrow.hasRole(escrow.ARBITER_ROLE(), arbiter));
        assertTrue(escrow.hasRole(escrow.WITHDRAWAL_SIGNER_ROLE(), vm.addr(withdrawalSignerKey)));
        assertTrue(escrow.hasRole(escrow.PAUSER_ROLE(), pauser));
        assertFalse(escrow.hasRole(escrow.ARBITER_ROLE(), settler));
        assertFalse(escrow.hasRole(escrow.DEFAULT_ADMIN_ROLE(), address(this)));
    }

    function _expectRefused(EscrowConfig memory config) private {
        vm.expectRevert(IEscrowAccounts.ZeroAddress.selector);
        new JobEscrow(config);
    }
}
