//! `identity.json`: the payloads of whole objects, for their owner and for others.

use std::time::Duration;

use serde_json::{Value, json};
use syncvar::mirror::message::Message;
use syncvar::mirror::{
    AssetId, Component, Limits, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerConfig,
    MirrorSpawnOptions, SpawnPolicy, SyncDirection,
};
use syncvar::prelude::*;
use syncvar::{Channel, behaviour::BehaviourList};

use super::batches::messages;
use super::json::Json;
use super::payloads::{client_to_server, error_correction, server_deserialize};
use super::subject::Class;
use super::{classes, world};
use crate::Report;
use syncvar_testing::golden::same;

/// The asset id of all recorded objects.
pub(crate) const ASSET: AssetId = AssetId(0x000a_55e7);

/// A batch with Mirror's `ReadyMessage`.
const READY: [u8; 11] = [0, 0, 0, 0, 0, 0, 0, 0, 2, 0xbc, 0xaa];

pub(crate) fn run(json: &Value, report: &mut Report) {
    for case in json.at("cases").list() {
        report.check("objects", case.at("name").text(), || object(case));
    }
    report.check("sync interval", "0.5", || {
        interval(json.at("sync_interval_0_5"))
    });
    for (index, case) in json.at("client_to_server").list().iter().enumerate() {
        report.check("client to server", &index.to_string(), || {
            client_to_server(case)
        });
    }
    for case in json.at("server_deserialize").list() {
        let name = case.at("name").text();
        report.case("server deserialize", name, || server_deserialize(case));
    }
    for case in json.at("error_correction").list() {
        report.check("error correction", &case.to_string(), || {
            error_correction(case)
        });
    }
}

