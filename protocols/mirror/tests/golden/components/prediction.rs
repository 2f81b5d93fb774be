//! `components_prediction.json`: a history of states, corrected by states of the server.

use serde_json::Value;
use syncvar::SyncValue;
use syncvar::mirror::components::{BodyState, PredictedState, PredictionHistory};
use syncvar::values::{Quaternion, Vector3};
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter};

use super::snapshots::same_numbers;
use super::{float, rotation, vector};
use crate::Report;
use crate::golden::json::Json;
use syncvar_testing::golden::{same, same_bytes};

pub(crate) fn run(json: &Value, report: &mut Report) {
    for (index, case) in json.at("cases").list().iter().enumerate() {
        let name = index.to_string();
        if let Some(values) = case.get("wire") {
            report.check("wire", &name, || wire(values, &case.at("hex").hex()));
        } else {
            report.check("histories", &name, || history(case));
        }
    }
}

fn wire(values: &Value, bytes: &[u8]) -> Result<(), String> {
    let state = PredictedState {
        delta_time: float(&values[0]),
        position: vector(&values[1]),
        rotation: rotation(&values[2]),
        velocity: vector(&values[3]),
        angular_velocity: vector(&values[4]),
    };
    let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
    state.write(&mut writer);
    same_bytes("payload", writer.as_bytes(), bytes)?;
    let mut reader = NetworkReader::with_encoding(bytes, Encoding::Mirror);
    let read = PredictedState::read(&mut reader).map_err(|error| error.to_string())?;
    same("read", &read.same(&state), &true)
}

fn state(json: &Value) -> BodyState {
    BodyState {
        timestamp: json[0].seconds(),
        position_delta: vector(&json[1]),
        position: vector(&json[2]),
        rotation_delta: rotation(&json[3]),
        rotation: rotation(&json[4]),
        velocity_delta: vector(&json[5]),
        velocity: vector(&json[6]),
        angular_velocity_delta: vector(&json[7]),
        angular_velocity: vector(&json[8]),
    }
}

fn history(case: &Value) -> Result<(), String> {
    let states = case.at("history").list();
    let limit = case.get("limit").map_or(usize::MAX, Json::number);
    // The recorded history may be longer than the limit.
    let mut history = PredictionHistory::new(limit.max(2));
    for state in states.iter().map(state) {
        history.insert(state);
    }
    let sample = history.sample(case.at("timestamp").seconds());
    let recorded = case.at("sample").list();
    same("found", &sample.is_some(), &recorded[0].truth())?;
    let Some(sample) = sample else {
        return Ok(());
    };
    let times = [sample.before.timestamp, sample.after.timestamp];
    same_numbers("sample", times, &recorded[1..3])?;
    same("index", &sample.after_index, &recorded[3].number())?;
    same_numbers("fraction", [sample.fraction], &recorded[4..])?;
    let between = BodyState::interpolated(&sample.before, &sample.after, sample.fraction);
    let [position, turn, velocity, angular] =
        [0, 1, 2, 3].map(|index| &case.at("interpolated")[index]);
    same_vector("position", between.position, vector(position))?;
    same_rotation("rotation", between.rotation, rotation(turn))?;
    same_vector("velocity", between.velocity, vector(velocity))?;
    same_vector(
        "angular velocity",
        between.angular_velocity,
        vector(angular),
    )?;
    let Some(corrected) = case.get("corrected") else {
        return Ok(());
    };
    let last = history.correct(state(corrected), &sample);
    same("corrected", &last.is_none(), &case.get("throws").is_some())?;
    let Some(last) = last else {
        return Ok(());
    };
    same_state("last", &last, &state(case.at("last")))?;
    let after = case.at("history_after").list();
    same("length", &history.states().len(), &after.len())?;
    for (ours, recorded) in history.states().iter().zip(after) {
        same_state("after", ours, &state(recorded))?;
    }
    Ok(())
}

fn same_state(what: &str, ours: &BodyState, recorded: &BodyState) -> Result<(), String> {
    same_numbers(what, [ours.timestamp], &[recorded.timestamp.into()])?;
    same_vector(what, ours.position_delta, recorded.position_delta)?;
    same_vector(what, ours.position, recorded.position)?;
    same_vector(what, ours.velocity_delta, recorded.velocity_delta)?;
    same_vector(what, ours.velocity, recorded.velocity)?;
    same_vector(
        what,
        ours.angular_velocity_delta,
        recorded.angular_velocity_delta,
    )?;
    same_vector(what, ours.angular_velocity, recorded.angular_velocity)?;
    same_rotation(what, ours.rotation_delta, recorded.rotation_delta)?;
    same_rotation(what, ours.rotation, recorded.rotation)
}

pub(crate) fn same_vector(what: &str, ours: Vector3, recorded: Vector3) -> Result<(), String> {
    let bits = |v: Vector3| [v.x + 0.0, v.y + 0.0, v.z + 0.0].map(f32::to_bits);
    if bits(ours) == bits(recorded) {
        return Ok(());
    }
    same(what, &ours, &recorded)
}

/// Sines differ by machine in the last digits.
pub(crate) fn same_rotation(
    what: &str,
    ours: Quaternion,
    recorded: Quaternion,
) -> Result<(), String> {
    let (a, b) = (ours, recorded);
    let distances = [a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w];
    if distances.into_iter().all(|distance| distance.abs() <= 2e-6) {
        return Ok(());
    }
    same(what, &ours, &recorded)
}
