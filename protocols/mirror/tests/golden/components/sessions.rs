//! `components_session_*.json`: whole sessions of a moving object and a player that its owner moves, replayed
//! against our server and our client.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use syncvar::mirror::batch::Unbatcher;
use syncvar::mirror::components::{
    AccurateInterval, Hybrid, NetworkTransform, Pose, Reliable, TransformMethod, TransformSettings,
    Unreliable,
};
use syncvar::mirror::{Component, Limits, MirrorPrefab, MirrorPrefabs, SyncDirection};
use syncvar::values::Vector3;
use syncvar_runtime::BehaviourList;

use super::{float, session_client, session_server};
use crate::Report;
use crate::golden::json::Json;

/// Those of the recording.
pub(crate) const LIMITS: Limits = Limits {
    batch_threshold: 1200,
    max_reliable: 16_384,
    max_unreliable: 1200,
};

/// `NetworkPingMessage` and `NetworkPongMessage`: their times depend on when the recorder had connected.
const UNCOMPARED: [u16; 2] = [17_487, 27_095];
/// `TimeSnapshotMessage`: its content is the time of its batch.
const TIME: u16 = 57_097;

pub(crate) fn run(json: &Value, report: &mut Report) {
    for case in json.at("cases").list() {
        let name = case.at("n").number::<u32>().to_string();
        match case.at("kind").text() {
            "reliable" => run_case::<Reliable>(case, &name, report),
            "unreliable" => run_case::<Unreliable>(case, &name, report),
            "hybrid" => run_case::<Hybrid>(case, &name, report),
            other => panic!("`{other}` is not understood"),
        }
    }
}

fn run_case<M: TransformMethod>(case: &Value, name: &str, report: &mut Report) {
    report.case("server", name, || session_server::run::<M>(case, false));
    report.case("relay", name, || session_server::run::<M>(case, true));
    report.case("client", name, || session_client::run::<M>(case));
}

pub(crate) fn transform<M: TransformMethod>(case: &Value) -> NetworkTransform<M> {
    NetworkTransform::new(settings(case))
}

fn settings(case: &Value) -> TransformSettings {
    TransformSettings {
        sync_scale: case.at("scale").truth(),
        compress_rotation: case.at("compress_rot").truth(),
        only_sync_on_change: case.at("only_on_change").truth(),
        ..TransformSettings::default()
    }
}

pub(crate) fn prefabs<M: TransformMethod>(case: &Value) -> MirrorPrefabs {
    let settings = settings(case);
    let interval = Duration::from_secs_f32(float(case.at("sync_interval")));
    let component = Component::new().sync_interval(interval);
    let player = component.sync_direction(SyncDirection::ClientToServer);
    let make = move || NetworkTransform::<M>::new(settings);
    MirrorPrefabs::new()
        .register_with(
            MirrorPrefab::new("player", 4000.into()).component(0, player),
            make,
        )
        .register_with(
            MirrorPrefab::new("moving", 4001.into()).component(0, component),
            make,
        )
        .register_with(MirrorPrefab::new("other", 4009.into()), BehaviourList::new)
}

/// The frames in which an end sends.
pub(crate) struct Sends {
    interval: AccurateInterval,
    length: f64,
    /// Of hybrid components.
    baselines: Option<AccurateInterval>,
}

/// Takes out the states and baselines of hybrid components.
pub(crate) fn drop_hybrid(sent: &mut Vec<Sent>) {
    sent.retain(|(_, _, message)| !message.starts_with("f935") && !message.starts_with("6347"));
}

/// What an end does in a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    Nothing,
    Sends,
    /// A baseline falls between two sends. Mirror drops it, and ours goes with the next send.
    LostBaseline,
}

impl Sends {
    pub(crate) fn new(case: &Value) -> Self {
        let rate: u16 = case.at("send_rate").number();
        Self {
            interval: AccurateInterval::default(),
            length: f64::from(1.0 / f32::from(rate)),
            baselines: (case.at("kind").text() == "hybrid").then(AccurateInterval::default),
        }
    }

    pub(crate) fn at(&mut self, now: f64) -> Due {
        let is_baseline = self.baselines.as_mut().is_some_and(|it| {
            let is_first = it.last() <= 0.0;
            it.elapsed(now, 1.0) && !is_first
        });
        match self.interval.elapsed(now, self.length) {
            true => Due::Sends,
            false if is_baseline => Due::LostBaseline,
            false => Due::Nothing,
        }
    }
}

/// The numbers of baselines: Mirror's are numbers of frames, and ours count.
#[derive(Default)]
pub(crate) struct Ticks(BTreeMap<String, Vec<String>>);

