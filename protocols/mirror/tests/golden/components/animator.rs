//! `components_animator.json`, `components_animator_messages.json`: the payloads and messages of an animator.

use std::time::Duration;

use serde_json::Value;
use syncvar::mirror::components::{
    AnimatorLayer, AnimatorState, AnimatorTransition, AnimatorValue, NetworkAnimator,
};
use syncvar::mirror::{Component, MirrorPrefab, MirrorPrefabs, MirrorServer, MirrorSpawnOptions};
use syncvar::prelude::*;
use syncvar::wire::{Encoding, NetworkReader, NetworkWriter};
use syncvar::{Channel, NetworkBehaviour};
use syncvar_runtime::BehaviourList;
use syncvar_runtime::behaviour::{
    Frame, FrameRequests, FrameRole, FrameTime, NetworkFrame, SyncSettings,
};

use super::sessions::{LIMITS, messages};
use super::{float, session_server::READY};
use crate::Report;
use crate::golden::json::Json;
use syncvar_testing::golden::{same, same_bytes};

pub(crate) fn run(json: &Value, report: &mut Report) {
    for case in json.at("cases").list() {
        let name: u32 = case.at("n").number();
        report.check("payloads", &name.to_string(), || payloads(case));
    }
}

pub(crate) fn run_messages(json: &Value, report: &mut Report) {
    for case in json.at("cases").list() {
        let name: u32 = case.at("n").number();
        report.check("messages", &name.to_string(), || sent(case));
    }
}

fn zero(kind: &str) -> AnimatorValue {
    match kind {
        "Int" => AnimatorValue::Int(0),
        "Float" => AnimatorValue::Float(0.0),
        "Bool" => AnimatorValue::Bool(false),
        "Trigger" => AnimatorValue::Trigger,
        other => panic!("`{other}` is not understood"),
    }
}

fn set(value: &mut AnimatorValue, json: &Value) {
    *value = match value {
        AnimatorValue::Int(_) => AnimatorValue::Int(json.number()),
        AnimatorValue::Float(_) => AnimatorValue::Float(float(json)),
        AnimatorValue::Bool(_) => AnimatorValue::Bool(json.truth()),
        AnimatorValue::Trigger => AnimatorValue::Trigger,
    };
}

fn state(hash: &Value, time: &Value) -> AnimatorState {
    AnimatorState {
        hash: hash.number(),
        normalized_time: float(time),
    }
}

fn layer(json: &Value) -> AnimatorLayer {
    let next = state(&json[3], &json[4]);
    let transition = AnimatorTransition { hash: 1, next };
    AnimatorLayer {
        state: state(&json[0], &json[1]),
        transition: json[2].truth().then_some(transition),
        weight: float(&json[5]),
    }
}

fn payloads(case: &Value) -> Result<(), String> {
    let all = case.at("parameters").list();
    // Those that a curve drives are left out.
    let kept: Vec<_> = (0..all.len())
        .filter(|index| !all[*index][2].truth())
        .collect();
    let values = kept.iter().map(|index| zero(all[*index][1].text()));
    let layers: Vec<_> = case.at("layers").list().iter().map(layer).collect();
    let mut animator = NetworkAnimator::new(values.clone(), layers.clone());
    for (index, step) in case.at("steps").list().iter().enumerate() {
        for pair in step.at("set").list() {
            let place = kept.iter().position(|it| *it == pair[0].number::<usize>());
            if let Some(place) = place {
                set(&mut animator.parameters_mut()[place], &pair[1]);
            }
        }
        let what = format!("step {index}");
        if let Some(initial) = step.get("initial_hex") {
            let mut writer = NetworkWriter::with_encoding(Encoding::Mirror);
            animator.on_serialize(&mut writer, true);
            same_bytes(&what, writer.as_bytes(), &initial.hex())?;
            let mut copy = NetworkAnimator::new(values.clone(), layers.clone());
            let mut reader = NetworkReader::with_encoding(writer.as_bytes(), Encoding::Mirror);
            copy.on_deserialize(&mut reader, true)
                .map_err(|error| error.to_string())?;
            reader.finish().map_err(|error| error.to_string())?;
            same(&what, &copy.parameters(), &animator.parameters())?;
            continue;
        }
        let blob = frame(&mut animator, index);
        same(
            &format!("{what}: sent"),
            &blob.is_some(),
            &step.at("sent").truth(),
        )?;
        if let Some(blob) = blob {
            // Behind its length.
            same_bytes(&what, &blob[1..], &step.at("parameters_hex").hex())?;
        }
    }
    Ok(())
}