/// The classes and settings of the components of a case.
pub(crate) struct Parts(pub(crate) Vec<(&'static Class, Component)>);

impl Parts {
    fn of(components: &[Value]) -> Self {
        let part = |json: &Value| {
            let (class, component) = world::component(json);
            (
                class,
                component.sync_direction(direction(json.at("syncDirection"))),
            )
        };
        Self(components.iter().map(part).collect())
    }

    /// `DocData` and `Health`, each written by whom it is said.
    pub(crate) fn doc_and_health(directions: [&Value; 2]) -> Self {
        let classes =
            ["DocData", "Game.Net.Health"].map(|name| classes::find(name).expect("known"));
        let parts = classes.into_iter().zip(directions);
        let parts =
            parts.map(|(class, said)| (class, Component::new().sync_direction(direction(said))));
        Self(parts.collect())
    }

    pub(crate) fn list(&self) -> BehaviourList {
        let classes: Vec<_> = self.0.iter().map(|(class, _)| *class).collect();
        world::list(&classes)
    }

    pub(crate) fn prefabs(&self) -> MirrorPrefabs {
        let mut prefab = MirrorPrefab::new("it", ASSET);
        for (index, (_, component)) in self.0.iter().enumerate() {
            prefab = prefab.component(index, *component);
        }
        let classes: Vec<_> = self.0.iter().map(|(class, _)| *class).collect();
        MirrorPrefabs::new().register_with(prefab, move || world::list(&classes))
    }

    /// A server that shows everything to whoever is ready, and tells no time.
    pub(crate) fn server(&self) -> MirrorServer {
        let config = MirrorServerConfig {
            spawn_policy: SpawnPolicy::WhenReady,
            time_snapshots: false,
            ping_interval: Duration::ZERO,
            ..MirrorServerConfig::default()
        };
        MirrorServer::with_config(self.prefabs(), config)
    }
}

fn direction(json: &Value) -> SyncDirection {
    match json.text() {
        "ServerToClient" => SyncDirection::ServerToClient,
        "ClientToServer" => SyncDirection::ClientToServer,
        other => panic!("sync direction `{other}`"),
    }
}

pub(crate) fn ready(server: &mut MirrorServer, connection: ConnectionId) -> Result<(), String> {
    let handled = server.handle_packet(connection, Channel::Reliable, &READY);
    handled.map_err(|error| error.to_string())
}

/// Everything that is sent, by connection.
pub(crate) fn sent(server: &mut MirrorServer) -> Vec<(ConnectionId, Vec<u8>)> {
    let mut sent = Vec::new();
    while let Some(transmit) = server.poll_transmit() {
        let connection = transmit.connection;
        for (_, message) in messages(&transmit.to_bytes()) {
            sent.push((connection, message));
        }
    }
    sent
}

/// The messages to one connection that spawn something, and the payloads of changes.
pub(crate) fn about(
    sent: &[(ConnectionId, Vec<u8>)],
    to: ConnectionId,
) -> (Vec<String>, Vec<String>) {
    let (mut spawns, mut changes) = (Vec::new(), Vec::new());
    for (_, message) in sent.iter().filter(|(connection, _)| *connection == to) {
        match Message::decode(message) {
            Ok(Message::Spawn(_)) => spawns.push(hex::encode(message)),
            Ok(Message::EntityState(state)) => {
                changes.push(hex::encode(state.payload.unwrap_or_default()));
            }
            _ => {}
        }
    }
    (spawns, changes)
}

fn object(case: &Value) -> Result<(), String> {
    // Two who join while it is dirty: one of them owns it.
    let outcome = broadcast(case, true)?;
    let [owner, other] = ["spawn_message_owner", "spawn_message_observer"].map(|key| case.at(key));
    same(
        "spawned for the owner",
        &outcome.owner.0,
        &vec![owner.text().to_string()],
    )?;
    same(
        "spawned for another",
        &outcome.other.0,
        &vec![other.text().to_string()],
    )?;
    let payload = |key: &str| {
        let text = case.at(key).text();
        Vec::from_iter((!text.is_empty()).then(|| text.to_string()))
    };
    let is_owned = case.at("owned_by_conn1").truth();
    let outcome = if is_owned {
        outcome
    } else {
        broadcast(case, false)?
    };
    if is_owned {
        same(
            "changes for the owner",
            &outcome.owner.1,
            &payload("broadcast_owner"),
        )?;
    }
    same(
        "changes for others",
        &outcome.first.1,
        &payload("broadcast_observers"),
    )
}

/// What three connections are sent: the owner, one that joins late, and one that was there before.
struct Outcome {
    owner: (Vec<String>, Vec<String>),
    other: (Vec<String>, Vec<String>),
    first: (Vec<String>, Vec<String>),
}

fn broadcast(case: &Value, is_owned: bool) -> Result<Outcome, String> {
    let components = case.at("components").list();
    let parts = Parts::of(components);
    let mut server = parts.server();
    let [first, owner, other] = [(); 3].map(|()| server.handle_connect(Limits::KCP));
    let wanted: u32 = case.at("netId").number();
    let options = || MirrorSpawnOptions {
        owner: is_owned.then_some(owner),
        ..MirrorSpawnOptions::default()
    };
    let mut spawn = || server.try_spawn(parts.list(), options());
    let mut id = spawn().map_err(|error| error.to_string())?;
    while id.0 < wanted {
        server.despawn(id).unwrap();
        id = server
            .try_spawn(parts.list(), options())
            .map_err(|error| error.to_string())?;
    }
    ready(&mut server, first)?;
    server.update(Duration::from_secs(1));
    sent(&mut server);
    for (index, component) in components.iter().enumerate() {
        change(&mut server, (id, index), component);
    }
    ready(&mut server, owner)?;
    ready(&mut server, other)?;
    server.update(Duration::from_secs(2));
    let now = sent(&mut server);
    server.update(Duration::from_secs(3));
    same("sent after everything was", &sent(&mut server).len(), &0)?;
    Ok(Outcome {
        owner: about(&now, owner),
        other: about(&now, other),
        first: about(&now, first),
    })
}

/// Gives a component its recorded values, and makes dirty what was recorded as dirty.
fn change(server: &mut MirrorServer, at: (NetId, usize), component: &Value) {
    let fields = component.at("values").as_object().expect("values by name");
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| json!([name, value]))
        .collect();
    let operation = match component.at("syncobject_dirty").text() {
        "0" => None,
        "1" => Some(json!({"object": "ints", "op": "Add", "args": [3]})),
        "8" => Some(json!({"object": "dict", "op": "Set", "args": [1, "a"]})),
        other => panic!("dirty collections {other}"),
    };
    let class = component.at("class").text();
    world::on_server(server, class, at, |subject| {
        subject.set_all(&Value::Array(fields));
        if let Some(operation) = operation {
            subject.operate(&operation);
        }
    });
    if component.at("syncvar_dirty").number::<u64>() == u64::MAX {
        server.set_dirty(at.0, at.1).unwrap();
    }
}

/// A component with an interval is sent when it is over.
fn interval(steps: &Value) -> Result<(), String> {
    let class = classes::find("DocData").expect("known");
    let slow = Component::new().sync_interval(Duration::from_millis(500));
    let parts = Parts(vec![(class, slow)]);
    let mut server = parts.server();
    let start = Duration::from_secs(10);
    server.update(start);
    let connection = server.handle_connect(Limits::KCP);
    ready(&mut server, connection)?;
    let id = server.spawn(parts.list());
    world::on_server(&mut server, "DocData", (id, 0), |subject| {
        subject.set_all(&json!([["int1", 1]]))
    });
    for step in steps.list() {
        let since = step.at("seconds_since_last_sync");
        server.update(start + Duration::from_secs_f64(since.seconds()));
        let (_, changes) = about(&sent(&mut server), connection);
        let recorded = step.at("observers").text();
        let recorded = Vec::from_iter((!recorded.is_empty()).then(|| recorded.to_string()));
        same(&format!("after {since} s"), &changes, &recorded)?;
    }
    Ok(())
}
