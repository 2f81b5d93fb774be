//! `syncobjects.json`, `syncobjects_random.json`: one collection, and clients that follow it.

use serde_json::Value;

use super::component::Component;
use super::differences::Rule;
use super::json::{Json, loose};
use super::subject::Class;
use super::{classes, log};
use crate::{Report, Verdict};
use syncvar_testing::golden::{same, same_bytes};

pub(crate) fn run(json: &Value, report: &mut Report) {
    for case in json.at("cases").list() {
        let (kind, name) = (case.at("type").text(), case.at("name").text());
        report.check(kind, name, || one(case));
        for step in case.at("steps").list() {
            let told = step.get("server_events");
            if told.is_some_and(|told| !told.list().is_empty()) {
                report.case(kind, name, || Ok(Verdict::Ruled(Rule::HookOnServer)));
            }
        }
    }
}

fn class_of(case: &Value) -> Result<&'static Class, String> {
    match case.get("behaviour") {
        Some(name) => classes::find(name.text()),
        None => classes::of_collection(case.at("type").text()),
    }
    .ok_or_else(|| format!("no class for `{}`", case.at("type").text()))
}

fn one(case: &Value) -> Result<(), String> {
    let class = class_of(case)?;
    let mut server = Component::observed(class);
    let mut clients = Vec::new();
    for (index, step) in case.at("steps").list().iter().enumerate() {
        let done = match step.get("join") {
            Some(client) => {
                same("the number of clients", &clients.len(), &client.number())?;
                join(&mut server, class, step).map(|client| clients.push(client))
            }
            None => frame(&mut server, &mut clients, step),
        };
        done.map_err(|fault| format!("step {index}: {fault}"))?;
    }
    Ok(())
}

/// Somebody new is given the full state, in which there may be changes that have not been sent.
fn join(server: &mut Component, class: &'static Class, step: &Value) -> Result<Component, String> {
    for operation in step.at("ops_before_join").list() {
        server.subject_mut().operate(operation);
    }
    full(server, step)?;
    let mut client = Component::new(class);
    log::take();
    client.read_and_notify(&step.at("all").hex(), true)?;
    same_content(&client, step.at("client_content"))?;
    same_events(step.at("client_events"))?;
    Ok(client)
}

/// The changes are sent.
fn frame(server: &mut Component, clients: &mut [Component], step: &Value) -> Result<(), String> {
    for operation in step.at("ops").list() {
        server.subject_mut().operate(operation);
    }
    same_content(server, step.at("server_content"))?;
    full(server, step)?;
    let delta = delta(server, step)?;
    for told in step.at("clients_after_delta").list() {
        let index: usize = told.at("client").number();
        let at = |fault| format!("client {index}: {fault}");
        log::take();
        clients[index].read_and_notify(&delta, false).map_err(at)?;
        same_content(&clients[index], told.at("content")).map_err(at)?;
        same_events(told.at("events")).map_err(at)?;
        same("an error", told.at("error"), &Value::Null)?;
    }
    Ok(())
}

/// Compares the full state, byte by byte, but for the order of what is in no order.
fn full(server: &mut Component, step: &Value) -> Result<(), String> {
    let (ours, recorded) = (server.write(true, false), step.at("all").hex());
    let kind = server.subject().members()[0].1.kind();
    if ours == recorded || kind.starts_with("SyncList") || kind.starts_with("SyncSortedSet") {
        return same_bytes("all", &ours, &recorded);
    }
    let mut sorted = (ours, recorded);
    sorted.0.sort_unstable();
    sorted.1.sort_unstable();
    same_bytes("all, its bytes sorted", &sorted.0, &sorted.1)
}

/// Compares the change, and makes the server clean. Returns the payload of the component.
fn delta(server: &mut Component, step: &Value) -> Result<Vec<u8>, String> {
    let dirty: u64 = step.at("dirty").number();
    same("dirty", &server.masks().1, &dirty)?;
    let mut recorded = dirty.to_le_bytes().to_vec();
    let changes = step.at("delta").hex();
    if dirty == 0 {
        same_bytes("the change of a clean collection", &changes, &[0; 4])?;
    } else {
        recorded.extend(changes);
    }
    same_bytes("delta", &server.write(false, false), &recorded)?;
    server.clear();
    Ok(recorded)
}

fn same_content(component: &Component, recorded: &Value) -> Result<(), String> {
    let members = component.subject().members();
    let (_, collection) = members.first().expect("a collection");
    same(
        "content",
        &collection.shown(),
        &collection.canonical(recorded),
    )
}

/// What the hook was told since the log was last taken.
fn same_events(recorded: &Value) -> Result<(), String> {
    let events = log::take().into_iter().map(|entry| entry.arguments);
    let events: Vec<_> = events
        .flat_map(|events| events.list().iter().map(loose).collect::<Vec<_>>())
        .collect();
    same("events", &Value::Array(events), &loose(recorded))
}

pub(crate) fn run_random(json: &Value, report: &mut Report) {
    for case in json.at("cases").list() {
        let (kind, name) = (case.at("type").text(), case.at("name").text());
        report.check(kind, name, || random(case));
    }
}

fn random(case: &Value) -> Result<(), String> {
    let class = class_of(case)?;
    let mut server = Component::observed(class);
    let mut client = Component::new(class);
    client.read(&server.write(true, false), true)?;
    for (index, step) in case.at("steps").list().iter().enumerate() {
        let at = |fault| format!("step {index}: {fault}");
        for operation in step.at("ops").list() {
            server.subject_mut().operate(operation);
        }
        same_content(&server, step.at("content")).map_err(at)?;
        full(&mut server, step).map_err(at)?;
        let mut joined = Component::new(class);
        joined.read(&step.at("all").hex(), true).map_err(at)?;
        let delta = delta(&mut server, step).map_err(at)?;
        for client in [&mut client, &mut joined] {
            client.read(&delta, false).map_err(at)?;
            same_content(client, step.at("content")).map_err(at)?;
        }
    }
    Ok(())
}
