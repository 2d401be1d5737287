// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev Prices in credits of one tier.
struct TierPrice {
    uint32 perRequest;
    uint32 per1kTokens;
}

/// @dev Four tiers of 64 bits each, tier 0 lowest: `per1kTokens << 32 | perRequest`. One word, so
/// that a contract can hold it as an immutable and price a job without reading storage.
type PriceTable is uint256;

using PriceTableLib for PriceTable global;

library PriceTableLib {
    uint256 internal constant TIERS = 4;
    uint64 internal constant FLAT_PRICE_TOKENS = 500;

    error UnknownTier(uint8 tier);
    error ZeroPrice(uint256 tier);

    function pack(TierPrice[4] memory prices) internal pure returns (PriceTable) {
        uint256 packed;
        for (uint256 tier; tier < TIERS; ++tier) {
            require(prices[tier].perRequest != 0, ZeroPrice(tier));
            packed |= (uint256(prices[tier].per1kTokens) << 32 | prices[tier].perRequest)
                << (64 * tier);
        }
        return PriceTable.wrap(packed);
    }

    function has(PriceTable, uint8 tier) internal pure returns (bool) {
        return tier < TIERS;
    }

    /// @notice The flat price up to and including 500 tokens; above it every started credit counts.
    function priceOf(PriceTable table, uint8 tier, uint32 outputTokens)
        internal
        pure
        returns (uint64)
    {
        require(tier < TIERS, UnknownTier(tier));
        // casting to 'uint64' is safe because it cuts out the 64 bits of the tier
        // forge-lint: disable-next-line(unsafe-typecast)
        uint64 prices = uint64(PriceTable.unwrap(table) >> (64 * uint256(tier)));
        uint64 perRequest = prices & type(uint32).max;
        uint64 per1kTokens = prices >> 32;
        if (outputTokens <= FLAT_PRICE_TOKENS) return perRequest;
        // Factors of 32 bits: the product fits 64.
        return perRequest + ((outputTokens - FLAT_PRICE_TOKENS) * per1kTokens + 999) / 1000;
    }
}
