//! `components_predicted_rigidbody.json`: a predicted body of a client, frame by frame.

use serde_json::Value;
use syncvar::NetworkBehaviour;
use syncvar::mirror::components::{
    PredictedRigidbody, PredictionEvent, PredictionMode, PredictionSettings,
};
use syncvar::prelude::*;
use syncvar::values::{Quaternion, Vector3};
use syncvar::wire::{Encoding, NetworkReader};
use syncvar_runtime::NetworkContext;
use syncvar_runtime::behaviour::{
    Frame, FrameRequests, FrameRole, FrameTime, MessageTime, NetworkFrame, SyncSettings,
};

use super::prediction::{same_rotation, same_vector};
use super::side::{Alone, Side};
use super::snapshots::same_numbers;
use super::{float, rotation, vector};
use crate::Report;
use crate::golden::json::Json;
use syncvar_testing::golden::same;

const SETTINGS: SyncSettings = SyncSettings {
    end_interval: 1.0 / 60.0,
    interval: 0.0,
    owner_writes: false,
};

pub(crate) fn run(json: &Value, report: &mut Report) {
    for case in json.at("cases").list() {
        let name: u32 = case.at("n").number();
        report.check("cases", &name.to_string(), || body(case));
    }
}

fn body(case: &Value) -> Result<(), String> {
    let mut body = PredictedRigidbody::new(PredictionSettings {
        mode: PredictionMode::Fast,
        history_limit: case.at("limit").number(),
        only_record_changes: case.at("only_record_changes").truth(),
        compare_last_first: case.at("compare_last_first").truth(),
        one_frame_ahead: case.at("one_frame_ahead").truth(),
        record_interval: float(case.at("record_interval")),
        ..PredictionSettings::default()
    });
    for (index, step) in case.at("steps").list().iter().enumerate() {
        let result = match step[0].text() {
            "f" => frame(&mut body, step),
            _ => state(&mut body, step),
        };
        result.map_err(|fault| format!("step {index}: {fault}"))?;
    }
    Ok(())
}

fn frame(body: &mut PredictedRigidbody, step: &Value) -> Result<(), String> {
    body.position = vector(&step[3]);
    body.rotation = rotation(&step[4]);
    body.velocity = vector(&step[5]);
    body.angular_velocity = vector(&step[6]);
    let time = FrameTime {
        now: step[1].seconds(),
        predicted: step[1].seconds(),
        shown: Some(step[2].seconds()),
        ..FrameTime::default()
    };
    let mut requests = FrameRequests::default();
    let (address, role) = ((NetId(1), 0), FrameRole::default());
    body.on_frame(&mut Frame::new(
        address.0,
        address.1,
        role,
        SETTINGS,
        time,
        &mut requests,
    ));
    same("held", &body.history().len(), &step[7].number())?;
    let newest = { body.history().last() }.ok_or("nothing is held")?;
    same_numbers("newest", [newest.timestamp], &step.list()[8..9])
}

fn state(body: &mut PredictedRigidbody, step: &Value) -> Result<(), String> {
    while body.poll_event().is_some() {}
    let bytes = step[4].hex();
    let mut reader = NetworkReader::with_encoding(&bytes, Encoding::Mirror);
    let received = body.on_deserialize(&mut reader, false);
    let received = received.map_err(|error| error.to_string())?;
    reader.finish().map_err(|error| error.to_string())?;
    let time = MessageTime {
        remote: step[3].seconds(),
        local: step[1].seconds(),
        predicted: step[1].seconds(),
        shown: Some(step[2].seconds()),
    };
    let (mut side, mut alone) = (Side::client(time, SETTINGS), Alone);
    let ctx = &mut NetworkContext::new(&mut side, &mut alone, NetId(1), 0);
    body.call_hooks(received, ctx);
    same("events", &events(body), &recorded_events(&step[5]))?;
    after(body, step)
}

fn events(body: &mut PredictedRigidbody) -> Vec<&'static str> {
    let events = std::iter::from_fn(|| body.poll_event());
    let names = events.map(|event| match event {
        PredictionEvent::SnappedIntoPlace => "snapped",
        PredictionEvent::Applied => "before_apply",
        PredictionEvent::Corrected => "corrected",
        PredictionEvent::Began | PredictionEvent::Ended => "a motion",
    });
    names.collect()
}

/// An exception ends the call in Mirror: there is no event after it, and ours has none.
fn recorded_events(json: &Value) -> Vec<&str> {
    let names = json.list().iter().map(Json::text);
    names.filter(|name| *name != "throws").collect()
}

/// Compares the body and the history after a state.
fn after(body: &PredictedRigidbody, step: &Value) -> Result<(), String> {
    let [position, velocity, angular]: [Vector3; 3] = [6, 8, 9].map(|index| vector(&step[index]));
    let turn: Quaternion = rotation(&step[7]);
    same_vector("position", body.position, position)?;
    same_rotation("rotation", body.rotation, turn)?;
    same_vector("velocity", body.velocity, velocity)?;
    same_vector("angular velocity", body.angular_velocity, angular)?;
    let history = body.history();
    same("held", &history.len(), &step[10].number())?;
    let (Some(oldest), Some(newest)) = (history.first(), history.last()) else {
        return Ok(());
    };
    let times = [oldest.timestamp, newest.timestamp];
    same_numbers("times", times, &step.list()[11..13])?;
    same_vector("newest position", newest.position, vector(&step[13]))
}
