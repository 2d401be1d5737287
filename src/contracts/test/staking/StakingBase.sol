// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Test } from "forge-std/Test.sol";

import { RCompute } from "../../src/RCompute.sol";
import { StakingConfig } from "../../src/StakingState.sol";
import { WorkerStaking } from "../../src/WorkerStaking.sol";
import {
    IEscrowOfWorkers,
    SignedCompletion,
    SlashReason,
    Worker
} from "../../src/interfaces/IWorkerStaking.sol";
import { IWorkerTerms } from "../../src/interfaces/IWorkerTerms.sol";

/// @dev What staking needs of an escrow: its address, and that it knows these workers.
contract EscrowDouble is IEscrowOfWorkers {
    IWorkerTerms public immutable WORKERS;

    constructor(IWorkerTerms workers) {
        WORKERS = workers;
    }
}

/// @notice A staking contract with its escrow, two workers, and somebody with all of the tokens.
abstract contract StakingBase is Test {
    uint256 internal constant SUPPLY = 1_000_000_000e18;
    uint96 internal constant MINIMUM = 1_000e18;
    uint16 internal constant SLASH_BPS = 1_000;
    uint40 internal constant UNBONDING = 7 days;

    address internal admin = makeAddr("admin");
    address internal holder = makeAddr("holder");
    address internal payee = makeAddr("payee");
    address internal stranger = makeAddr("stranger");

    uint256 internal workerKey = uint256(keccak256("worker"));
    uint256 internal otherWorkerKey = uint256(keccak256("other worker"));
    address internal signer = vm.addr(workerKey);

    RCompute internal token;
    WorkerStaking internal staking;
    address internal escrow;
    uint32 internal workerId;
    uint32 internal otherWorkerId;

    function setUp() public virtual {
        vm.warp(1_780_000_000);
        token = new RCompute(holder, SUPPLY);
        staking = new WorkerStaking(_config());
        escrow = address(new EscrowDouble(staking));
        vm.prank(admin);
        staking.setEscrow(escrow);
        workerId = _register(workerKey, payee);
        otherWorkerId = _register(otherWorkerKey, payee);
    }

    function _config() internal view returns (StakingConfig memory) {
        return StakingConfig(token, admin, MINIMUM, SLASH_BPS);
    }

    /* ACTS */

    function _register(uint256 key, address to) internal returns (uint32) {
        bytes32 statement = keccak256(
            abi.encode(keccak256("Registration(address signer,address payee)"), vm.addr(key), to)
        );
        return staking.register(vm.addr(key), to, _sign(key, statement));
    }

    function _stake(uint32 id, uint256 amount) internal {
        vm.startPrank(holder);
        token.approve(address(staking), amount);
        staking.stake(id, amount);
        vm.stopPrank();
    }

    function _requestUnstake(uint256 amount) internal {
        vm.prank(signer);
        staking.requestUnstake(workerId, amount);
    }

    function _deactivate() internal {
        vm.prank(signer);
        staking.deactivate(workerId);
    }

    function _slash(uint32 id, bytes32 jobId) internal returns (uint256) {
        vm.prank(escrow);
        return staking.slash(id, jobId, SlashReason.FraudulentProof);
    }

    /* SIGNATURES, written out anew so that the contracts are checked against the standard */

    /// @dev Over a statement to the staking contract itself.
    function _sign(uint256 key, bytes32 statement) internal view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(
            key, _typedDigest("WorkerStaking", address(staking), block.chainid, statement)
        );
        return abi.encodePacked(r, s, v);
    }

    function _completion(uint256 key, bytes32 jobId, bytes32 outputHash, uint32 outputTokens)
        internal
        view
        returns (SignedCompletion memory)
    {
        return _completionFor(escrow, block.chainid, key, jobId, outputHash, outputTokens);
    }

    function _completionFor(
        address escrow_,
        uint256 chainId,
        uint256 key,
        bytes32 jobId,
        bytes32 outputHash,
        uint32 outputTokens
    ) internal view returns (SignedCompletion memory completion) {
        completion.outputHash = outputHash;
        completion.outputTokens = outputTokens;
        completion.completedAt = uint40(block.timestamp);
        bytes32 statement = keccak256(
            abi.encode(
                keccak256(
                    "Completion(bytes32 jobId,bytes32 outputHash,uint32 outputTokens,uint40 completedAt)"
                ),
                jobId,
                outputHash,
                outputTokens,
                completion.completedAt
            )
        );
        (completion.r, completion.vs) =
            vm.signCompact(key, _typedDigest("JobEscrow", escrow_, chainId, statement));
    }

    function _typedDigest(
        string memory name,
        address verifyingContract,
        uint256 chainId,
        bytes32 statement
    ) internal pure returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256(
                    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
                ),
                keccak256(bytes(name)),
                keccak256("1"),
                chainId,
                verifyingContract
            )
        );
        return keccak256(abi.encodePacked("\x19\x01", domain, statement));
    }

    /* CHECKS */

    function _assertStake(uint32 id, uint256 active, uint256 unbonding) internal view {
        Worker memory worker = staking.workers(id);
        assertEq(worker.active, active, "active");
        assertEq(worker.unbonding, unbonding, "unbonding");
    }

    function _isStaked(uint32 id) internal view returns (bool staked) {
        (,, staked) = staking.terms(id);
    }

    /// @dev What one fault should cost, from the rule and not from the contract.
    function _penalty(uint256 stakeOfWorker) internal pure returns (uint256) {
        uint256 whole = stakeOfWorker * SLASH_BPS / 10_000;
        return whole * 10_000 == stakeOfWorker * SLASH_BPS ? whole : whole + 1;
    }
}
