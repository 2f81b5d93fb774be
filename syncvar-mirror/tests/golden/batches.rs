//! Batches of messages, taken apart to be compared.

use serde_json::Value;

use super::json::Json;
use super::report::same;

/// What was sent: to whom, on which channel, the batch as hexadecimal text.
pub(crate) type Sent = (u32, u8, String);

/// Mirror's ids of messages.
pub(crate) const SPAWN: u16 = 34_916;
pub(crate) const ENTITY_STATE: u16 = 12_339;

/// What was recorded of a frame.
pub(crate) fn recorded(out: &Value) -> Vec<Sent> {
    let batches = out.list().iter();
    let one = |batch: &Value| {
        let (connection, channel) = (batch.at("conn").number(), batch.at("channel").number());
        (connection, channel, batch.at("hex").text().to_string())
    };
    batches.map(one).collect()
}

/// A `VarULong` at the beginning, and what is behind it.
pub(crate) fn var(bytes: &[u8]) -> (u64, &[u8]) {
    let first = bytes[0];
    let count = match first {
        0..=240 => 0,
        241..=248 => 1,
        249 => 2,
        250.. => usize::from(first) - 247,
    };
    let (tail, rest) = bytes[1..].split_at(count);
    let number = tail
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte));
    let value = match first {
        0..=240 => u64::from(first),
        241..=248 => 240 + 256 * u64::from(first - 241) + number,
        249 => 2288 + 256 * u64::from(tail[0]) + u64::from(tail[1]),
        250.. => number,
    };
    (value, rest)
}

/// The messages of a batch, each with the time that stands before them.
pub(crate) fn messages(batch: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let (time, mut rest) = batch.split_at(8);
    let mut messages = Vec::new();
    while !rest.is_empty() {
        let (length, behind) = var(rest);
        let (message, behind) = behind.split_at(usize::try_from(length).expect("a length"));
        messages.push((time.to_vec(), message.to_vec()));
        rest = behind;
    }
    messages
}

/// What names a message.
pub(crate) fn id_of(message: &[u8]) -> u16 {
    u16::from_le_bytes([message[0], message[1]])
}

/// Gives all objects with asset ids from `first` on that of the first: they are several prefabs here, and
/// one in the recording. All of them take three bytes.
pub(crate) fn rename_assets(batch: &mut [u8], first: u32, count: usize) {
    let mut position = 8;
    while position < batch.len() {
        let (length, rest) = var(&batch[position..]);
        let start = batch.len() - rest.len();
        let end = start + usize::try_from(length).expect("a length");
        let message = &batch[start..end];
        if id_of(message) == SPAWN {
            let (_, rest) = var(&message[2..]);
            let (_, rest) = var(&rest[1..]);
            let (asset, _) = var(rest);
            let at = end - rest.len();
            let known = u64::from(first)..u64::from(first) + count as u64;
            if known.contains(&asset) {
                let offset = first - 2288;
                batch[at..at + 3].copy_from_slice(&[249, (offset >> 8) as u8, offset as u8]);
            }
        }
        position = end;
    }
}

/// The same messages to the same connections, but for two freedoms: in which order the changes of
/// several objects come, which follow one another, and in which order a full state has the elements of
/// collections that are in none.
pub(crate) fn same_but_for_order(
    ours: &[Sent],
    recorded: &[Sent],
    is_unordered: &dyn Fn(u32) -> bool,
) -> Result<(), String> {
    let streams = |sent: &[Sent]| {
        let mut streams: Vec<((u32, u8), Vec<(Vec<u8>, Vec<u8>)>)> = Vec::new();
        for (connection, channel, batch) in sent {
            let name = (*connection, *channel);
            let messages = messages(&hex::decode(batch).expect("hexadecimal text"));
            match streams.iter_mut().find(|(known, _)| *known == name) {
                Some((_, stream)) => stream.extend(messages),
                None => streams.push((name, messages)),
            }
        }
        for (_, stream) in &mut streams {
            sort_changes(stream);
        }
        streams
    };
    let (ours, recorded) = (streams(ours), streams(recorded));
    let names = |streams: &[((u32, u8), Vec<_>)]| -> Vec<_> {
        streams
            .iter()
            .map(|(name, messages)| (*name, messages.len()))
            .collect()
    };
    same("connections and channels", &names(&ours), &names(&recorded))?;
    for ((name, ours), (_, recorded)) in ours.iter().zip(&recorded) {
        for (ours, recorded) in ours.iter().zip(recorded) {
            let at = |fault| format!("to {name:?}: {fault}");
            same("time", &ours.0, &recorded.0).map_err(at)?;
            same_message(&ours.1, &recorded.1, is_unordered).map_err(at)?;
        }
    }
    Ok(())
}

/// Sorts the changes of several objects that follow one another and have one time.
fn sort_changes(stream: &mut [(Vec<u8>, Vec<u8>)]) {
    let is_state = |message: &(Vec<u8>, Vec<u8>)| id_of(&message.1) == ENTITY_STATE;
    for run in stream.chunk_by_mut(|a, b| a.0 == b.0 && is_state(a) && is_state(b)) {
        run.sort();
    }
}

fn same_message(
    ours: &[u8],
    recorded: &[u8],
    is_unordered: &dyn Fn(u32) -> bool,
) -> Result<(), String> {
    if ours != recorded && id_of(ours) == SPAWN && id_of(recorded) == SPAWN {
        let ((id, _), (other, _)) = (var(&ours[2..]), var(&recorded[2..]));
        let mut sorted = (ours.to_vec(), recorded.to_vec());
        sorted.0.sort_unstable();
        sorted.1.sort_unstable();
        let id = u32::try_from(id).expect("an id");
        if u64::from(id) == other && is_unordered(id) && sorted.0 == sorted.1 {
            return Ok(());
        }
    }
    same("a message", &hex::encode(ours), &hex::encode(recorded))
}
