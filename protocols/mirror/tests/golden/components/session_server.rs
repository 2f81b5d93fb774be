//! The server of a recorded session, and the server that gets what the client sends.

use std::collections::BTreeMap;

use serde_json::Value;
use syncvar::Channel;
use syncvar::mirror::components::{NetworkTransform, TransformMethod};
use syncvar::mirror::{MirrorServer, MirrorServerConfig, MirrorSpawnOptions};
use syncvar::prelude::*;
use syncvar_runtime::BehaviourList;

use super::sessions::{
    Due, LIMITS, Sends, Sent, Ticks, adopt_close_baselines, drop_hybrid, duration, messages,
    prefabs, same_clock, same_pose, transform,
};
use super::transforms::pose;
use crate::Verdict;
use crate::golden::differences::Rule;
use crate::golden::json::Json;
use syncvar_testing::golden::same;

/// `ReadyMessage` in a batch.
pub(crate) const READY: [u8; 11] = [0, 0, 0, 0, 0, 0, 0, 0, 2, 0xbc, 0xaa];
/// The frames in which the connections come.
const JOINS: [usize; 2] = [2, 4];

/// Progress to the first baseline of hybrid components.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FirstBaseline {
    Due,
    /// A client has joined before. Its hybrid messages differ until the baseline.
    DueAfterJoin,
    Sent,
    SentAfterJoin,
}

struct Replay<'a, M: TransformMethod> {
    case: &'a Value,
    server: MirrorServer,
    connections: Vec<ConnectionId>,
    object: NetId,
    player: Option<NetId>,
    sends: Sends,
    /// The baselines of ours and of the recording, by connection.
    ticks: [BTreeMap<u64, Ticks>; 2],
    /// Mirror has dropped a baseline: its hybrid messages are others from then on.
    has_lost: bool,
    first_baseline: FirstBaseline,
    method: std::marker::PhantomData<M>,
}

/// Replays the frames of the server, alone or with the batches of connection 1.
pub(crate) fn run<M: TransformMethod>(case: &Value, is_relay: bool) -> Result<Verdict, String> {
    let config = MirrorServerConfig {
        tick_rate: case.at("send_rate").number(),
        ..MirrorServerConfig::default()
    };
    let mut server = MirrorServer::with_config(prefabs::<M>(case), config);
    let options = |prefab: &str| MirrorSpawnOptions {
        prefab: Some(prefab.into()),
        ..MirrorSpawnOptions::default()
    };
    let object = server.try_spawn(transform::<M>(case), options("moving"));
    let mut replay = Replay::<M> {
        case,
        object: object.map_err(|error| error.to_string())?,
        server,
        connections: Vec::new(),
        player: None,
        sends: Sends::new(case),
        ticks: Default::default(),
        has_lost: false,
        first_baseline: FirstBaseline::Due,
        method: std::marker::PhantomData,
    };
    let frames = case.at(if is_relay { "relay" } else { "server" }).list();
    for (index, frame) in frames.iter().enumerate() {
        let due = replay.sends.at(frame.at("t").seconds());
        replay.has_lost |= due == Due::LostBaseline;
        replay.frame(index, (frame, due), is_relay)?;
    }
    Ok(if replay.has_lost {
        Verdict::Ruled(Rule::BaselinesOnTime)
    } else if replay.first_baseline == FirstBaseline::SentAfterJoin {
        Verdict::Ruled(Rule::FirstBaseline)
    } else {
        Verdict::Matched
    })
}

