// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

import { EscrowConfig, JobEscrow } from "../src/JobEscrow.sol";
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
    }

    function test_refusesFreeTier() public {
        EscrowConfig memory config = _config();
        config.prices[PRO].perRequest = 0;
        vm.expectRevert(abi.encodeWithSelector(PriceTableLib.ZeroPrice.selector, PRO));
        new JobEscrow(config);
    }

    function test_keepsWhatItWasGiven() public view {
        assertEq(address(escrow.TOKEN()), address(token));
        assertEq(address(escrow.WORKERS()), address(staking));
        assertEq(escrow.TREASURY(), treasury);
        assertEq(escrow.EXPIRY_SECONDS(), EXPIRY);
        assertTrue(escrow.hasRole(escrow.DEFAULT_ADMIN_ROLE(), admin));
        assertTrue(escrow.hasRole(escrow.LOCKER_ROLE(), locker));
        assertTrue(escrow.hasRole(escrow.SETTLER_ROLE(), settler));
        assertFalse(escrow.hasRole(escrow.DEFAULT_ADMIN_ROLE(), address(this)));
    }

    function _expectRefused(EscrowConfig memory config) private {
        vm.expectRevert(IJobEscrow.ZeroAddress.selector);
        new JobEscrow(config);
    }
}
