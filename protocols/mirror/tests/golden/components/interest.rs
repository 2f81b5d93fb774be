//! `components_interest.json`: cells of a grid. `components_visibility.json`: servers with an interest
//! management, and the observers of all objects after each frame.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use syncvar::Channel;
use syncvar::mirror::interest::{
    DistanceInterestManagement, DistanceInterestManagementCustomRange as CustomRange, HashedAxes,
    MatchId, MatchInterestManagement, NetworkMatch, NetworkTeam, SpatialHashingInterestManagement,
    TeamInterestManagement,
};
use syncvar::mirror::{
    MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorServerConfig, MirrorSpawnOptions, Visibility,
};
use syncvar::prelude::*;
use syncvar::values::Quaternion;
use syncvar_runtime::BehaviourList;

use super::session_server::READY;
use super::sessions::LIMITS;
use super::vector;
use crate::golden::json::Json;
use crate::{Report, Verdict};
use syncvar_testing::golden::same;

pub(crate) fn run_cells(json: &Value, report: &mut Report) {
    for case in json.at("cases").list() {
        report.check("cells", &case.brief(), || cells(case.list()));
    }
}

fn cells(case: &[Value]) -> Result<(), String> {
    let [
        range,
        _,
        axes,
        object,
        object_cell,
        player,
        player_cell,
        sees,
    ] = case
    else {
        return Err("eight values are expected".into());
    };
    let axes = match axes.text() {
        "xz" => HashedAxes::Xz,
        "xy" => HashedAxes::Xy,
        other => return Err(format!("axes {other}")),
    };
    let grid = SpatialHashingInterestManagement::new(axes, range.number());
    let [object, player] = [object, player].map(|it| grid.cell(vector(it)));
    for (ours, recorded) in [(object, object_cell), (player, player_cell)] {
        let recorded: Vec<i32> = recorded.list().iter().map(Json::number).collect();
        same("cell", &ours[..2].to_vec(), &recorded)?;
    }
    let ours = SpatialHashingInterestManagement::sees(player, object);
    same("sees", &ours, &sees.truth())
}

pub(crate) fn run_servers(json: &Value, report: &mut Report) {
    for case in json.at("cases").list() {
        let name = case.at("n").number::<u32>().to_string();
        report.case(case.at("kind").text(), &name, || {
            Replay::new(case)?.run(case)?;
            Ok(Verdict::Matched)
        });
    }
}

/// A server, and the objects of the recording by their number there.
struct Replay<'a> {
    kind: &'a str,
    server: MirrorServer,
    connections: BTreeMap<u32, ConnectionId>,
    /// Players whose connection has none yet.
    players: Vec<(u32, &'a [Value])>,
    objects: BTreeMap<u32, NetId>,
    observers: BTreeMap<u32, Vec<u32>>,
}

impl<'a> Replay<'a> {
    fn new(case: &'a Value) -> Result<Self, String> {
        let kind = case.at("kind").text();
        let (range, config) = (case.at("range").number(), MirrorServerConfig::default());
        let prefab = |name: &str, id: u32| MirrorPrefab::new(name, id.into());
        let prefabs = MirrorPrefabs::new()
            .register_with(prefab("plain", 1), BehaviourList::new)
            .register::<CustomRange>(prefab("ranged", 2))
            .register::<NetworkMatch>(prefab("match", 3))
            .register::<NetworkTeam>(prefab("team", 4));
        let hashing = |axes| SpatialHashingInterestManagement::new(axes, range);
        let server = match kind {
            "distance" => {
                let interest = DistanceInterestManagement::new(range);
                MirrorServer::with_mirror_interest(prefabs, config, interest)
            }
            "spatial_hash_2d" => {
                MirrorServer::with_mirror_interest(prefabs, config, hashing(HashedAxes::Xz))
            }
            "spatial_hash_3d" => {
                MirrorServer::with_mirror_interest(prefabs, config, hashing(HashedAxes::Xyz))
            }
            "match" => {
                let interest = MatchInterestManagement::default();
                MirrorServer::with_mirror_interest(prefabs, config, interest)
            }
            "team" => {
                let interest = TeamInterestManagement::default();
                MirrorServer::with_mirror_interest(prefabs, config, interest)
            }
            other => return Err(format!("interest management {other}")),
        };
        Ok(Self {
            kind,
            server,
            connections: BTreeMap::new(),
            players: Vec::new(),
            objects: BTreeMap::new(),
            observers: BTreeMap::new(),
        })
    }

    fn run(&mut self, case: &'a Value) -> Result<(), String> {
        for frame in case.at("frames").list() {
            let time = frame.at("t").seconds();
            let now = Duration::from_secs_f64(time);
            self.server.advance_time(now);
            for operation in frame.get("ops").map_or(&[][..], Json::list) {
                self.operate(operation.list())
                    .map_err(|error| format!("{time} {}: {error}", operation.brief()))?;
            }
            self.server.update(now);
            while self.server.poll_transmit().is_some() {}
            while self.server.poll_event().is_some() {}
            self.compare(time, frame)?;
        }
        Ok(())
    }

