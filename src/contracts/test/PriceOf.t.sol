// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { EscrowConfig } from "../src/EscrowState.sol";
import { JobEscrow } from "../src/JobEscrow.sol";
import { PriceTableLib, TierPrice } from "../src/libraries/PriceTable.sol";
import { BaseTest } from "./BaseTest.sol";

contract PriceOfTest is BaseTest {
    function testFuzz_refusesUnknownTier(uint8 tier) public {
        tier = uint8(bound(tier, 4, type(uint8).max));
        vm.expectRevert(abi.encodeWithSelector(PriceTableLib.UnknownTier.selector, tier));
        escrow.priceOf(tier, 1);
    }

    function test_isFlatUpTo500Tokens() public view {
        uint64[4] memory flat = [uint64(2), 8, 18, 40];
        for (uint8 tier; tier < 4; ++tier) {
            assertEq(escrow.priceOf(tier, 0), flat[tier]);
            assertEq(escrow.priceOf(tier, 500), flat[tier]);
            assertEq(escrow.priceOf(tier, 501), flat[tier] + 1);
        }
    }

    function test_countsStartedCreditsAbove500Tokens() public view {
        assertEq(escrow.priceOf(LITE, 1_500), 3);
        assertEq(escrow.priceOf(LITE, 1_501), 4);
        assertEq(escrow.priceOf(STANDARD, 750), 9);
        assertEq(escrow.priceOf(STANDARD, 751), 10);
        assertEq(escrow.priceOf(PRO, 1_500), 27);
        assertEq(escrow.priceOf(MAX, 550), 41);
        assertEq(escrow.priceOf(MAX, 551), 42);
        assertEq(escrow.priceOf(MAX, 128_500), 2_600);
    }

    function testFuzz_followsTheRule(uint8 tier, uint32 outputTokens) public view {
        tier = uint8(bound(tier, LITE, MAX));
        TierPrice memory price = _config().prices[tier];
        assertEq(
            escrow.priceOf(tier, outputTokens),
            _expectedPrice(price.perRequest, price.per1kTokens, outputTokens)
        );
    }

    /// @dev Tiers share one word: none may leak into another, at any price.
    function testFuzz_keepsAnyPriceTable(uint32[8] memory numbers, uint32 outputTokens) public {
        EscrowConfig memory config = _config();
        for (uint256 tier; tier < 4; ++tier) {
            config.prices[tier] =
                TierPrice(uint32(bound(numbers[tier], 1, type(uint32).max)), numbers[tier + 4]);
        }
        JobEscrow other = new JobEscrow(config);
        for (uint8 tier; tier < 4; ++tier) {
            assertEq(
                other.priceOf(tier, outputTokens),
                _expectedPrice(
                    config.prices[tier].perRequest, config.prices[tier].per1kTokens, outputTokens
                )
            );
        }
    }
}
