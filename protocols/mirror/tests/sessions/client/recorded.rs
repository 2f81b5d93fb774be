//! A recorded session, given to a client of ours: what the recorded client was told, ours is told, in the
//! same order.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use syncvar::mirror::{Limits, MirrorClient, MirrorClientEvent};
use syncvar::prelude::*;
use syncvar::{
    Channel,
    values::{Color32, Vector3},
};

use crate::client::game::{
    self, Aim, DOOR, Door, GlobalMsg, Kind, Monster, Player, Wallet, prefabs,
};

fn session(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data");
    let path: PathBuf = folder.join(format!("session_{name}.json"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A client that has been given everything that a recorded one was.
pub(crate) fn replay(name: &str, connection: u64) -> MirrorClient {
    let session = session(name);
    let mut client = MirrorClient::new(prefabs());
    client.add_scene_object(DOOR, Door::default()).unwrap();
    client.handle_connect(Limits::TELEPATHY);
    for message in session["messages"].as_array().unwrap() {
        if message["dir"] != "s2c" || message["conn"].as_u64() != Some(connection) {
            continue;
        }
        let time = message["t"].as_f64().unwrap();
        let channel = match message["channel"].as_u64() {
            Some(1) => Channel::Unreliable,
            _ => Channel::Reliable,
        };
        let batch = hex::decode(message["hex"].as_str().unwrap()).unwrap();
        client.handle_packet(channel, &batch).unwrap();
        if client.is_loading_scene() {
            client.scene_loaded();
        }
        client.update(Duration::from_secs_f64(time));
    }
    client
}

/// What the recorded client was called for, in the words of our log.
pub(crate) fn recorded_calls(log: &Value) -> Vec<String> {
    let log = log.as_array().unwrap();
    let calls = log.iter().filter_map(|entry| {
        let event = entry["ev"].as_str()?;
        let first = entry["args"][0].as_str();
        match event {
            "hook" | "list" | "dict" | "set" => Some(format!("{event} {}", first?)),
            "rpc" if first == Some("RpcOthers") => {
                Some(format!("rpc RpcOthers {}", entry["args"][1]))
            }
            "rpc" => Some(format!("rpc {}", first?)),
            _ if event.starts_with("On") => {
                Some(format!("{event} {}.{}", entry["netId"], entry["comp"]))
            }
            _ => None,
        }
    });
    calls.collect()
}

/// One change of a collection has one entry there; a hook of ours has all changes of one collection.
pub(crate) fn once_in_a_row(mut calls: Vec<String>) -> Vec<String> {
    let is_collection = |call: &str| !call.starts_with("hook") && !call.starts_with("On");
    calls.dedup_by(|a, b| a == b && is_collection(a));
    calls
}

#[test]
fn recorded_client_events_come_in_the_same_order() {
    for (name, connections) in [
        ("telepathy", 1..=1),
        ("kcp", 0..=0),
        ("aoi", 1..=1),
        ("twoclients", 1..=2),
        ("noplayer", 1..=1),
        ("scene", 1..=1),
        ("kick", 1..=1),
    ] {
        let recorded = session(name);
        let mut known: Vec<u64> = { recorded["messages"].as_array().unwrap().iter() }
            .filter_map(|message| message["conn"].as_u64())
            .collect();
        known.sort_unstable();
        known.dedup();
        assert_eq!(known.len(), connections.count(), "{name}");
        for (index, connection) in known.into_iter().enumerate() {
            game::called();
            let mut client = replay(name, connection);
            client.handle_disconnect();
            let calls = once_in_a_row(game::called());
            let expected = once_in_a_row(recorded_calls(&recorded["client_logs"][index]));
            assert_eq!(calls, expected, "{name}, client {index}");
            assert_eq!(client.object_count(), 0);
        }
    }
}

#[test]
fn a_recorded_session_ends_in_the_recorded_state() {
    let client = replay("telepathy", 1);
    let ids: Vec<_> = client
        .identities()
        .map(|object| object.net_id().0)
        .collect();
    assert_eq!(ids, [1, 2, 4]);
    let [door, monster, player] = [NetId(1), NetId(2), NetId(4)];
    assert_eq!(client.scene_object(DOOR), Some(door));
    assert!(!*client.get::<Door>(door).unwrap().open);
    assert_eq!(
        client.identity(door).unwrap().position,
        Vector3::new(7.0, 0.0, -7.0)
    );

    let monster: &Monster = client.get(monster).unwrap();
    assert_eq!((*monster.kind, *monster.hp), (Kind::Goblin, 40));
    assert_eq!(*monster.color, Color32::new(9, 8, 7, 6));
    assert_eq!(monster.buffs[&1].as_deref(), Some("slow"));
    assert_eq!(monster.buffs[&100].as_deref(), Some("born"));
    assert_eq!(monster.loot.len(), 2);
    assert_eq!(monster.tags.len(), 2);

    assert_eq!(client.local_player(), Some(player));
    assert!(client.is_owned(player));
    let me: &Player = client.get(player).unwrap();
    assert_eq!(me.player_name.as_deref(), Some("player1"));
    assert_eq!((*me.health, &me.inventory[..]), (93, &[1][..]));
    assert_eq!(*client.get::<Wallet>(player).unwrap().gold, 777);
    // It was this client's own to write, and it has not written.
    let aim: &Aim = client.get(player).unwrap();
    assert_eq!(aim.yaw.to_bits(), 0);
}

#[test]
fn recorded_session_raises_application_events() {
    let mut client = replay("telepathy", 1);
    let events: Vec<_> = std::iter::from_fn(|| client.poll_event()).collect();
    let messages: Vec<_> = { events.iter() }
        .filter_map(|event| match event {
            MirrorClientEvent::Message(message) => message.get::<GlobalMsg>(),
            _ => None,
        })
        .map(|message| (message.a, message.item.name.clone().unwrap()))
        .collect();
    assert_eq!(messages, [(8, "n".to_string()), (41, "srv".to_string())]);
    let owned: Vec<_> = { events.iter() }
        .filter_map(|event| match event {
            MirrorClientEvent::OwnerChanged { object, owned } => Some((object.0, *owned)),
            _ => None,
        })
        .collect();
    assert_eq!(owned, [(4, true), (3, true), (3, false)]);
    let wrong = events.iter().find(|event| {
        matches!(
            event,
            MirrorClientEvent::Mismatch(_)
                | MirrorClientEvent::SpawnFailed { .. }
                | MirrorClientEvent::Disconnected { .. }
        )
    });
    assert_eq!(wrong, None);
    assert!(client.network_time().unwrap() > Duration::from_secs(3));
    let stats = client.stats();
    assert_eq!((stats.mismatches, stats.unknown_objects), (0, 0));
    assert_eq!(stats.unknown_calls, 0);
}