impl<M: TransformMethod> Replay<'_, M> {
    fn frame(
        &mut self,
        index: usize,
        (frame, due): (&Value, Due),
        is_relay: bool,
    ) -> Result<(), String> {
        let now = duration(frame.at("t"));
        self.server.advance_time(now);
        for packet in frame.get("in").map_or(&[][..], Json::list) {
            let channel = channel(&packet[0]);
            let handled = self
                .server
                .handle_packet(self.connections[0], channel, &packet[1].hex());
            handled.map_err(|error| format!("frame {index}: {error}"))?;
        }
        if JOINS.contains(&index) {
            let is_further = self.player.is_some() && !is_relay;
            if is_further && self.first_baseline == FirstBaseline::Due {
                self.first_baseline = FirstBaseline::DueAfterJoin;
            }
            self.join();
        }
        self.place(index, is_relay);
        if due == Due::Sends {
            self.server.update(now);
        } else {
            self.server.frame(now);
        }
        let recorded = frame.get("out").map_or(&[][..], Json::list);
        self.compare_sent(index, recorded, is_relay)?;
        if let (Some(recorded), Some(player)) = (frame.get("player"), self.player) {
            let player = self
                .server
                .get::<NetworkTransform<M>>(player)
                .expect("the player");
            same_pose(
                &format!("frame {index}: player"),
                &player.pose(),
                &pose(recorded),
            )?;
        }
        if let Some(recorded) = frame.get("clock")
            && let Some(timeline) = self.server.remote_timeline(self.connections[0])
            && !timeline.snapshots().is_empty()
        {
            let ours = [timeline.time(), timeline.speed()];
            same_clock(&format!("frame {index}: clock"), &ours, recorded.list())?;
        }
        Ok(())
    }

    fn join(&mut self) {
        let connection = self.server.handle_connect(LIMITS);
        self.connections.push(connection);
        let ready = self
            .server
            .handle_packet(connection, Channel::Reliable, &READY);
        ready.expect("a ready message");
        let options = |prefab: &str| MirrorSpawnOptions {
            prefab: Some(prefab.into()),
            ..MirrorSpawnOptions::default()
        };
        if self.player.is_some() {
            let other = BehaviourList::new();
            let added = self
                .server
                .add_player_with(connection, other, options("other"));
            added.expect("a player");
            return;
        }
        let transform = transform::<M>(self.case);
        let added = self
            .server
            .add_player_with(connection, transform, options("player"));
        self.player = Some(added.expect("a player"));
    }

    /// Moves the object, or teleports it.
    fn place(&mut self, index: usize, is_relay: bool) {
        let set = pose(self.case.at("server")[index].at("set"));
        let mut transform = self
            .server
            .get_mut::<NetworkTransform<M>>(self.object)
            .expect("the object");
        (transform.position, transform.rotation, transform.scale) =
            (set.position, set.rotation, set.scale);
        drop(transform);
        if !is_relay && self.case.at("teleport")[0].number::<usize>() == index {
            let calls = self.server.calls::<NetworkTransform<M>>(self.object);
            calls
                .teleport_and_turn(set.position, set.rotation)
                .expect("a call");
        }
    }

    fn compare_sent(
        &mut self,
        index: usize,
        recorded: &[Value],
        is_relay: bool,
    ) -> Result<(), String> {
        let mut ours = BTreeMap::<(u64, u8), Vec<Sent>>::new();
        while let Some(transmit) = self.server.poll_transmit() {
            let number = self
                .connections
                .iter()
                .position(|it| *it == transmit.connection);
            let number = number.ok_or("sent to nobody")? as u64 + 1;
            if is_relay && number == 1 {
                continue;
            }
            let channel = transmit.channel as u8;
            let sent = messages(channel, &transmit.to_bytes())?;
            ours.entry((number, channel)).or_default().extend(sent);
        }
        let mut expected = BTreeMap::<(u64, u8), Vec<Sent>>::new();
        for packet in recorded {
            let (number, packet) = if is_relay {
                (2, packet.list())
            } else {
                (packet[0].number(), &packet.list()[1..])
            };
            let channel: u8 = packet[0].number();
            let sent = messages(channel, &packet[1].hex())?;
            expected.entry((number, channel)).or_default().extend(sent);
        }
        self.pass_first_baseline(&mut ours, &mut expected);
        for ((number, _), sent) in &mut ours {
            self.ticks[0].entry(*number).or_default().renumber(sent);
        }
        for ((number, _), sent) in &mut expected {
            self.ticks[1].entry(*number).or_default().renumber(sent);
        }
        if is_relay && index >= self.case.at("teleport")[0].number() {
            // There the object moved on, to places that are not recorded.
            for sent in ours.values_mut().chain(expected.values_mut()) {
                sent.retain(|(_, _, message)| !is_of_object(message));
            }
        }
        if self.has_lost {
            ours.values_mut()
                .chain(expected.values_mut())
                .for_each(drop_hybrid);
        }
        ours.retain(|_, sent| !sent.is_empty());
        expected.retain(|_, sent| !sent.is_empty());
        for (key, sent) in &mut ours {
            adopt_close_baselines(sent, expected.get(key).map_or(&[], Vec::as_slice));
        }
        same(&format!("frame {index}: sent"), &ours, &expected)
    }
}

type SentTo = BTreeMap<(u64, u8), Vec<Sent>>;

impl<M: TransformMethod> Replay<'_, M> {
    /// Leaves out the hybrid messages between a join and the first baseline of the recording.
    fn pass_first_baseline(&mut self, ours: &mut SentTo, expected: &mut SentTo) {
        let is_baseline = |(_, _, message): &Sent| message.starts_with("6347");
        let has_baseline = expected.values().flatten().any(is_baseline);
        if self.first_baseline == FirstBaseline::DueAfterJoin {
            for sent in ours.values_mut().chain(expected.values_mut()) {
                sent.retain(|sent| {
                    !sent.2.starts_with("f935") && (has_baseline || !is_baseline(sent))
                });
            }
        }
        self.first_baseline = match self.first_baseline {
            FirstBaseline::Due if has_baseline => FirstBaseline::Sent,
            FirstBaseline::DueAfterJoin if has_baseline => FirstBaseline::SentAfterJoin,
            unchanged => unchanged,
        };
    }
}

/// Whether a message is a state or a call of object 1.
fn is_of_object(message: &str) -> bool {
    let is_hybrid = |id: &str| message.starts_with(id) && message.get(6..8) == Some("01");
    ["333001", "2e9d01"]
        .iter()
        .any(|start| message.starts_with(start))
        || is_hybrid("f935")
        || is_hybrid("6347")
}

pub(crate) fn channel(number: &Value) -> Channel {
    match number.number::<u8>() {
        0 => Channel::Reliable,
        _ => Channel::Unreliable,
    }
}
