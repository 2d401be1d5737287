// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @dev USDG as it is seen from outside, where it differs from `DevUsdg`: its issuer pauses it and
/// freezes holders, its errors have names of their own, it says nothing of its signatures' domain
/// (ERC-5267), and an
/// authorization that was used before does nothing and reverts nothing.
contract GlobalDollar is ERC20 {
    bytes32 private constant DOMAIN_TYPE = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );
    bytes32 private constant PERMIT_TYPE = keccak256(
        "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
    );
    bytes32 private constant RECEIVE_TYPE = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );

    bool public paused;
    mapping(address => bool) public isFrozen;
    mapping(address => uint256) public nonces;
    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    error ContractPaused();
    error AddressFrozen();
    error InsufficientFunds();
    error InsufficientAllowance();
    error AuthorizationInvalid();
    error AuthorizationExpired();
    error PermitExpired();
    error InvalidSignature();
    error CallerMustBePayee();

    modifier whenNotPaused() {
        require(!paused, ContractPaused());
        _;
    }

    constructor() ERC20("Global Dollar", "USDG") { }

    /* ITS ISSUER: HERE, ANYBODY */

    function setPaused(bool yes) external {
        paused = yes;
    }

    function setFrozen(address holder, bool yes) external {
        isFrozen[holder] = yes;
    }

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    /* SIGNED */

    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external whenNotPaused {
        require(deadline >= block.timestamp, PermitExpired());
        bytes32 what =
            keccak256(abi.encode(PERMIT_TYPE, owner, spender, value, nonces[owner]++, deadline));
        require(_signerOf(what, v, r, s) == owner, InvalidSignature());
        _approve(owner, spender, value);
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external whenNotPaused {
        require(to == msg.sender, CallerMustBePayee());
        require(block.timestamp > validAfter, AuthorizationInvalid());
        require(block.timestamp < validBefore, AuthorizationExpired());
        if (authorizationState[from][nonce]) return;
        bytes32 what =
            keccak256(abi.encode(RECEIVE_TYPE, from, to, value, validAfter, validBefore, nonce));
        require(_signerOf(what, v, r, s) == from, InvalidSignature());
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        _move(from, to, value);
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(
            abi.encode(
                DOMAIN_TYPE, keccak256(bytes(name())), keccak256("1"), block.chainid, address(this)
            )
        );
    }

    /* TRANSFERS */

    function transfer(address to, uint256 value) public override whenNotPaused returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value)
        public
        override
        whenNotPaused
        returns (bool)
    {
        require(!isFrozen[msg.sender], AddressFrozen());
        uint256 allowed = allowance(from, msg.sender);
        require(value <= allowed, InsufficientAllowance());
        _approve(from, msg.sender, allowed - value);
        _move(from, to, value);
        return true;
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    /// @dev Not in its storage, so that its code can be put in the place of another token's.
    function name() public pure override returns (string memory) {
        return "Global Dollar";
    }

    function _move(address from, address to, uint256 value) private {
        require(!isFrozen[from] && !isFrozen[to], AddressFrozen());
        require(value <= balanceOf(from), InsufficientFunds());
        _transfer(from, to, value);
    }

    function _signerOf(bytes32 what, uint8 v, bytes32 r, bytes32 s) private view returns (address) {
        return ecrecover(keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), what)), v, r, s);
    }
}
