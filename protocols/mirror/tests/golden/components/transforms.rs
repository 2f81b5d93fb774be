//! `components_transform_*.json`: the messages of the three transforms, and the states that their
//! receivers make of them.

use serde_json::Value;
use syncvar::NetworkBehaviour;
use syncvar::mirror::components::{
    NetworkTransform, NetworkTransformHybrid, NetworkTransformReliable, NetworkTransformUnreliable,
    Pose, Snapshot, TransformMethod, TransformSettings,
};
use syncvar::prelude::*;
use syncvar::values::{Quaternion, Vector3};
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter};
use syncvar_runtime::CallContext;
use syncvar_runtime::behaviour::{
    Frame, FrameRequests, FrameRole, FrameTime, MessageTime, NetworkFrame, SyncSettings,
};
use syncvar_runtime::{NetworkCalls, NetworkContext};

use super::{bits, double_bits, float, rotation, vector};
use crate::Report;
use crate::golden::components::side::{Alone, Side};
use crate::golden::json::Json;
use syncvar_testing::golden::{same, same_bytes};

pub(crate) fn run_reliable(json: &Value, report: &mut Report) {
    for case in json.at("cases").list() {
        let name: u32 = case.at("n").number();
        report.check("cases", &name.to_string(), || reliable(case));
    }
}

pub(crate) fn run_hybrid(json: &Value, report: &mut Report) {
    for case in json.at("cases").list() {
        let name: u32 = case.at("n").number();
        report.check("cases", &name.to_string(), || hybrid(case));
    }
}

pub(crate) fn run_unreliable(json: &Value, report: &mut Report) {
    for case in json.at("cases").list() {
        let name: u32 = case.at("n").number();
        report.check("cases", &name.to_string(), || unreliable(case));
    }
}

fn settings(case: &Value) -> TransformSettings {
    let float_or = |name: &str, default: f32| case.get(name).map_or(default, float);
    let defaults = TransformSettings::default();
    TransformSettings {
        sync_position: case.at("pos").truth(),
        sync_rotation: case.at("rot").truth(),
        sync_scale: case.at("scale").truth(),
        only_sync_on_change: case.at("only_on_change").truth(),
        compress_rotation: case.at("compress_rot").truth(),
        timeline_offset: case.get("timeline_offset").is_none_or(Json::truth),
        position_precision: float_or("position_precision", defaults.position_precision),
        rotation_precision: float_or("rotation_precision", defaults.rotation_precision),
        scale_precision: float_or("scale_precision", defaults.scale_precision),
        position_sensitivity: float_or("position_sensitivity", defaults.position_sensitivity),
        rotation_sensitivity: float_or("rotation_sensitivity", defaults.rotation_sensitivity),
        scale_sensitivity: float_or("scale_sensitivity", defaults.scale_sensitivity),
        ..defaults
    }
}

pub(crate) fn pose(json: &Value) -> Pose {
    Pose {
        position: vector(&json[0]),
        rotation: rotation(&json[1]),
        scale: vector(&json[2]),
    }
}

fn set<M: TransformMethod>(transform: &mut NetworkTransform<M>, pose: Pose) {
    (transform.position, transform.rotation, transform.scale) =
        (pose.position, pose.rotation, pose.scale);
}

fn sync_settings(case: &Value) -> SyncSettings {
    let rate: u16 = case.get("send_rate").map_or(60, Json::number);
    SyncSettings {
        end_interval: 1.0 / f32::from(rate),
        interval: case.get("sync_interval").map_or(0.0, float),
        owner_writes: false,
    }
}

fn written<B: NetworkBehaviour>(behaviour: &mut B, initial: bool) -> Vec<u8> {
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    behaviour.on_serialize(&mut writer, initial);
    writer.as_bytes().to_vec()
}

fn receive<B: NetworkBehaviour>(
    behaviour: &mut B,
    (bytes, initial): (&[u8], bool),
    side: &mut Side,
) -> Result<(), String> {
    let mut reader = NetworkReader::with_encoding(bytes, Encoding::Mirror);
    let received = behaviour.on_deserialize(&mut reader, initial);
    let received = received.map_err(|error| error.to_string())?;
    reader.finish().map_err(|error| error.to_string())?;
    let mut alone = Alone;
    let ctx = &mut NetworkContext::new(side, &mut alone, NetId(1), 0);
    behaviour.call_hooks(received, ctx);
    Ok(())
}

/// A state by its bits.
type Bits = ([u64; 2], [[u32; 4]; 3]);

