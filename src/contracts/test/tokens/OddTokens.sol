// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { DevUsdg } from "../../src/dev/DevUsdg.sol";

/// @dev Keeps one unit of every transfer.
contract FeeToken is DevUsdg {
    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from != address(0)) super._update(to, address(this), 1);
    }
}

/// @dev Calls somebody from within every transfer, with what it was told to say.
contract ReenteringToken is DevUsdg {
    address private _target;
    bytes private _data;
    /// @dev What the call came to.
    bool public called;
    bool public succeeded;
    bytes public answer;

    function reenter(address target, bytes calldata data) external {
        (_target, _data, called) = (target, data, false);
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (_target == address(0) || called) return;
        called = true;
        (succeeded, answer) = _target.call(_data);
    }
}

/// @dev Moves nothing and says so, as tokens of the first days do.
contract FalseToken is DevUsdg {
    bool public refusing;

    function refuse(bool yes) external {
        refusing = yes;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        return refusing ? false : super.transfer(to, value);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        return refusing ? false : super.transferFrom(from, to, value);
    }
}

/// @dev Its issuer can freeze a holder, or everybody.
contract FreezableToken is DevUsdg {
    mapping(address => bool) public frozen;
    bool public stopped;

    error Frozen();

    function freeze(address holder, bool yes) external {
        frozen[holder] = yes;
    }

    function stop(bool yes) external {
        stopped = yes;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (stopped || frozen[from] || frozen[to]) revert Frozen();
        super._update(from, to, value);
    }
}

/// @dev Knows transfers and approvals, and none of the newer ways to sign them.
contract PlainToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function approve(address spender, uint256 value) external {
        allowance[msg.sender][spender] = value;
    }

    /// @dev No answer at all, as some tokens give.
    function transfer(address to, uint256 value) external {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
    }

    function transferFrom(address from, address to, uint256 value) external {
        allowance[from][msg.sender] -= value;
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }
}

/// @dev Takes any other call too, does nothing and says nothing, as wrapped coins do.
contract SilentToken is PlainToken {
    fallback() external { }
}