impl Ticks {
    /// Numbers the baselines of each object in the order of their messages.
    pub(crate) fn renumber(&mut self, messages: &mut [Sent]) {
        for (_, _, message) in messages {
            let (kind, rest) = message.split_at(message.len().min(4));
            if !["6347", "f935"].contains(&kind) {
                continue;
            }
            let (tick, rest) = rest.split_at(2);
            let known = self.0.entry(rest[..2].into()).or_default();
            if kind == "6347" {
                known.push(tick.into());
            }
            let number = known
                .iter()
                .rposition(|it| it == tick)
                .map_or(0, |it| it + 1);
            *message = format!("{kind}{number:02x}{rest}");
        }
    }
}

/// A message: its channel, the time of its batch in units of 10 µs, and its bytes.
pub(crate) type Sent = (u8, i64, String);

/// The compared messages of a batch.
#[allow(clippy::cast_possible_truncation, reason = "times of the recordings")]
pub(crate) fn messages(channel: u8, batch: &[u8]) -> Result<Vec<Sent>, String> {
    let batch = Unbatcher::new(batch).map_err(|error| error.to_string())?;
    let time = (batch.time() * 1e5).round() as i64;
    let mut messages = Vec::new();
    for message in batch {
        let message = message.map_err(|error| error.to_string())?;
        let id = u16::from_le_bytes([message[0], message[1]]);
        if UNCOMPARED.contains(&id) {
            continue;
        }
        let compared = if id == TIME { &message[..2] } else { message };
        messages.push((channel, time, hex::encode(compared)));
    }
    Ok(messages)
}

/// A time, in whole nanoseconds as an end's clock counts them.
pub(crate) fn duration(json: &Value) -> Duration {
    Duration::from_secs_f64(json.seconds())
}

/// Takes over the floats of a recorded baseline that are those of ours but for the last digits: it has the
/// pose between two states.
pub(crate) fn adopt_close_baselines(ours: &mut [Sent], recorded: &[Sent]) {
    // Id, number, object, length, mask and safety byte.
    const HEAD: usize = 14;
    for ((_, _, ours), (_, _, recorded)) in ours.iter_mut().zip(recorded) {
        let is_baseline = ours.starts_with("6347") && ours.len() == recorded.len();
        if is_baseline && ours.get(..HEAD) == recorded.get(..HEAD) {
            let pairs = floats_in(&ours[HEAD..])
                .into_iter()
                .zip(floats_in(&recorded[HEAD..]));
            if { pairs }.all(|(a, b)| (a - b).abs() <= 1e-4 * b.abs().max(1.0)) {
                ours.clone_from(recorded);
            }
        }
    }
}

fn floats_in(text: &str) -> Vec<f32> {
    let bytes = hex::decode(text).unwrap_or_default();
    let floats = bytes.chunks_exact(4);
    floats
        .filter_map(|it| Some(f32::from_le_bytes(it.try_into().ok()?)))
        .collect()
}

/// Compares a pose with a recorded one. The clock of an end counts nanoseconds, so that the fraction of the
/// way between two states differs a little.
pub(crate) fn same_pose(what: &str, ours: &Pose, recorded: &Pose) -> Result<(), String> {
    let near = |a: f32, b: f32| (a - b).abs() <= 1e-4 * b.abs().max(1.0);
    let vectors = |a: Vector3, b: Vector3| near(a.x, b.x) && near(a.y, b.y) && near(a.z, b.z);
    let (a, b) = (ours.rotation, recorded.rotation);
    // `q` and `-q` are one rotation.
    let rotation = [1.0, -1.0].into_iter().any(|sign| {
        let pairs = [(a.x, b.x), (a.y, b.y), (a.z, b.z), (a.w, b.w)];
        pairs.into_iter().all(|(a, b)| near(sign * a, b))
    });
    if vectors(ours.position, recorded.position) && vectors(ours.scale, recorded.scale) && rotation
    {
        return Ok(());
    }
    Err(format!(
        "{what}\n    ours     {ours:?}\n    recorded {recorded:?}"
    ))
}

/// Compares times and speeds of a clock.
pub(crate) fn same_clock(what: &str, ours: &[f64], recorded: &[Value]) -> Result<(), String> {
    let recorded: Vec<f64> = recorded.iter().map(Json::seconds).collect();
    let mut pairs = ours.iter().zip(&recorded);
    if pairs.all(|(ours, recorded)| (ours - recorded).abs() < 1e-6) {
        return Ok(());
    }
    Err(format!(
        "{what}\n    ours     {ours:?}\n    recorded {recorded:?}"
    ))
}