fn bits_of(times: [f64; 2], pose: &Pose) -> Bits {
    let three = |v: Vector3| [v.x.to_bits(), v.y.to_bits(), v.z.to_bits(), 0];
    let parts = [three(pose.position), bits(pose.rotation), three(pose.scale)];
    // All NaNs are one.
    let parts = parts.map(|part| {
        part.map(|bits| {
            if f32::from_bits(bits).is_nan() {
                0x7fc0_0000
            } else {
                bits
            }
        })
    });
    (double_bits(times), parts)
}

fn ours(snapshot: &Snapshot<Pose>) -> Bits {
    bits_of([snapshot.remote_time, snapshot.local_time], &snapshot.value)
}

fn recorded(json: &Value) -> Bits {
    let pose = Pose {
        position: vector(&json[2]),
        rotation: rotation(&json[3]),
        scale: vector(&json[4]),
    };
    bits_of([json[0].seconds(), json[1].seconds()], &pose)
}

/// Takes states off the front, as the test that recorded the list had.
fn forget_old<M: TransformMethod>(transform: &mut NetworkTransform<M>, expected: &[Value]) {
    let Some(first) = expected.first().map(|first| first[0].seconds()) else {
        return;
    };
    let times: Vec<_> = { transform.snapshots().iter() }
        .map(|snapshot| snapshot.remote_time)
        .collect();
    let Some(last) = times.last() else {
        return;
    };
    let place = times.iter().position(|time| *time >= first);
    let keep = match place {
        Some(place) if times[place] <= first => place,
        // A rest was rewritten: one state was left.
        _ => times.len() - 1,
    };
    let shown = times
        .get(keep + 1)
        .map_or(last + 1.0, |next| f64::midpoint(times[keep], *next));
    let pose = transform.pose();
    for _ in 0..40 {
        let mut requests = FrameRequests::default();
        let settings = SyncSettings {
            end_interval: 1.0,
            interval: 0.0,
            owner_writes: false,
        };
        let time = FrameTime {
            shown: Some(shown),
            ..FrameTime::default()
        };
        let role = FrameRole::default();
        let address = (NetId(1), 0);
        transform.on_frame(&mut Frame::new(
            address.0,
            address.1,
            role,
            settings,
            time,
            &mut requests,
        ));
    }
    set(transform, pose);
}

fn reliable(case: &Value) -> Result<(), String> {
    let mut sender = NetworkTransformReliable::new(settings(case)).at(pose(case.at("start")));
    let mut receiver = NetworkTransformReliable::new(settings(case));
    for (index, step) in case.at("steps").list().iter().enumerate() {
        let what = |what: &str| format!("step {index}: {what}");
        set(&mut sender, pose(step.at("set")));
        same(
            &what("changed"),
            &sender.has_changed(),
            &step.at("changed").truth(),
        )?;
        let initial = step.at("initial").truth();
        let bytes = written(&mut sender, initial);
        same_bytes(&what("bytes"), &bytes, &step.at("hex").hex())?;
        let Some(snapshots) = step.get("snapshots") else {
            continue;
        };
        let snapshots = snapshots.list();
        forget_old(&mut receiver, snapshots);
        let now = step.at("t").seconds();
        let time = MessageTime {
            remote: now,
            local: now + 0.05,
            ..MessageTime::default()
        };
        let mut side = Side::client(time, sync_settings(case));
        receive(&mut receiver, (&bytes, initial), &mut side)?;
        let held: Vec<_> = receiver.snapshots().iter().map(ours).collect();
        let recorded: Vec<_> = snapshots.iter().map(recorded).collect();
        if held != recorded {
            return Err(format!(
                "{}\n    ours     {:?}\n    recorded {snapshots:?}",
                what("states"),
                receiver.snapshots()
            ));
        }
    }
    Ok(())
}

fn hybrid(case: &Value) -> Result<(), String> {
    let mut sender = NetworkTransformHybrid::new(settings(case)).at(pose(case.at("start")));
    let mut receiver = NetworkTransformHybrid::new(settings(case));
    for (index, step) in case.at("steps").list().iter().enumerate() {
        let what = |what: &str| format!("step {index}: {what}");
        set(&mut sender, pose(step.at("set")));
        same(
            &what("changed"),
            &sender.has_changed(),
            &step.at("changed").truth(),
        )?;
        let initial = step.at("initial").truth();
        let bytes = written(&mut sender, initial);
        same_bytes(&what("bytes"), &bytes, &step.at("hex").hex())?;
        if step.at("lost").truth() {
            continue;
        }
        let now = step.at("t").seconds();
        let time = MessageTime {
            remote: now,
            local: now,
            ..MessageTime::default()
        };
        let mut side = Side::client(time, sync_settings(case));
        receive(&mut receiver, (&bytes, initial), &mut side)?;
        same(
            &what("held"),
            &receiver.snapshots().len(),
            &step.at("count").number(),
        )?;
        let newest = receiver.snapshots().last().ok_or("nothing is held")?;
        if ours(newest) != recorded(step.at("newest")) {
            let recorded = step.at("newest");
            let what = what("newest");
            return Err(format!(
                "{what}\n    ours     {newest:?}\n    recorded {recorded}"
            ));
        }
    }
    Ok(())
}

