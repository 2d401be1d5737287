// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { JobEscrow } from "../src/JobEscrow.sol";
import { IWorkerStaking } from "../src/interfaces/IWorkerStaking.sol";
import { Authorization, IEscrowAccounts } from "../src/interfaces/IEscrowAccounts.sol";
import { IJobEscrow, JobStatus, SettleItem, SkipReason } from "../src/interfaces/IJobEscrow.sol";
import { MoneyBase } from "./MoneyBase.sol";

/// @notice A signature counts on one chain and one contract, also after a fork of the chain.
contract ReplayTest is MoneyBase {
    uint256 private constant OTHER_CHAIN = 424_242;

    bytes32 private jobId = _jobId(1);

    function setUp() public override {
        super.setUp();
        _lock(jobId, alice, 40, MAX);
    }

    function test_completionOfThisChainFailsOnAFork() public {
        SettleItem memory item = _completion(jobId, 1);
        vm.chainId(OTHER_CHAIN);
        _expectBadSignature(item);

        // Signed anew for the fork it counts there: the domain follows the chain id.
        _settle(_completion(jobId, 1));
        _assertStatus(jobId, JobStatus.Settled);
    }

    function test_completionOfAnotherChainFailsHere() public {
        SettleItem memory item = _completion(jobId, 1);
        (item.r, item.vs) = vm.signCompact(workerKey, _completionDigest(item, OTHER_CHAIN));
        _expectBadSignature(item);
    }

    function test_completionOfAnotherEscrowFailsHere() public {
        SettleItem memory item = _completion(jobId, 1);
        escrow = new JobEscrow(_config());
        _fund(alice, 100);
        _lock(jobId, alice, 40, MAX);
        _expectBadSignature(item);
    }

    function test_registrationOfThisChainFailsOnAFork() public {
        uint256 key = uint256(keccak256("third worker"));
        address signer = vm.addr(key);
        bytes memory signature = _signRegistration(key, signer, payee);

        vm.chainId(OTHER_CHAIN);
        vm.expectRevert(IWorkerStaking.BadSignature.selector);
        staking.register(signer, payee, signature);

        assertEq(staking.register(signer, payee, _signRegistration(key, signer, payee)), 3);
    }

    function test_voucherOfThisChainFailsOnAFork() public {
        bytes memory voucher = _voucher(alice, alice, 100, block.timestamp);
        vm.chainId(OTHER_CHAIN);
        vm.expectRevert(IEscrowAccounts.BadVoucher.selector);
        _withdraw(voucher);

        _withdraw(_voucher(alice, alice, 100, block.timestamp));
        assertEq(token.balanceOf(alice), 100 * UNITS);
    }

    function test_voucherOfAnotherEscrowFailsHere() public {
        bytes memory voucher = _voucher(alice, alice, 100, block.timestamp);
        escrow = new JobEscrow(_config());
        _fund(alice, 100);
        vm.expectRevert(IEscrowAccounts.BadVoucher.selector);
        _withdraw(voucher);
    }

    function test_walletsSignatureOfThisChainFailsOnAFork() public {
        _fund(carol, 100);
        uint256 deadline = block.timestamp;
        bytes memory signature = _signWithdrawal(carolKey, carol, carol, 100, deadline);
        vm.chainId(OTHER_CHAIN);
        bytes memory voucher = _voucher(carol, carol, 100, deadline);
        vm.expectRevert(abi.encodeWithSelector(IEscrowAccounts.BadWalletSignature.selector, carol));
        escrow.withdrawFor(carol, 100, carol, deadline, signature, voucher);
    }

    function test_authorizationOfThisChainFailsOnAFork() public {
        token.mint(carol, 100 * UNITS);
        Authorization memory authorization = _authorize(carolKey, carol, 100, "salt");
        vm.chainId(OTHER_CHAIN);
        vm.expectRevert();
        escrow.depositWithAuthorization(carol, carol, 100, authorization);
    }

    function test_permitOfThisChainFailsOnAFork() public {
        token.mint(carol, 100 * UNITS);
        Signature memory permit = _permit(carolKey, 100 * UNITS, block.timestamp);
        vm.chainId(OTHER_CHAIN);
        vm.expectRevert();
        vm.prank(carol);
        escrow.depositWithPermit(carol, 100, block.timestamp, permit.v, permit.r, permit.s);
    }

    function _withdraw(bytes memory voucher) private {
        vm.prank(alice);
        escrow.withdraw(100, alice, block.timestamp, voucher);
    }

    function _expectBadSignature(SettleItem memory item) private {
        vm.expectEmit(address(escrow));
        emit IJobEscrow.JobSkipped(jobId, uint8(SkipReason.BadSignature));
        _settle(item);
        _assertStatus(jobId, JobStatus.Locked);
    }
}
