// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { TimelockController } from "@openzeppelin/contracts/governance/TimelockController.sol";
import { Test } from "forge-std/Test.sol";

import { ComputeGovernor, GovernorConfig } from "../../src/ComputeGovernor.sol";
import { ModelRegistry } from "../../src/ModelRegistry.sol";
import { RCompute } from "../../src/RCompute.sol";
import { ModelSpec, ModelStatus } from "../../src/interfaces/IModelRegistry.sol";

/// @notice Token, governor, timelock and registry with one listed model, and three who hold tokens.
abstract contract GovernanceBase is Test {
    uint256 internal constant SUPPLY = 1_000_000_000e18;
    uint256 internal constant THRESHOLD = SUPPLY / 1_000;
    uint256 internal constant QUORUM_PERCENT = 4;
    uint48 internal constant VOTING_DELAY = 1 days;
    uint32 internal constant VOTING_PERIOD = 7 days;
    uint256 internal constant TIMELOCK = 2 days;
    uint40 internal constant NOTICE = 30 days;
    string internal constant MODEL = "meta-llama/Llama-3.3-70B-Instruct";

    address internal holder = makeAddr("holder");
    address internal alice = makeAddr("alice");
    address internal bob = makeAddr("bob");
    address internal lister = makeAddr("lister");
    address internal stranger = makeAddr("stranger");

    RCompute internal token;
    ComputeGovernor internal governor;
    TimelockController internal timelock;
    ModelRegistry internal registry;

    function setUp() public virtual {
        vm.warp(1_780_000_000);
        token = new RCompute(holder, SUPPLY);
        governor = new ComputeGovernor(_config());
        timelock = TimelockController(payable(governor.timelock()));
        registry = new ModelRegistry(address(timelock), lister, NOTICE);
        _list(MODEL);
    }

    function _config() internal view returns (GovernorConfig memory) {
        return GovernorConfig({
            token: token,
            votingDelaySeconds: VOTING_DELAY,
            votingPeriodSeconds: VOTING_PERIOD,
            proposalThreshold: THRESHOLD,
            quorumPercent: QUORUM_PERCENT,
            timelockSeconds: TIMELOCK
        });
    }

    function _spec(string memory id) internal pure returns (ModelSpec memory) {
        return ModelSpec({
            id: id, parameters: "70B", publisher: "meta-llama", contextWindow: 131_072, tier: 3
        });
    }

    function _list(string memory id) internal {
        vm.prank(lister);
        registry.list(_spec(id));
    }

    function _retire(string memory id) internal {
        vm.prank(address(timelock));
        registry.retire(id);
    }

    function _cancelRetirement(string memory id) internal {
        vm.prank(address(timelock));
        registry.cancelRetirement(id);
    }

    function _assertStatus(string memory id, ModelStatus status) internal view {
        assertEq(uint8(registry.statusOf(id)), uint8(status), "status");
        assertEq(registry.isRetired(id), status == ModelStatus.Retired, "retired");
    }
}
