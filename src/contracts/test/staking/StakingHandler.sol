// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { SafeCast } from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import { SignedCompletion } from "../../src/interfaces/IWorkerStaking.sol";
import { StakingBase } from "./StakingBase.sol";

/// @notice The actors of a random life of one staking contract, and what its state should then be.
/// The books are kept from the rules alone; each call must succeed exactly where they allow it.
contract StakingHandler is StakingBase {
    using SafeCast for uint256;

    struct Book {
        uint256 active;
        uint256 unbonding;
        uint256 withdrawableAt;
        uint256 stakedInAll;
        uint256 slashedInAll;
        bool left;
    }

    uint32 public constant WORKERS = 3;
    uint256 private constant JOBS = 40;

    mapping(uint32 id => Book) private _books;
    mapping(uint32 id => uint256) public keys;
    mapping(uint32 id => address[]) private _payees;
    mapping(uint32 id => mapping(bytes32 jobId => bool)) private _punished;
    uint256 public donated;
    uint256 public withdrawals;
    uint256 public slashes;
    uint256 public refusals;

    function setUp() public override {
        super.setUp();
        keys[1] = workerKey;
        keys[2] = otherWorkerKey;
        keys[3] = uint256(keccak256("third worker"));
        _register(keys[3], payee);
        for (uint32 id = 1; id <= WORKERS; ++id) {
            vm.prank(vm.addr(keys[id]));
            staking.setPayee(id, _newPayee(id));
        }
    }

    /* ACTORS */

    function stake(uint256 workerSeed, uint256 amount) external {
        uint32 id = _worker(workerSeed);
        Book storage book = _books[id];
        // Around the minimum, so that the higher share comes and goes.
        amount = bound(amount, 0, 2 * uint256(MINIMUM));
        vm.startPrank(holder);
        token.approve(address(staking), amount);
        try staking.stake(id, amount) {
            assertTrue(amount != 0 && !book.left, "staked against the rules");
            book.active += amount;
            book.stakedInAll += amount;
        } catch {
            assertTrue(amount == 0 || book.left, "stake was refused");
            ++refusals;
        }
        vm.stopPrank();
    }

    function donate(uint256 amount) external {
        amount = bound(amount, 0, MINIMUM);
        vm.prank(holder);
        assertTrue(token.transfer(address(staking), amount));
        donated += amount;
    }

    function requestUnstake(uint256 workerSeed, uint256 amount, bool byPayee) external {
        uint32 id = _worker(workerSeed);
        Book storage book = _books[id];
        amount = bound(amount, 0, book.active + book.active / 8);
        uint256 before = _paid(id);
        vm.prank(byPayee ? _payee(id) : vm.addr(keys[id]));
        try staking.requestUnstake(id, amount) {
            assertTrue(amount != 0 && amount <= book.active, "unstaked against the rules");
            _unbond(id, amount, before);
        } catch {
            assertTrue(amount == 0 || amount > book.active, "unstaking was refused");
            ++refusals;
        }
    }

    function withdraw(uint256 workerSeed) external {
        uint32 id = _worker(workerSeed);
        Book storage book = _books[id];
        uint256 before = _paid(id);
        // forge-lint: disable-next-line(block-timestamp)
        bool due = book.unbonding != 0 && block.timestamp >= book.withdrawableAt;
        vm.prank(stranger);
        try staking.withdraw(id) {
            assertTrue(due, "paid before its time");
            assertEq(_paid(id) - before, book.unbonding, "not paid whole");
            book.unbonding = 0;
            ++withdrawals;
        } catch {
            assertFalse(due, "stake could not be withdrawn");
            ++refusals;
        }
    }

    function slash(uint256 workerSeed, uint256 jobSeed) external {
        uint32 id = _worker(workerSeed);
        bytes32 jobId = _job(jobSeed);
        uint256 expected = _punish(id, jobId);
        assertEq(_slash(id, jobId), expected, "wrong penalty");
    }

    function equivocate(uint256 workerSeed, uint256 jobSeed, bytes32 hashA, bytes32 hashB)
        external
    {
        uint32 id = _worker(workerSeed);
        bytes32 jobId = _job(jobSeed);
        SignedCompletion memory a = _completion(keys[id], jobId, hashA, 1);
        SignedCompletion memory b = _completion(keys[id], jobId, hashB, 1);
        bool allowed = hashA != hashB && !_punished[id][jobId];
        vm.prank(stranger);
        try staking.slashEquivocation(id, jobId, a, b) returns (uint256 amount) {
            assertTrue(allowed, "punished against the rules");
            assertEq(amount, _punish(id, jobId), "wrong penalty");
        } catch {
            assertFalse(allowed, "a lie went free");
            ++refusals;
        }
    }

    function changePayee(uint256 workerSeed) external {
        uint32 id = _worker(workerSeed);
        vm.prank(vm.addr(keys[id]));
        staking.setPayee(id, _newPayee(id));
    }

    /// @dev Rare, because nothing much happens to a worker afterwards.
    function deactivate(uint256 workerSeed) external {
        if (workerSeed % 8 != 0) return;
        uint32 id = _worker(workerSeed >> 8);
        Book storage book = _books[id];
        if (book.left) return;
        uint256 before = _paid(id);
        vm.prank(vm.addr(keys[id]));
        staking.deactivate(id);
        book.left = true;
        if (book.active != 0) _unbond(id, book.active, before);
    }

    function warp(uint256 elapsed) external {
        skip(bound(elapsed, 1, 5 days));
    }

    /* BOOKS */

    function _unbond(uint32 id, uint256 amount, uint256 paidBefore) private {
        Book storage book = _books[id];
        // forge-lint: disable-next-line(block-timestamp)
        uint256 due = block.timestamp >= book.withdrawableAt ? book.unbonding : 0;
        assertEq(_paid(id) - paidBefore, due, "paid other than what was due");
        if (due != 0) ++withdrawals;
        book.active -= amount;
        book.unbonding = book.unbonding - due + amount;
        book.withdrawableAt = block.timestamp + UNBONDING;
    }

    function _punish(uint32 id, bytes32 jobId) private returns (uint256 penalty) {
        if (_punished[id][jobId]) return 0;
        _punished[id][jobId] = true;
        Book storage book = _books[id];
        penalty = _penalty(book.active + book.unbonding);
        uint256 fromActive = penalty < book.active ? penalty : book.active;
        book.active -= fromActive;
        book.unbonding -= penalty - fromActive;
        book.slashedInAll += penalty;
        ++slashes;
    }

    /* READ */

    function books(uint32 id) external view returns (Book memory) {
        return _books[id];
    }

    /// @notice All that a worker's payees ever received.
    function paid(uint32 id) external view returns (uint256) {
        return _paid(id);
    }

    function world() external view returns (address, address) {
        return (address(staking), address(token));
    }

    function supplyAtFirst() external pure returns (uint256) {
        return SUPPLY;
    }

    function minimum() external pure returns (uint256) {
        return MINIMUM;
    }

    function _paid(uint32 id) private view returns (uint256 units) {
        for (uint256 i; i < _payees[id].length; ++i) {
            units += token.balanceOf(_payees[id][i]);
        }
    }

    /// @dev An address of its own each time, so that what it holds was paid to this worker.
    function _newPayee(uint32 id) private returns (address made) {
        made = address(uint160(uint256(keccak256(abi.encode("payee", id, _payees[id].length)))));
        _payees[id].push(made);
    }

    function _payee(uint32 id) private view returns (address) {
        return _payees[id][_payees[id].length - 1];
    }

    function _worker(uint256 seed) private pure returns (uint32) {
        return (seed % WORKERS).toUint32() + 1;
    }

    function _job(uint256 seed) private pure returns (bytes32) {
        return keccak256(abi.encode("job", seed % JOBS));
    }
}
