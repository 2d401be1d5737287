// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC20Errors } from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import { ERC20Votes } from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import { Test } from "forge-std/Test.sol";

import { RCompute } from "../../src/RCompute.sol";

contract RComputeTest is Test {
    uint256 private constant SUPPLY = 1_000_000_000e18;

    address private holder = makeAddr("holder");
    address private bob = makeAddr("bob");
    RCompute private token;

    function setUp() public {
        vm.warp(1_780_000_000);
        token = new RCompute(holder, SUPPLY);
    }

    function test_refusesNobodyAsHolder() public {
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InvalidReceiver.selector, address(0))
        );
        new RCompute(address(0), SUPPLY);
    }

    function test_refusesMoreThanAStakeCanHold() public {
        uint256 most = type(uint96).max;
        vm.expectRevert(
            abi.encodeWithSelector(ERC20Votes.ERC20ExceededSafeSupply.selector, most + 1, most)
        );
        new RCompute(holder, most + 1);
    }

    function test_mintsOnceToTheHolder() public view {
        assertEq(token.totalSupply(), SUPPLY);
        assertEq(token.balanceOf(holder), SUPPLY);
        assertEq(token.name(), "RCompute");
        assertEq(token.symbol(), "RCOMPUTE");
        assertEq(token.decimals(), 18);
    }

    /// @dev Blocks may stand still or race; votes go by the clock.
    function testFuzz_countsVotesByTheClock(uint256 amount, uint64 blocks, uint256 wait) public {
        amount = bound(amount, 1, SUPPLY);
        vm.prank(holder);
        assertTrue(token.transfer(bob, amount));
        assertEq(token.getVotes(bob), 0, "not before it is delegated");
        vm.prank(bob);
        token.delegate(bob);

        uint256 delegatedAt = vm.getBlockTimestamp();
        skip(bound(wait, 1, 365 days));
        vm.roll(bound(blocks, 1, type(uint64).max));
        assertEq(token.clock(), vm.getBlockTimestamp());
        assertEq(token.CLOCK_MODE(), "mode=timestamp");
        assertEq(token.getVotes(bob), amount);
        assertEq(token.getPastVotes(bob, delegatedAt), amount);
        assertEq(token.getPastVotes(bob, delegatedAt - 1), 0);
    }

    function testFuzz_burningMakesLess(uint256 amount) public {
        amount = bound(amount, 0, SUPPLY);
        vm.startPrank(holder);
        token.delegate(holder);
        token.burn(amount);
        assertEq(token.totalSupply(), SUPPLY - amount);
        assertEq(token.getVotes(holder), SUPPLY - amount);
        skip(1);
        assertEq(token.getPastTotalSupply(block.timestamp - 1), SUPPLY - amount);
    }

    function testFuzz_permits(uint256 amount) public {
        (address owner, uint256 key) = makeAddrAndKey("owner");
        uint256 deadline = block.timestamp;
        bytes32 typeHash = keccak256(
            "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
        );
        bytes32 statement = keccak256(abi.encode(typeHash, owner, bob, amount, 0, deadline));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(
            key, keccak256(abi.encodePacked("\x19\x01", token.DOMAIN_SEPARATOR(), statement))
        );
        token.permit(owner, bob, amount, deadline, v, r, s);
        assertEq(token.allowance(owner, bob), amount);
        assertEq(token.nonces(owner), 1);
    }
}