fn unreliable(case: &Value) -> Result<(), String> {
    let settings = TransformSettings {
        // The recording has no rests.
        buffer_reset_multiplier: f32::INFINITY,
        ..settings(case)
    };
    let mut sender = NetworkTransformUnreliable::new(settings).at(pose(case.at("start")));
    let bytes = written(&mut sender, true);
    same_bytes("spawn", &bytes, &case.at("initial_hex").hex())?;
    let delta = written(&mut sender, false);
    same_bytes("delta", &delta, &case.at("delta_hex").hex())?;
    let mut receiver = NetworkTransformUnreliable::new(settings);
    let time = MessageTime {
        remote: 100.0,
        local: 100.0,
        ..MessageTime::default()
    };
    let mut side = Side::client(time, sync_settings(case));
    receive(&mut receiver, (&bytes, true), &mut side)?;
    let start = pose(case.at("receiver_start"));
    let zero = [0.0; 2];
    same(
        "start",
        &bits_of(zero, &receiver.pose()),
        &bits_of(zero, &start),
    )?;
    for (index, step) in case.at("steps").list().iter().enumerate() {
        let what = |what: &str| format!("step {index}: {what}");
        set(&mut sender, pose(step.at("set")));
        let now = step.at("t").seconds();
        let sent = frame(&mut sender, now, sync_settings(case));
        same(&what("sent"), &sent.is_some(), &step.at("sent").truth())?;
        let Some(bytes) = sent else {
            continue;
        };
        same_bytes(&what("bytes"), &bytes, &step.at("hex").hex())?;
        if step.at("lost").truth() {
            continue;
        }
        side.time.remote = now;
        let mut reader = NetworkReader::with_encoding(&bytes, Encoding::Mirror);
        let mut alone = Alone;
        let ctx = NetworkContext::new(&mut side, &mut alone, NetId(1), 0);
        let mut ctx = CallContext::new(ctx, None);
        // `RpcServerToClientSync`
        let read = receiver.handle_own_call(6, &mut reader, &mut ctx);
        read.map_err(|error| error.to_string())?;
        let newest = receiver.snapshots().last().ok_or("nothing is held")?;
        let mut got = pose(step.at("got"));
        if !settings.compress_rotation && are_close(newest.value.rotation, got.rotation) {
            // Sines and cosines differ by machine.
            got.rotation = newest.value.rotation;
        }
        if bits_of(zero, &newest.value) != bits_of(zero, &got) {
            let (what, ours) = (what("got"), &newest.value);
            return Err(format!(
                "{what}\n    ours     {ours:?}\n    recorded {got:?}"
            ));
        }
    }
    Ok(())
}

/// Whether two rotations are the same: `q` and `-q` are one rotation.
fn are_close(a: Quaternion, b: Quaternion) -> bool {
    let is_close = |sign: f32| {
        let distances = [
            a.x - sign * b.x,
            a.y - sign * b.y,
            a.z - sign * b.z,
            a.w - sign * b.w,
        ];
        distances.into_iter().all(|distance| distance.abs() < 1e-9)
    };
    is_close(1.0) || is_close(-1.0)
}

/// Runs a frame of a server in which the send interval is over; returns the arguments of the call.
fn frame(
    sender: &mut NetworkTransformUnreliable,
    now: f64,
    settings: SyncSettings,
) -> Option<Vec<u8>> {
    let mut requests = FrameRequests::default();
    let role = FrameRole {
        is_server: true,
        is_ready: true,
        ..FrameRole::default()
    };
    let time = FrameTime {
        now,
        ..FrameTime::default()
    };
    // Each recorded step is one send, wherever the multiples of the interval are.
    let settings = SyncSettings {
        end_interval: 0.001,
        ..settings
    };
    let address = (NetId(1), 0);
    sender.on_frame(&mut Frame::new(
        address.0,
        address.1,
        role,
        settings,
        time,
        &mut requests,
    ));
    requests.calls.first().map(|call| call.arguments().to_vec())
}
