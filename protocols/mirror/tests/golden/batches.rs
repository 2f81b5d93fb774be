//! Batches of messages, taken apart to be compared.

use serde_json::Value;

use super::json::Json;
use syncvar_testing::golden::same;

/// What was sent: to whom, on which channel, the batch as hexadecimal text.
pub(crate) type Sent = (u32, u8, String);

/// A message of a batch, behind the time of that.
pub(crate) type Timed = (Vec<u8>, Vec<u8>);

/// Mirror's ids of messages.
pub(crate) const SPAWN: u16 = 34_916;
pub(crate) const ENTITY_STATE: u16 = 12_339;
const DESTROY: u16 = 44_385;

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
pub(crate) fn messages(batch: &[u8]) -> Vec<Timed> {
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
                let [.., high, low] = (first - 2288).to_be_bytes();
                batch[at..at + 3].copy_from_slice(&[249, high, low]);
            }
        }
        position = end;
    }
}

/// The same messages to the same connections, but for what is the order of .NET's tables: in which order
/// the messages of one kind come that follow one another, each about another object (the changes of a
/// broadcast, the objects of a burst, those that go with their owner), and in which order a full state
/// has the elements of collections that are in none.
pub(crate) fn same_but_for_order(
    ours: &[Sent],
    recorded: &[Sent],
    is_unordered: &dyn Fn(u32) -> bool,
) -> Result<(), String> {
    let streams = |sent: &[Sent]| {
        let mut streams: Vec<((u32, u8), Vec<Timed>)> = Vec::new();
        for (connection, channel, batch) in sent {
            let name = (*connection, *channel);
            let messages = messages(&hex::decode(batch).expect("hexadecimal text"));
            match streams.iter_mut().find(|(known, _)| *known == name) {
                Some((_, stream)) => stream.extend(messages),
                None => streams.push((name, messages)),
            }
        }
        for (_, stream) in &mut streams {
            sort_runs(stream);
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

/// Sorts messages of one kind that follow one another, have one time, and are about objects.
fn sort_runs(stream: &mut [Timed]) {
    let is_free = |id| [ENTITY_STATE, SPAWN, DESTROY].contains(&id);
    let kind = |message: &Timed| Some(id_of(&message.1)).filter(|id| is_free(*id));
    for run in stream.chunk_by_mut(|a, b| a.0 == b.0 && kind(a).is_some() && kind(a) == kind(b)) {
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

#[test]
fn only_the_order_of_dot_nets_tables_is_free() {
    let batch = |messages: &[&str]| {
        let lengths = messages.iter().map(|message| message.len() / 2);
        let framed = lengths
            .zip(messages)
            .map(|(length, it)| format!("{length:02x}{it}"));
        vec![(
            1,
            0,
            format!("0000000000005940{}", framed.collect::<String>()),
        )]
    };
    let (state, other) = ("333001020a0b", "333002020c0d");
    let (spawn, shuffled) = ("6488010000010203", "6488010000010302");
    let free = |ours: &[&str], recorded: &[&str]| {
        same_but_for_order(&batch(ours), &batch(recorded), &|id| id == 1).is_ok()
    };
    assert!(free(&[state, other, spawn], &[other, state, shuffled]));
    assert!(!free(&[state, spawn, other], &[other, spawn, state]));
    let second = "6488020000040506";
    assert!(free(&[spawn, second], &[second, spawn]));
    assert!(!free(&[state, other], &[state, state]));
    assert!(!free(&[state], &[state, other]));
    assert!(!free(&[spawn], &["6488020000010302"]));
    let not_free = same_but_for_order(&batch(&[spawn]), &batch(&[shuffled]), &|_| false);
    assert!(not_free.is_err());
}