/// A frame of a server: the arguments of `RpcOnAnimationParametersClientMessage`, if it is called.
fn frame(animator: &mut NetworkAnimator, index: usize) -> Option<Vec<u8>> {
    let role = FrameRole {
        is_server: true,
        is_ready: true,
        ..FrameRole::default()
    };
    let settings = SyncSettings {
        end_interval: 0.02,
        interval: 0.0,
        owner_writes: false,
    };
    let time = FrameTime {
        now: f64::from(u32::try_from(index).expect("few steps") + 1),
        ..FrameTime::default()
    };
    let mut requests = FrameRequests::default();
    animator.on_frame(&mut Frame::new(
        NetId(1),
        0,
        role,
        settings,
        time,
        &mut requests,
    ));
    let call = requests.calls.iter().find(|call| call.number() == 5)?;
    Some(call.arguments().to_vec())
}

/// What a server sends to its only observer.
fn sent(case: &Value) -> Result<(), String> {
    let kinds: Vec<_> = { case.at("parameters").list().iter() }
        .map(|parameter| zero(parameter[1].text()))
        .collect();
    let layers: Vec<_> = (0..case.at("layer_count").number())
        .map(|index: i32| {
            AnimatorLayer::new(AnimatorState {
                hash: 100 + index,
                normalized_time: 0.0,
            })
        })
        .collect();
    let make = move || NetworkAnimator::new(kinds.clone(), layers.clone());
    let interval = Duration::from_secs_f32(float(case.at("sync_interval")));
    let component = Component::new().sync_interval(interval);
    let prefabs = MirrorPrefabs::new()
        .register_with(MirrorPrefab::new("other", 4009.into()), BehaviourList::new)
        .register_with(
            MirrorPrefab::new("animator", 4010.into()).component(0, component),
            make.clone(),
        );
    let mut server = MirrorServer::new(prefabs);
    server.advance_time(Duration::from_secs(100));
    let connection = server.handle_connect(LIMITS);
    server
        .handle_packet(connection, Channel::Reliable, &READY)
        .expect("ready");
    let options = MirrorSpawnOptions {
        prefab: Some("other".into()),
        ..MirrorSpawnOptions::default()
    };
    server
        .add_player_with(connection, BehaviourList::new(), options)
        .expect("a player");
    let id = server.spawn(make());
    same("id", &id.0, &case.at("animator_net_id").number())?;
    for (index, step) in case.at("steps").list().iter().enumerate() {
        let mut animator = server.get_mut::<NetworkAnimator>(id).expect("an animator");
        for operation in step.at("do").list() {
            apply(&mut animator, operation.list());
        }
        drop(animator);
        server.update(Duration::from_secs_f64(step.at("t").seconds()));
        let mut ours = Vec::new();
        while let Some(transmit) = server.poll_transmit() {
            for (_, _, message) in messages(transmit.channel as u8, &transmit.to_bytes())? {
                ours.push(message);
            }
        }
        // The time, and the frame of the burst.
        ours.retain(|message| !["09df", "d830", "b4a9"].contains(&&**message));
        let recorded = step.at("messages").list().iter().map(Json::text);
        let recorded: Vec<_> = recorded.map(str::to_owned).collect();
        same(&format!("step {index}"), &ours, &recorded)?;
    }
    Ok(())
}

fn apply(animator: &mut NetworkAnimator, operation: &[Value]) {
    let place = |index: usize| operation[index].number::<usize>();
    match operation[0].text() {
        "set" => set(&mut animator.parameters_mut()[place(1)], &operation[2]),
        "trigger" => animator.set_trigger(operation[1].number()),
        "reset_trigger" => animator.reset_trigger(operation[1].number()),
        "state" => {
            let layer = &mut animator.layers_mut()[place(1)];
            (layer.state, layer.transition) = (state(&operation[2], &operation[3]), None);
        }
        "transition" => {
            animator.layers_mut()[place(1)].transition = Some(AnimatorTransition {
                hash: operation[2].number(),
                next: AnimatorState::default(),
            });
        }
        "weight" => animator.layers_mut()[place(1)].weight = float(&operation[2]),
        "speed" => animator.speed = float(&operation[1]),
        other => panic!("`{other}` is not understood"),
    }
}
