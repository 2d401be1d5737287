// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Test } from "forge-std/Test.sol";
import { stdError } from "forge-std/StdError.sol";

import { HeldUnits, HeldUnitsLib } from "../src/libraries/HeldUnits.sol";

contract HeldUnitsTest is Test {
    using HeldUnitsLib for HeldUnits;

    function testFuzz_stays(HeldUnits memory held) public pure {
        HeldUnits memory rolled = abi.decode(abi.encode(held), (HeldUnits));
        rolled.rollTo(held.window);
        assertEq(keccak256(abi.encode(rolled)), keccak256(abi.encode(held)));
    }

    function testFuzz_goesOnByOneWindow(uint64 latest, uint64 previous, uint64 due, uint32 window)
        public
        pure
    {
        vm.assume(window != type(uint32).max);
        HeldUnits memory held = HeldUnits(latest, previous, due, window);
        held.rollTo(window + 1);
        _assertHeld(held, 0, latest, uint256(due) + previous, window + 1);
    }

    function testFuzz_goesOnByMore(
        uint64 latest,
        uint64 previous,
        uint64 due,
        uint32 window,
        uint32 to
    ) public pure {
        window = uint32(bound(window, 0, type(uint32).max - 2));
        to = uint32(bound(to, window + 2, type(uint32).max));
        HeldUnits memory held = HeldUnits(latest, previous, due, window);
        held.rollTo(to);
        _assertHeld(held, 0, 0, uint256(due) + previous + latest, to);
    }

    function testFuzz_takesFromTheWindowItWasEarnedIn(uint64 latest, uint64 previous, uint64 units)
        public
        pure
    {
        units = uint64(bound(units, 0, latest < previous ? latest : previous));
        HeldUnits memory held = HeldUnits(latest, previous, 7, 100);
        held.take(100, units);
        _assertHeld(held, latest - units, previous, 7, 100);
        held.take(99, units);
        _assertHeld(held, latest - units, previous - units, 7, 100);
        assertEq(held.total(), uint256(latest) + previous - 2 * uint256(units) + 7);
    }

    function test_refusesToTakeMoreThanItHolds() public {
        vm.expectRevert(stdError.arithmeticError);
        this.takeTooMuch(100);
        vm.expectRevert(stdError.arithmeticError);
        this.takeTooMuch(99);
    }

    function takeTooMuch(uint32 window) external pure {
        HeldUnits memory held = HeldUnits(5, 6, 1_000, 100);
        held.take(window, 7);
    }

    /// @dev Nothing is made and nothing is lost on the way, and nothing is due before its time.
    function testFuzz_keepsAll(uint64[10] memory earned, uint8[10] memory waits) public pure {
        HeldUnits memory held;
        uint256[] memory earnedIn = new uint256[](10);
        uint32 window = 1_000;
        uint256 all;
        for (uint256 i; i < earned.length; ++i) {
            window += waits[i] % 4;
            held.rollTo(window);
            held.latest += earned[i];
            earnedIn[i] = window;
            all += earned[i];
            assertEq(held.total(), all);
            uint256 due;
            for (uint256 j; j <= i; ++j) {
                if (earnedIn[j] + 1 < window) due += earned[j];
            }
            assertEq(held.due, due);
        }
    }

    function _assertHeld(
        HeldUnits memory held,
        uint256 latest,
        uint256 previous,
        uint256 due,
        uint256 window
    ) private pure {
        assertEq(held.latest, latest, "latest");
        assertEq(held.previous, previous, "previous");
        assertEq(held.due, due, "due");
        assertEq(held.window, window, "window");
    }
}
