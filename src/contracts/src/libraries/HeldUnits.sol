// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev Token units earned, in one word. Time runs in windows as long as a dispute may be opened:
/// what was earned in the window that runs, or in the one before, can still be contested.
/// @param latest earned in `window`
/// @param previous earned in the window before it
/// @param due earned earlier, or found right by a dispute
/// @param window number of the latest window that was looked at
struct HeldUnits {
    uint72 latest;
    uint72 previous;
    uint80 due;
    uint32 window;
}

using HeldUnitsLib for HeldUnits global;

library HeldUnitsLib {
    /// @notice Goes on to `window`, the one that runs now: what earlier ones leave behind is due.
    function rollTo(HeldUnits memory held, uint32 window) internal pure {
        uint32 passed = window - held.window;
        if (passed == 0) return;
        held.due += held.previous;
        if (passed == 1) {
            held.previous = held.latest;
        } else {
            held.due += held.latest;
            held.previous = 0;
        }
        held.latest = 0;
        held.window = window;
    }

    /// @notice Takes back what was earned in `window`, which must be the one that runs or the one
    /// before.
    function take(HeldUnits memory held, uint32 window, uint64 units) internal pure {
        if (window == held.window) held.latest -= units;
        else held.previous -= units;
    }

    /// @notice All that is earned and not paid.
    function total(HeldUnits memory held) internal pure returns (uint256) {
        return uint256(held.latest) + held.previous + held.due;
    }
}
