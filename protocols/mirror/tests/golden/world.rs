//! The prefabs of the recorded games, and what the recorder's scripts do on the server.

use serde_json::Value;
use syncvar::mirror::{
    AssetId, Component, MirrorMessage, MirrorPrefab, MirrorPrefabs, MirrorServer, SyncDirection,
    SyncMode,
};
use syncvar::prelude::*;
use syncvar::{behaviour::BehaviourList, values::Vector3};

use super::classes;
use super::classes::collections::SyncObjs;
use super::classes::game::{Aim, Door, Monster, Player, Wallet};
use super::classes::inheritance::InhLeaf;
use super::classes::structs::Item;
use super::json::Json;
use super::subject::{Class, Subject};
use super::value::{Recorded, structs};

/// The message of the recorded games.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub(crate) struct GlobalMsg {
    pub(crate) a: i32,
    pub(crate) item: Item,
}

structs! {
    GlobalMsg "GlobalMsg" { a "a", item "item" }
}

impl MirrorMessage for GlobalMsg {
    const NAME: &'static str = "GlobalMsg";
}

/// The objects that a player consists of.
pub(crate) type PlayerObject = (Player, Wallet, Aim);

/// What every recorded game has.
pub(crate) fn prefabs() -> MirrorPrefabs {
    let player = MirrorPrefab::new("Player", AssetId(1001))
        .component(1, Component::new().sync_mode(SyncMode::Owner))
        .component(
            2,
            Component::new().sync_direction(SyncDirection::ClientToServer),
        );
    MirrorPrefabs::new()
        .class::<classes::calls::Health>("Game.Net.Health")
        .class::<classes::calls::Inner>("Game.Net.Health+Inner")
        .message::<GlobalMsg>()
        .register::<PlayerObject>(player)
        .register::<Monster>(MirrorPrefab::new("Monster", AssetId(1002)))
        .register::<Door>(MirrorPrefab::scene("Door"))
        .register::<(InhLeaf, SyncObjs)>(MirrorPrefab::new("Combo", AssetId(3000)))
}

/// A component as a script spawns it: its class, and what is said of it.
pub(crate) fn component(json: &Value) -> (&'static Class, Component) {
    let (name, mode) = match json {
        Value::String(name) => (name.as_str(), "Observers"),
        other => (other.at("class").text(), other.at("syncMode").text()),
    };
    let class = classes::find(name).unwrap_or_else(|| panic!("no class `{name}`"));
    let mode = match mode {
        "Observers" => SyncMode::Observers,
        "Owner" => SyncMode::Owner,
        other => panic!("sync mode `{other}`"),
    };
    (class, Component::new().sync_mode(mode))
}

/// New components of these classes.
pub(crate) fn list(classes: &[&'static Class]) -> BehaviourList {
    let none = BehaviourList::new();
    classes
        .iter()
        .fold(none, |list, class| (class.append)(list))
}

/// Does something to a component on the server.
pub(crate) fn on_server<T>(
    server: &mut MirrorServer,
    class: &str,
    at: (NetId, usize),
    action: impl FnOnce(&mut dyn Subject) -> T,
) -> T {
    let class = classes::find(class).unwrap_or_else(|| panic!("no class `{class}`"));
    let (mut action, mut result) = (Some(action), None);
    class.reach.on_server(server, at, &mut |subject| {
        result = action.take().map(|action| action(subject));
    });
    result.unwrap_or_else(|| panic!("no {} at {at:?}", class.name))
}

/// Calls a client by the full name of the method.
pub(crate) fn call(
    server: &mut MirrorServer,
    at: (NetId, usize),
    function: &str,
    values: &[Value],
) {
    let (id, index) = at;
    let sent = match (function, values) {
        ("System.Void Monster::RpcRoar(System.Int32,UnityEngine.Vector3)", [volume, at]) => server
            .calls_at::<Monster>(id, index)
            .rpc_roar(volume.number(), Vector3::from_json(at)),
        ("System.Void Player::TargetNotify(System.String)", [text]) => server
            .calls_at::<Player>(id, index)
            .target_notify(Recorded::from_json(text)),
        ("System.Void Player::RpcOthers(System.Int32)", [number]) => server
            .calls_at::<Player>(id, index)
            .rpc_others(number.number()),
        ("System.Void Player::RpcChat(System.String,System.String)", [name, text]) => server
            .calls_at::<Player>(id, index)
            .rpc_chat(Recorded::from_json(name), Recorded::from_json(text)),
        (other, _) => panic!("`{other}` is not understood"),
    };
    sent.expect("a call that can be sent");
}

/// What the recorded game does when commands have run: `CmdChat` is answered to everyone.
pub(crate) fn answer_commands(server: &mut MirrorServer, log: &[super::log::Entry], player: NetId) {
    for entry in log {
        if entry.event != "cmd" || entry.arguments[0] != "CmdChat" {
            continue;
        }
        let name = server
            .get::<Player>(player)
            .map(|player| player.player_name.to_json());
        let values = [name.unwrap_or_default(), entry.arguments[1].clone()];
        let function = "System.Void Player::RpcChat(System.String,System.String)";
        call(server, (player, 0), function, &values);
    }
}
