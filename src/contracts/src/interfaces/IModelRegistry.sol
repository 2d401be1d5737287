// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev Unknown → Listed ⇄ Retiring → Retired. New ones go to the end: readers keep the
/// order.
enum ModelStatus {
    Unknown,
    Listed,
    Retiring,
    Retired
}

/// @dev What never changes about a model.
/// @param id as requests name it
/// @param parameters size as people write it: `70B`
/// @param publisher who made it
/// @param contextWindow largest accepted context, prompt and answer together, in tokens
/// @param tier by its number; what a tier costs is the escrow's to say
struct ModelSpec {
    string id;
    string parameters;
    string publisher;
    uint32 contextWindow;
    uint8 tier;
}

/// @param retiresAt block time from which the model is retired; zero while nobody wants that
struct Model {
    ModelSpec spec;
    uint40 listedAt;
    uint40 retiresAt;
}

/// @notice Which models exist, and until when. An id stays valid until a vote has retired it and
/// the notice has run out; a retired id never returns.
interface IModelRegistry {
    /// @param key hash of the id
    event ModelListed(bytes32 indexed key, ModelSpec spec);
    event RetirementAnnounced(bytes32 indexed key, string id, uint40 retiresAt);
    event RetirementCancelled(bytes32 indexed key, string id);

    error ZeroAddress();
    error NoticeOutOfBounds(uint40 noticeSeconds);
    /// @dev A text is empty, too long, or not all printable ASCII without spaces.
    error BadText(string text, uint256 maximumBytes);
    error UnknownTier(uint8 tier);
    error ZeroContextWindow();
    error AlreadyListed(string id);
    /// @dev Needs a model that is listed and not on its way out, or one that is on its way out.
    error WrongStatus(string id, ModelStatus status);

    /// @notice Adds a model. By a lister, or by governance.
    function list(ModelSpec calldata spec) external;

    /// @notice Announces that a model ends after the notice. By governance only.
    function retire(string calldata id) external;

    /// @notice Takes that back while the notice runs. By governance only.
    function cancelRetirement(string calldata id) external;

    function statusOf(string calldata id) external view returns (ModelStatus);

    /// @notice Whether a model was retired and its notice has run out.
    function isRetired(string calldata id) external view returns (bool);

    /// @notice What is known of a model. Empty, with `listedAt` zero, when it was never listed.
    function model(string calldata id) external view returns (Model memory);

    function modelCount() external view returns (uint256);

    /// @notice Models in the order of their listing, retired ones included: at most `count`, from
    /// number `start` on. Shorter where the list ends.
    function models(uint256 start, uint256 count) external view returns (Model[] memory);
}
