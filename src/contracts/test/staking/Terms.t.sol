// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { StakingBase } from "./StakingBase.sol";

/// @notice A worker earns the higher share exactly while its active stake reaches the minimum.
contract TermsTest is StakingBase {
    function testFuzz_stakedFromTheMinimumOn(uint256 amount) public {
        assertFalse(_isStaked(workerId));
        amount = bound(amount, 1, 2 * uint256(MINIMUM));
        _stake(workerId, amount);
        assertEq(_isStaked(workerId), amount >= MINIMUM);
        assertFalse(_isStaked(otherWorkerId));
    }

    function test_stakedAtTheMinimumAndNotBelow() public {
        _stake(workerId, MINIMUM - 1);
        assertFalse(_isStaked(workerId));
        _stake(workerId, 1);
        assertTrue(_isStaked(workerId));
        _requestUnstake(1);
        assertFalse(_isStaked(workerId));
    }

    function testFuzz_unbondingDoesNotCount(uint256 amount, uint256 asked) public {
        amount = bound(amount, MINIMUM, SUPPLY);
        asked = bound(asked, 1, amount);
        _stake(workerId, amount);
        _requestUnstake(asked);
        assertEq(_isStaked(workerId), amount - asked >= MINIMUM);
    }

    function testFuzz_slashCanEndIt(uint256 amount) public {
        amount = bound(amount, MINIMUM, 2 * uint256(MINIMUM));
        _stake(workerId, amount);
        _slash(workerId, "job");
        assertEq(_isStaked(workerId), amount - _penalty(amount) >= MINIMUM);
    }

    function test_endsWithTheWorker() public {
        _stake(workerId, MINIMUM);
        _deactivate();
        assertFalse(_isStaked(workerId));
    }

    function testFuzz_nobodyIsStakedBehindAnUnusedId(uint32 id) public {
        vm.assume(id != workerId && id != otherWorkerId);
        _stake(workerId, MINIMUM);
        (address signer_, address payee_, bool staked) = staking.terms(id);
        assertEq(signer_, address(0));
        assertEq(payee_, address(0));
        assertFalse(staked);
    }
}
