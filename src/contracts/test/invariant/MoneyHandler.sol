// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { SafeCast } from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import { Authorization } from "../../src/interfaces/IEscrowAccounts.sol";
import { HandlerBase } from "./HandlerBase.sol";

/// @notice Everybody who brings money or takes it out, and those who set limits. What the rules
/// allow must succeed and what they forbid must fail, as the auditor's books tell beforehand.
abstract contract MoneyHandler is HandlerBase {
    using SafeCast for uint256;

    /* IN */

    function deposit(uint256 walletSeed, uint64 credits) external {
        credits = _purchase(credits);
        token.mint(address(this), credits * UNITS);
        token.approve(address(escrow), credits * UNITS);
        _expect(
            address(this),
            !auditor.paused(),
            abi.encodeCall(escrow.deposit, (_wallet(walletSeed), credits))
        );
    }

    /// @dev Every other permit has been brought by somebody else already.
    function depositWithPermit(uint256 payerSeed, uint256 walletSeed, uint64 credits, bool front)
        external
    {
        credits = _purchase(credits);
        address payer = _wallet(payerSeed);
        token.mint(payer, credits * UNITS);
        uint256 deadline = block.timestamp;
        Signature memory permit = _permit(_keyOf(payerSeed), credits * UNITS, deadline);
        (uint8 v, bytes32 r, bytes32 s) = (permit.v, permit.r, permit.s);
        if (front) token.permit(payer, address(escrow), credits * UNITS, deadline, v, r, s);
        bytes memory data = abi.encodeCall(
            escrow.depositWithPermit, (_wallet(walletSeed), credits, deadline, v, r, s)
        );
        _expect(payer, !auditor.paused(), data);
    }

    function depositWithAuthorization(
        uint256 payerSeed,
        uint256 walletSeed,
        uint64 credits,
        bytes32 salt
    ) external {
        credits = _purchase(credits);
        (address payer, address wallet) = (_wallet(payerSeed), _wallet(walletSeed));
        if (token.authorizationState(payer, escrow.authorizationNonce(wallet, salt))) return;
        token.mint(payer, credits * UNITS);
        Authorization memory signed = _authorize(_keyOf(payerSeed), wallet, credits, salt);
        _expect(
            address(this),
            !auditor.paused(),
            abi.encodeCall(escrow.depositWithAuthorization, (payer, wallet, credits, signed))
        );
    }

    /// @dev With dust, and with less than can be bought.
    function sweep(uint256 walletSeed, uint256 units) external {
        address wallet = _wallet(walletSeed);
        address at = escrow.depositAddress(wallet);
        token.mint(at, bound(units, 0, 300 * UNITS));
        bool allowed = token.balanceOf(at) >= 100 * UNITS && !auditor.paused();
        _expect(address(this), allowed, abi.encodeCall(escrow.sweep, (wallet)));
        if (allowed) assertLt(token.balanceOf(at), UNITS, "more than dust stays");
    }

    function recover(uint256 walletSeed, uint256 callerSeed, uint256 units) external {
        (address wallet, address caller) = (_wallet(walletSeed), _wallet(callerSeed));
        units = bound(units, 0, token.balanceOf(escrow.depositAddress(wallet)));
        _expect(
            caller,
            caller == wallet,
            abi.encodeCall(escrow.recover, (wallet, address(token), units))
        );
    }

    function donate(uint256 units) external {
        units = bound(units, 0, 1e12);
        token.mint(address(escrow), units);
        donatedUnits += units;
    }

    /* OUT */

    /// @dev Every fourth asks for more than there is.
    function withdraw(uint256 walletSeed, uint64 credits, uint256 most) external {
        address wallet = _wallet(walletSeed);
        (uint256 available,,,,,) = auditor.accounts(wallet);
        credits = uint64(bound(credits, 1, most % 4 == 0 ? 2 * available + 1 : available + 1));
        bytes memory voucher = _voucher(wallet, wallet, credits, block.timestamp);
        bytes memory data =
            abi.encodeCall(escrow.withdraw, (credits, wallet, block.timestamp, voucher));
        uint256 before = token.balanceOf(wallet);
        if (!_expect(wallet, credits <= available, data)) return;
        assertEq(token.balanceOf(wallet), before + credits * UNITS);
        _expect(wallet, false, data);
    }

    function withdrawFor(uint256 walletSeed, uint64 credits, bool signed) external {
        address wallet = _wallet(walletSeed);
        (uint256 available,,,,,) = auditor.accounts(wallet);
        credits = uint64(bound(credits, 1, available + 1));
        bytes memory voucher = _voucher(wallet, stranger, credits, block.timestamp);
        bytes memory signature = signed
            ? _signWithdrawal(_keyOf(walletSeed), wallet, stranger, credits, block.timestamp)
            : voucher;
        _expect(
            address(this),
            signed && credits <= available,
            abi.encodeCall(
                escrow.withdrawFor, (wallet, credits, stranger, block.timestamp, signature, voucher)
            )
        );
    }

    function requestWithdrawal(uint256 walletSeed, uint64 credits) external {
        address wallet = _wallet(walletSeed);
        (uint256 available,,,,,) = auditor.accounts(wallet);
        credits = uint64(bound(credits, 1, available + 1));
        _expect(wallet, credits <= available, abi.encodeCall(escrow.requestWithdrawal, (credits)));
    }

    function cancelWithdrawal(uint256 walletSeed) external {
        address wallet = _wallet(walletSeed);
        (,, uint256 thawing,,,) = auditor.accounts(wallet);
        _expect(wallet, thawing != 0, abi.encodeCall(escrow.cancelWithdrawal, ()));
    }

    function completeWithdrawal(uint256 walletSeed) external {
        address wallet = _wallet(walletSeed);
        (,, uint256 thawing,,,) = auditor.accounts(wallet);
        // forge-lint: disable-next-line(block-timestamp)
        bool due = thawing != 0 && block.timestamp >= auditor.thawEndsAt(wallet);
        uint256 before = token.balanceOf(wallet);
        _expect(wallet, due, abi.encodeCall(escrow.completeWithdrawal, (wallet)));
        if (due) assertEq(token.balanceOf(wallet), before + thawing * UNITS);
    }

    /// @dev The auditor refuses a claim that takes what can still be disputed.
    function claim(uint256 workerSeed) external {
        uint32 id = (workerSeed % workerKeys.length + 1).toUint32();
        uint256 due = escrow.claimableEarnings(id);
        uint256 before = token.balanceOf(payee);
        _expect(address(this), due != 0, abi.encodeCall(escrow.claim, (id)));
        assertEq(token.balanceOf(payee), before + due);
    }

    function claimTreasury() external {
        uint256 due = escrow.claimableTreasury();
        uint256 before = token.balanceOf(treasury);
        _expect(address(this), due != 0, abi.encodeCall(escrow.claimTreasury, ()));
        assertEq(token.balanceOf(treasury), before + due);
    }

    /* LIMITS */

    /// @dev Rests open most of the time, or nothing else would happen.
    function pause(uint256 seed) external {
        bool paused = auditor.paused();
        if (!paused && seed % 4 != 0) return;
        vm.prank(pauser);
        if (paused) escrow.unpause();
        else escrow.pause();
        _audit();
    }

    function setSpendLimit(uint256 walletSeed, uint32 limit) external {
        vm.prank(_wallet(walletSeed));
        escrow.setSpendLimit(limit % 2 == 0 ? 0 : uint32(bound(limit, 1, 3_000)));
        _audit();
    }

    function setSettleCap(uint64 cap) external {
        vm.prank(admin);
        escrow.setSettleCap(uint64(bound(cap, CAP_MAX / 100, CAP_MAX)));
        _audit();
    }

    /* BY THE RULES */

    /// @dev Calls the escrow and wants what the rules say to happen.
    function _expect(address caller, bool allowed, bytes memory data) internal returns (bool done) {
        vm.prank(caller);
        (done,) = address(escrow).call(data);
        if (allowed) assertTrue(done, "the rules allow it");
        else assertFalse(done, "the rules forbid it");
        _audit();
    }

    function _purchase(uint64 credits) private pure returns (uint64) {
        return uint64(bound(credits, 100, 2_000));
    }

    function _keyOf(uint256 seed) private view returns (uint256) {
        return _walletKeys[seed % _walletKeys.length];
    }
}
