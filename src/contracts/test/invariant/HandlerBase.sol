// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { EscrowConfig } from "../../src/EscrowState.sol";
import { MoneyBase } from "../MoneyBase.sol";
import { EscrowAuditor } from "./EscrowAuditor.sol";

/// @notice One escrow with four wallets and three workers, and an auditor that hears everything.
abstract contract HandlerBase is MoneyBase {
    /// @dev Low enough for a random life to reach it.
    uint64 internal constant CAP_MAX = 3_000;

    EscrowAuditor public auditor;
    address[] public wallets;
    uint256[] internal _walletKeys;
    uint256[] public workerKeys;
    uint256 public donatedUnits;

    function setUp() public virtual override {
        auditor = new EscrowAuditor();
        vm.recordLogs();
        super.setUp();
        string[4] memory names = ["alice", "bob", "carol", "dave"];
        for (uint256 i; i < names.length; ++i) {
            (address wallet, uint256 key) = makeAddrAndKey(names[i]);
            wallets.push(wallet);
            _walletKeys.push(key);
            _fund(wallet, 1_000);
        }
        workerKeys = [workerKey, otherWorkerKey, uint256(keccak256("third worker"))];
        _register(workerKeys[2], payee);
        _audit();
    }

    function _config() internal view override returns (EscrowConfig memory config) {
        config = super._config();
        config.settleCapMax = CAP_MAX;
    }

    function walletCount() external view returns (uint256) {
        return wallets.length;
    }

    function workerCount() external view returns (uint256) {
        return workerKeys.length;
    }

    function world() external view returns (address, address) {
        return (address(escrow), address(token));
    }

    function _audit() internal {
        auditor.take(vm.getRecordedLogs(), address(escrow));
    }

    function _wallet(uint256 seed) internal view returns (address) {
        return wallets[seed % wallets.length];
    }

    function _random(uint256 seed, uint256 i) internal pure returns (uint256) {
        return uint256(keccak256(abi.encode(seed, i)));
    }
}