    fn operate(&mut self, operation: &'a [Value]) -> Result<(), String> {
        let [kind, number, rest @ ..] = operation else {
            return Err("no operation".into());
        };
        let number: u32 = number.number();
        let object = self.objects.get(&number).copied();
        let object = || object.ok_or("no such object");
        match (kind.text(), rest) {
            ("spawn", [owner, ..]) => {
                let options = MirrorSpawnOptions {
                    owner: self.connections.get(&owner.number()).copied(),
                    ..self.options(rest)
                };
                let behaviours = self.behaviours(rest);
                let spawned = self.server.try_spawn(behaviours, options);
                let spawned = spawned.map_err(|error| error.to_string())?;
                self.objects.insert(number, spawned);
            }
            ("player", _) => self.players.push((number, rest)),
            ("ready_then_player" | "player_then_ready", []) => {
                let is_ready_first = kind.text() == "ready_then_player";
                return self.join(number, is_ready_first);
            }
            ("move", [position]) => {
                let (position, rotation) = (vector(position), Quaternion::IDENTITY);
                let moved = self.server.set_transform(object()?, position, rotation);
                moved.map_err(|error| error.to_string())?;
            }
            ("match", [id]) => {
                let component = self.server.get_mut::<NetworkMatch>(object()?);
                component.map_err(|error| error.to_string())?.match_id = match_id(id);
            }
            ("team", [id]) => {
                let component = self.server.get_mut::<NetworkTeam>(object()?);
                component.map_err(|error| error.to_string())?.team_id = id.text().into();
            }
            ("visibility", [visibility]) => {
                let visibility = match visibility.number::<u8>() {
                    0 => Visibility::ByDefault,
                    1 => Visibility::ForceHidden,
                    _ => Visibility::ForceShown,
                };
                let set = self.server.set_visibility(object()?, visibility);
                set.map_err(|error| error.to_string())?;
            }
            ("destroy", []) => {
                let despawned = self.server.despawn(object()?);
                despawned.map_err(|error| error.to_string())?;
                self.objects.remove(&number);
                self.observers.remove(&number);
            }
            _ => return Err("unknown".into()),
        }
        Ok(())
    }

    /// Returns the place of `[connection, position, ...]`.
    fn options(&self, spawn: &[Value]) -> MirrorSpawnOptions {
        let prefab = match (self.kind, spawn.len()) {
            (_, ..=2) => "plain",
            ("distance", _) => "ranged",
            ("match", _) => "match",
            _ => "team",
        };
        MirrorSpawnOptions {
            prefab: Some(prefab.into()),
            position: vector(&spawn[1]),
            ..MirrorSpawnOptions::default()
        }
    }

    /// Returns the component of `[connection, position, custom range | match | team, forceShown]`.
    fn behaviours(&self, spawn: &[Value]) -> BehaviourList {
        let list = BehaviourList::new();
        match (self.kind, &spawn[2..]) {
            ("distance", [range]) => list.with(CustomRange {
                range: range.number(),
            }),
            ("match", [id]) => list.with(NetworkMatch {
                match_id: match_id(id),
            }),
            ("team", [id, force_shown]) => list.with(NetworkTeam {
                team_id: id.text().into(),
                force_shown: force_shown.truth(),
            }),
            _ => list,
        }
    }

    fn join(&mut self, number: u32, is_ready_first: bool) -> Result<(), String> {
        let players = std::mem::take(&mut self.players);
        for (object, spawn) in players {
            let connection = self.server.handle_connect(LIMITS);
            self.connections.insert(number, connection);
            let ready = |server: &mut MirrorServer| {
                let handled = server.handle_packet(connection, Channel::Reliable, &READY);
                handled.map_err(|error| error.to_string())
            };
            if is_ready_first {
                ready(&mut self.server)?;
            }
            let (behaviours, options) = (self.behaviours(spawn), self.options(spawn));
            let added = self.server.add_player_with(connection, behaviours, options);
            let added = added.map_err(|error| error.to_string())?;
            self.objects.insert(object, added);
            if !is_ready_first {
                ready(&mut self.server)?;
            }
        }
        Ok(())
    }

    fn compare(&mut self, time: f64, frame: &Value) -> Result<(), String> {
        if let Some(Value::Object(changes)) = frame.get("observers") {
            for (number, observers) in changes {
                let number = number.parse().map_err(|_| "an object's number")?;
                let observers = observers.list().iter().map(Json::number).collect();
                self.observers.insert(number, observers);
            }
        }
        let numbers = |id: NetId| {
            let mut numbers = Vec::new();
            for connection in self.server.observers(id) {
                let known = self.connections.iter();
                let mut known = known.filter(|(_, it)| **it == connection);
                numbers.extend(known.next().map(|(number, _)| *number));
            }
            numbers
        };
        let objects = self.objects.iter();
        let ours: BTreeMap<_, _> = objects
            .map(|(number, id)| (*number, numbers(*id)))
            .collect();
        same(&format!("{time}: observers"), &ours, &self.observers)
    }
}

fn match_id(text: &Value) -> MatchId {
    MatchId(u128::from_str_radix(text.text(), 16).expect("32 hexadecimal digits"))
}
