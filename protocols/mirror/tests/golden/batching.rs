//! `batching.json`: messages on their way into batches, and out of them.

use std::collections::VecDeque;

use serde_json::Value;
use syncvar::mirror::batch::{Batcher, Unbatcher};

use super::json::Json;
use crate::Report;
use syncvar_testing::golden::{same, same_bytes};

pub(crate) fn run(recording: &Value, report: &mut Report) {
    for case in recording.at("cases").list() {
        report.check("batch", case.at("name").text(), || batch(case));
    }
    for case in recording.at("unbatch").list() {
        report.check("unbatch", case.at("name").text(), || unbatch(case));
    }
}

/// Adds messages and takes batches.
fn batch(case: &Value) -> Result<(), String> {
    let mut batcher = Batcher::new(case.at("threshold").number());
    for step in case.at("steps").list() {
        if let Some(time) = step.get("add_timestamp") {
            let message = vec![step.at("fill_byte").number(); step.at("size").number()];
            batcher.add(&message, time.seconds());
            continue;
        }
        let recorded = step.at("get").truth().then(|| step.at("batch").hex());
        let ours = batcher.next_batch();
        same("taken", &ours.is_some(), &recorded.is_some())?;
        let (ours, recorded) = (ours.unwrap_or_default(), recorded.unwrap_or_default());
        same_bytes("batch", &ours, &recorded)?;
    }
    same("left", &batcher.queued_bytes(), &0)
}

/// Hands over batches and takes messages. Ours has no queue of batches, so that stands here.
fn unbatch(case: &Value) -> Result<(), String> {
    let steps = case.at("steps").list();
    let batches = steps.iter().filter_map(|step| step.get("add"));
    let batches: Vec<_> = batches.map(Json::hex).collect();
    let (mut added, mut queue) = (batches.iter(), VecDeque::new());
    for step in steps {
        if let Some(accepted) = step.get("accepted") {
            let batch = Unbatcher::new(added.next().ok_or("no batch")?);
            same("accepted", &batch.is_ok(), &accepted.truth())?;
            queue.extend(batch);
            continue;
        }
        let next = next_message(&mut queue);
        let recorded = match step.get("throws") {
            Some(_) => Err(()),
            None => Ok(step.at("next").truth().then(|| {
                let time = step.at("timestamp").seconds();
                (step.at("message").hex(), time)
            })),
        };
        same("message", &next, &recorded)?;
    }
    Ok(())
}

/// The next message of all batches, and the time of its batch.
fn next_message(queue: &mut VecDeque<Unbatcher<'_>>) -> Result<Option<(Vec<u8>, f64)>, ()> {
    while let Some(batch) = queue.front_mut() {
        match batch.next() {
            Some(Ok(message)) => return Ok(Some((message.into(), batch.time()))),
            Some(Err(_)) => return Err(()),
            None => queue.pop_front(),
        };
    }
    Ok(None)
}
