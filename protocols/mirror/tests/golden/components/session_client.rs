//! The client of a recorded session.

use std::time::Duration;

use serde_json::Value;
use syncvar::Channel;
use syncvar::mirror::components::{NetworkTransform, TransformMethod};
use syncvar::mirror::{MirrorClient, MirrorClientConfig};
use syncvar::prelude::*;
use syncvar::values::{Quaternion, Vector3};
use syncvar::wire::{Encoding, NetworkReader};

use super::session_server::channel;
use super::sessions::{
    Due, LIMITS, Sends, Sent, Ticks, drop_hybrid, duration, messages, prefabs, same_clock,
    same_pose,
};
use super::transforms::pose;
use crate::Verdict;
use crate::golden::differences::Rule;
use crate::golden::json::Json;
use syncvar_testing::golden::same;

/// The object that the server moves, and the player.
const OBJECT: NetId = NetId(1);
const PLAYER: NetId = NetId(2);

pub(crate) fn run<M: TransformMethod>(case: &Value) -> Result<Verdict, String> {
    let config = MirrorClientConfig {
        tick_rate: case.at("send_rate").number(),
        auto_add_player: false,
        ..MirrorClientConfig::default()
    };
    let mut client = MirrorClient::with_config(prefabs::<M>(case), config);
    client.advance_time(Duration::from_secs(1100));
    client.handle_connect(LIMITS);
    let mut sends = Sends::new(case);
    let mut ticks = <[Ticks; 2]>::default();
    let mut has_lost = false;
    for (index, frame) in case.at("client").list().iter().enumerate() {
        let due = sends.at(frame.at("t").seconds());
        has_lost |= due == Due::LostBaseline;
        let now = duration(frame.at("t"));
        client.advance_time(now);
        for packet in frame.get("in").map_or(&[][..], Json::list) {
            let handled = client.handle_packet(channel(&packet[0]), &packet[1].hex());
            handled.map_err(|error| format!("frame {index}: {error}"))?;
        }
        if let Some(set) = frame.get("set") {
            let set = pose(set);
            let mut player = client.get_mut::<NetworkTransform<M>>(PLAYER);
            let player = player.as_mut().map_err(|error| error.to_string())?;
            (player.position, player.rotation, player.scale) =
                (set.position, set.rotation, set.scale);
        }
        if case.at("teleport")[0].number::<usize>() == index {
            teleport::<M>(&mut client, frame)?;
        }
        if due == Due::Sends {
            client.update(now);
        } else {
            client.frame(now);
        }
        compare::<M>(&mut client, &mut ticks, (index, frame, has_lost))?;
    }
    Ok(if has_lost {
        Verdict::Ruled(Rule::BaselinesOnTime)
    } else {
        Verdict::Matched
    })
}

/// Sends the recorded command.
fn teleport<M: TransformMethod>(client: &mut MirrorClient, frame: &Value) -> Result<(), String> {
    const COMMAND: &str = "d4980200";
    const POSITION: &str = "042c0d";
    const POSE: &str = "d03a1d";
    let sent = frame.at("out").list().iter();
    let batches: Vec<_> = sent.map(|batch| batch[1].text()).collect();
    let arguments = |kind: &str| {
        let start = format!("{COMMAND}{kind}");
        let found = batches
            .iter()
            .find_map(|batch| Some(batch.split_once(&start)?.1));
        found.map(|rest| hex::decode(rest).expect("hexadecimal text"))
    };
    let (bytes, is_turn) = match (arguments(POSITION), arguments(POSE)) {
        (Some(bytes), _) => (bytes, false),
        (None, Some(bytes)) => (bytes, true),
        (None, None) => return Err("no teleport is recorded".into()),
    };
    let mut reader = NetworkReader::with_encoding(&bytes, Encoding::Mirror);
    let position: Vector3 = reader.read().map_err(|error| error.to_string())?;
    let calls = client.calls::<NetworkTransform<M>>(PLAYER);
    let sent = if is_turn {
        let rotation: Quaternion = reader.read().map_err(|error| error.to_string())?;
        calls.teleport_and_turn(position, rotation)
    } else {
        calls.teleport(position)
    };
    sent.map_err(|error| error.to_string())
}

fn compare<M: TransformMethod>(
    client: &mut MirrorClient,
    ticks: &mut [Ticks; 2],
    (index, frame, has_lost): (usize, &Value, bool),
) -> Result<(), String> {
    let mut ours = [Vec::<Sent>::new(), Vec::new()];
    while let Some(packet) = client.poll_transmit() {
        let channel = usize::from(packet.channel == Channel::Unreliable);
        ours[channel].extend(messages(packet.channel as u8, &packet.bytes)?);
    }
    let mut expected = [Vec::<Sent>::new(), Vec::new()];
    for packet in frame.get("out").map_or(&[][..], Json::list) {
        let channel: u8 = packet[0].number();
        expected[usize::from(channel)].extend(messages(channel, &packet[1].hex())?);
    }
    for (ticks, channels) in ticks.iter_mut().zip([&mut ours, &mut expected]) {
        for sent in channels {
            ticks.renumber(sent);
            if has_lost {
                drop_hybrid(sent);
            }
        }
    }
    same(&format!("frame {index}: sent"), &ours, &expected)?;
    let timeline = client.timeline();
    let (recorded, held) = (frame.at("clock").list(), timeline.snapshots().len());
    let ours = [timeline.multiplier(), timeline.time(), timeline.speed()];
    same_clock(&format!("frame {index}: clock"), &ours, &recorded[..3])?;
    // At the time of a state, the nanoseconds that an end's clock does not count decide.
    let is_at = |time: f64| (time - timeline.time()).abs() < 1e-6;
    if !timeline.snapshots().iter().any(|it| is_at(it.remote_time)) {
        same(
            &format!("frame {index}: held"),
            &held,
            &recorded[3].number(),
        )?;
    }
    if let Some(recorded) = frame.get("object") {
        let object = client
            .get::<NetworkTransform<M>>(OBJECT)
            .ok_or("no object")?;
        same_pose(
            &format!("frame {index}: object"),
            &object.pose(),
            &pose(recorded),
        )?;
    }
    Ok(())
}
