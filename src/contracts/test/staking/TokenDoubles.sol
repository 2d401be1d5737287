// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @dev Keeps a hundredth of each transfer.
contract FeeToken is ERC20("Fee", "FEE") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from != address(0) && to != address(0)) super._update(to, address(0), value / 100);
    }
}

/// @dev Says that it has paid, and has not.
contract LyingToken is ERC20("Lying", "LIE") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function transferFrom(address, address, uint256) public pure override returns (bool) {
        return true;
    }
}

/// @dev Makes one call of its choice in the middle of a transfer.
contract CallingToken is ERC20("Calling", "CALL") {
    address private _target;
    bytes private _call;

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function callOnTransfer(address target, bytes calldata data) external {
        (_target, _call) = (target, data);
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (_target == address(0)) return;
        address target = _target;
        _target = address(0);
        (bool done, bytes memory result) = target.call(_call);
        if (done) return;
        assembly ("memory-safe") {
            revert(add(result, 32), mload(result))
        }
    }
}
