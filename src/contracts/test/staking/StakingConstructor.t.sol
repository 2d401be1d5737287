// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { SafeCast } from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import { RCompute } from "../../src/RCompute.sol";
import { StakingConfig } from "../../src/StakingState.sol";
import { WorkerStaking } from "../../src/WorkerStaking.sol";
import { IWorkerStaking } from "../../src/interfaces/IWorkerStaking.sol";
import { StakingBase } from "./StakingBase.sol";

contract StakingConstructorTest is StakingBase {
    using SafeCast for uint256;

    function test_refusesZeroToken() public {
        StakingConfig memory config = _config();
        config.token = RCompute(address(0));
        vm.expectRevert(IWorkerStaking.ZeroAddress.selector);
        new WorkerStaking(config);
    }

    function test_refusesZeroAdmin() public {
        StakingConfig memory config = _config();
        config.admin = address(0);
        vm.expectRevert(IWorkerStaking.ZeroAddress.selector);
        new WorkerStaking(config);
    }

    function test_refusesMinimumThatAllOrNoneReach() public {
        StakingConfig memory config = _config();
        config.minimumStake = 0;
        _expectMinimumOutOfBounds(config);
        config.minimumStake = (SUPPLY + 1).toUint96();
        _expectMinimumOutOfBounds(config);
    }

    function test_refusesPenaltyOutOfBounds() public {
        StakingConfig memory config = _config();
        config.slashBps = 0;
        _expectPenaltyOutOfBounds(config);
        config.slashBps = 10_001;
        _expectPenaltyOutOfBounds(config);
    }

    function testFuzz_keepsItsConfig(address admin_, uint256 minimum, uint16 slashBps) public {
        vm.assume(admin_ != address(0));
        uint96 minimumStake = bound(minimum, 1, SUPPLY).toUint96();
        slashBps = bound(slashBps, 1, 10_000).toUint16();
        WorkerStaking made = new WorkerStaking(StakingConfig(token, admin_, minimumStake, slashBps));
        assertEq(address(made.TOKEN()), address(token));
        assertEq(made.MINIMUM_STAKE(), minimumStake);
        assertEq(made.SLASH_BPS(), slashBps);
        assertEq(made.UNBONDING_SECONDS(), 7 days);
        assertTrue(made.hasRole(made.DEFAULT_ADMIN_ROLE(), admin_));
        assertEq(made.workerCount(), 0);
        assertEq(made.escrow(), address(0));
    }

    function _expectMinimumOutOfBounds(StakingConfig memory config) private {
        vm.expectRevert(
            abi.encodeWithSelector(
                IWorkerStaking.MinimumStakeOutOfBounds.selector, config.minimumStake
            )
        );
        new WorkerStaking(config);
    }

    function _expectPenaltyOutOfBounds(StakingConfig memory config) private {
        vm.expectRevert(
            abi.encodeWithSelector(IWorkerStaking.SlashBpsOutOfBounds.selector, config.slashBps)
        );
        new WorkerStaking(config);
    }
}
