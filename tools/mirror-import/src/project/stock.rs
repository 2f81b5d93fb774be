//! Components of Mirror.

/// A component of Mirror.
#[derive(Debug)]
pub(crate) struct Stock {
    /// Name of its class.
    pub(crate) name: &'static str,
    /// GUID of its script; empty for a class that is only a base.
    guid: &'static str,
    pub(crate) kind: StockKind,
}

/// Meaning of a component for an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StockKind {
    /// The mark of an object of the network.
    Identity,
    /// A `NetworkBehaviour`, which has a place among the components of its object.
    Behaviour(Counterpart),
    /// Not a `NetworkBehaviour`.
    Local,
}

/// Behaviour in Rust of a component of Mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counterpart {
    Missing,
    /// One without settings, by its path.
    Plain(&'static str),
    /// A transform, by its path.
    Transform(&'static str),
    Animator,
}

/// Path of the player in a room, the only component of Mirror from which behaviours in Rust derive.
pub(crate) const ROOM_PLAYER: &str = "syncvar::mirror::room::NetworkRoomPlayer";

/// Components of Mirror. A behaviour that `syncvar` gets is named here; its prefabs are registered then.
pub(crate) const STOCK: &[Stock] = &[
    stock(
        "NetworkIdentity",
        "9b91ecbcc199f4492b9a91e820070131",
        StockKind::Identity,
    ),
    transform(
        "NetworkTransformReliable",
        "8ff3ba0becae47b8b9381191598957c8",
        "syncvar::mirror::components::NetworkTransformReliable",
    ),
    transform(
        "NetworkTransformUnreliable",
        "a553cb17010b2403e8523b558bffbc14",
        "syncvar::mirror::components::NetworkTransformUnreliable",
    ),
    transform(
        "NetworkTransformHybrid",
        "8f63ea2e505fd484193fb31c5c55ca73",
        "syncvar::mirror::components::NetworkTransformHybrid",
    ),
    behaviour("NetworkTransformBase", ""),
    behaviour("NetworkTransform", ""),
    stock(
        "NetworkAnimator",
        "7f6f3bf89aa97405989c802ba270f815",
        StockKind::Behaviour(Counterpart::Animator),
    ),
    transform(
        "NetworkRigidbodyReliable",
        "cb803efbe62c34d7baece46c9ffebad9",
        "syncvar::mirror::components::NetworkRigidbodyReliable",
    ),
    transform(
        "NetworkRigidbodyReliable2D",
        "7ec4f7556ca1e4b55a3381fc6a02b1bc",
        "syncvar::mirror::components::NetworkRigidbodyReliable",
    ),
    transform(
        "NetworkRigidbodyUnreliable",
        "3b20dc110904e47f8a154cdcf6433eae",
        "syncvar::mirror::components::NetworkRigidbodyUnreliable",
    ),
    transform(
        "NetworkRigidbodyUnreliable2D",
        "1c7e12ad9b9ae443c9fdf37e9f5ecd36",
        "syncvar::mirror::components::NetworkRigidbodyUnreliable",
    ),
    behaviour("NetworkLerpRigidbody", ""),
    in_rust(
        "NetworkRoomPlayer",
        "79874ac94d5b1314788ecf0e86bd23fd",
        ROOM_PLAYER,
    ),
    in_rust(
        "NetworkMatch",
        "5d17e718851449a6879986e45c458fb7",
        "syncvar::mirror::interest::NetworkMatch",
    ),
    in_rust(
        "NetworkTeam",
        "2576730625b1632468cbcbfe5e721f88",
        "syncvar::mirror::interest::NetworkTeam",
    ),
    behaviour("NetworkName", "c68a5308094a8c746b26bd483c618126"),
    in_rust(
        "PredictedRigidbody",
        "d38927cdc6024b9682b5fe9778b9ef99",
        "syncvar::mirror::components::PredictedRigidbody",
    ),
    behaviour("LagCompensator", "a898831dd60c4cdfbfd9a6ea5702ed01"),
    in_rust(
        "DistanceInterestManagementCustomRange",
        "b2e242ee38a14076a39934172a19079b",
        "syncvar::mirror::interest::DistanceInterestManagementCustomRange",
    ),
    behaviour("RemoteStatistics", "ba360e4ff6b44fc6898f56322b90c6c8"),
    stock(
        "NetworkDiagnosticsDebugger",
        "bc9f0a0fe4124424b8f9d4927795ee01",
        StockKind::Local,
    ),
    stock(
        "NetworkPingDisplay",
        "bc654f29862fc2643b948f772ebb9e68",
        StockKind::Local,
    ),
    stock(
        "NetworkStartPosition",
        "41f84591ce72545258ea98cb7518d8b9",
        StockKind::Local,
    ),
    stock(
        "NetworkManager",
        "8aab4c8111b7c411b9b92cf3dbc5bd4e",
        StockKind::Local,
    ),
    stock(
        "NetworkManagerHUD",
        "6442dc8070ceb41f094e44de0bf87274",
        StockKind::Local,
    ),
];

const fn stock(name: &'static str, guid: &'static str, kind: StockKind) -> Stock {
    Stock { name, guid, kind }
}

/// A behaviour without a counterpart in Rust.
const fn behaviour(name: &'static str, guid: &'static str) -> Stock {
    stock(name, guid, StockKind::Behaviour(Counterpart::Missing))
}

/// A behaviour with a counterpart in Rust.
const fn in_rust(name: &'static str, guid: &'static str, path: &'static str) -> Stock {
    stock(name, guid, StockKind::Behaviour(Counterpart::Plain(path)))
}

/// A transform.
const fn transform(name: &'static str, guid: &'static str, path: &'static str) -> Stock {
    stock(
        name,
        guid,
        StockKind::Behaviour(Counterpart::Transform(path)),
    )
}

pub(crate) fn of_guid(guid: &str) -> Option<&'static Stock> {
    STOCK.iter().find(|stock| stock.guid == guid)
}

pub(crate) fn of_name(name: &str) -> Option<&'static Stock> {
    let mut behaviours = STOCK
        .iter()
        .filter(|stock| matches!(stock.kind, StockKind::Behaviour(_)));
    behaviours.find(|stock| stock.name == name)
}
