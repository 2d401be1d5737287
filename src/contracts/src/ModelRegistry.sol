// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { AccessControl } from "@openzeppelin/contracts/access/AccessControl.sol";
import { Math } from "@openzeppelin/contracts/utils/math/Math.sol";

import { IModelRegistry, Model, ModelSpec, ModelStatus } from "./interfaces/IModelRegistry.sol";
import { PriceTableLib } from "./libraries/PriceTable.sol";

/// @title ModelRegistry
/// @notice See `IModelRegistry`. Governance is whoever holds the default admin role: the timelock,
/// from the first block on.
contract ModelRegistry is IModelRegistry, AccessControl {
    bytes32 public constant LISTER_ROLE = keccak256("LISTER_ROLE");

    uint256 public constant ID_BYTES_MAX = 96;
    uint256 public constant PARAMETERS_BYTES_MAX = 16;
    uint256 public constant PUBLISHER_BYTES_MAX = 64;
    uint40 private constant NOTICE_SECONDS_MAX = 365 days;

    /// @notice From the announcement of a retirement until it takes effect.
    uint40 public immutable NOTICE_SECONDS;

    mapping(bytes32 key => Model) private _models;
    bytes32[] private _keys;

    /// @param lister may list models without a vote, until governance says otherwise; zero: nobody
    constructor(address governance, address lister, uint40 noticeSeconds) {
        require(governance != address(0), ZeroAddress());
        require(
            noticeSeconds != 0 && noticeSeconds <= NOTICE_SECONDS_MAX,
            NoticeOutOfBounds(noticeSeconds)
        );
        NOTICE_SECONDS = noticeSeconds;
        _grantRole(DEFAULT_ADMIN_ROLE, governance);
        if (lister != address(0)) _grantRole(LISTER_ROLE, lister);
    }

    /* LIST */

    /// @inheritdoc IModelRegistry
    function list(ModelSpec calldata spec) external {
        if (!hasRole(DEFAULT_ADMIN_ROLE, msg.sender)) _checkRole(LISTER_ROLE, msg.sender);
        _requireText(spec.id, ID_BYTES_MAX);
        _requireText(spec.parameters, PARAMETERS_BYTES_MAX);
        _requireText(spec.publisher, PUBLISHER_BYTES_MAX);
        require(spec.tier < PriceTableLib.TIERS, UnknownTier(spec.tier));
        require(spec.contextWindow != 0, ZeroContextWindow());
        bytes32 key = _key(spec.id);
        Model storage entry = _models[key];
        require(entry.listedAt == 0, AlreadyListed(spec.id));

        entry.spec = spec;
        entry.listedAt = _now();
        _keys.push(key);
        emit ModelListed(key, spec);
    }

    /// @dev Printable, so that no two ids look alike on a ballot by what cannot be seen.
    function _requireText(string calldata text, uint256 maximumBytes) private pure {
        uint256 length = bytes(text).length;
        bool isGood = length != 0 && length <= maximumBytes;
        for (uint256 i; isGood && i < length; ++i) {
            bytes1 letter = bytes(text)[i];
            isGood = letter > 0x20 && letter < 0x7f;
        }
        require(isGood, BadText(text, maximumBytes));
    }

    /* RETIRE */

    /// @inheritdoc IModelRegistry
    function retire(string calldata id) external onlyRole(DEFAULT_ADMIN_ROLE) {
        Model storage entry = _inStatus(id, ModelStatus.Listed);
        uint40 retiresAt = _now() + NOTICE_SECONDS;
        entry.retiresAt = retiresAt;
        emit RetirementAnnounced(_key(id), id, retiresAt);
    }

    /// @inheritdoc IModelRegistry
    function cancelRetirement(string calldata id) external onlyRole(DEFAULT_ADMIN_ROLE) {
        Model storage entry = _inStatus(id, ModelStatus.Retiring);
        entry.retiresAt = 0;
        emit RetirementCancelled(_key(id), id);
    }

    function _inStatus(string calldata id, ModelStatus wanted)
        private
        view
        returns (Model storage entry)
    {
        entry = _models[_key(id)];
        ModelStatus status = _status(entry);
        require(status == wanted, WrongStatus(id, status));
    }

    /* READ */

    /// @inheritdoc IModelRegistry
    function statusOf(string calldata id) external view returns (ModelStatus) {
        return _status(_models[_key(id)]);
    }

    /// @inheritdoc IModelRegistry
    function isRetired(string calldata id) external view returns (bool) {
        return _status(_models[_key(id)]) == ModelStatus.Retired;
    }

    /// @inheritdoc IModelRegistry
    function model(string calldata id) external view returns (Model memory) {
        return _models[_key(id)];
    }

    /// @inheritdoc IModelRegistry
    function modelCount() external view returns (uint256) {
        return _keys.length;
    }

    /// @inheritdoc IModelRegistry
    function models(uint256 start, uint256 count) external view returns (Model[] memory page) {
        uint256 left = Math.saturatingSub(_keys.length, start);
        page = new Model[](Math.min(count, left));
        for (uint256 i; i < page.length; ++i) {
            page[i] = _models[_keys[start + i]];
        }
    }

    function _status(Model storage entry) private view returns (ModelStatus) {
        if (entry.listedAt == 0) return ModelStatus.Unknown;
        if (entry.retiresAt == 0) return ModelStatus.Listed;
        return _now() < entry.retiresAt ? ModelStatus.Retiring : ModelStatus.Retired;
    }

    function _key(string calldata id) private pure returns (bytes32) {
        return keccak256(bytes(id));
    }

    function _now() private view returns (uint40) {
        // casting to 'uint40' is safe for 34 000 years
        // forge-lint: disable-next-line(unsafe-typecast)
        return uint40(block.timestamp);
    }
}
