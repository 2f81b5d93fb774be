//! Contents of datagrams, read from their bytes: WIRE.md, sections 6 and 7.

use std::collections::{BTreeMap, BTreeSet};

use syncvar::wire::NetworkReader;
use syncvar_runtime::unstable::packet::{Entries, Frames};

/// Type of the messages with state, and of long ones.
const UPDATE_BATCH: i16 = 22;
const LONG: i16 = 24;

/// A value of a field: object, field, number.
type Sent = (u32, usize, u32);

/// Datagrams to one client: their contents, and those that the server knows to have arrived.
#[derive(Default)]
pub(super) struct Contents {
    /// Ticks and contents by sequence.
    datagrams: BTreeMap<u16, (u32, Vec<Sent>)>,
    /// Contents of acknowledged datagrams.
    known: BTreeSet<Sent>,
}

impl Contents {
    /// Notes a datagram to the client. Returns a value that the server knows the client to have had.
    pub(super) fn send(&mut self, datagram: &[u8], tick: u32) -> Option<Sent> {
        let (sequence, messages) = split(datagram)?;
        let sent = values(messages);
        let repeated = sent.iter().find(|value| self.known.contains(value));
        let repeated = repeated.copied();
        self.datagrams.insert(sequence, (tick, sent));
        repeated
    }

    /// Notes a packet of the client that the server has received. It has forgotten the contents of datagrams
    /// before the tick `since`.
    pub(super) fn receive(&mut self, datagram: &[u8], since: u32) {
        let mut reader = NetworkReader::new(datagram);
        let Some((newest, missing)) = acknowledged(&mut reader) else {
            return;
        };
        for back in 0..=64 {
            let is_missing = back > 0 && missing >> (back - 1) & 1 == 1;
            let sequence = newest.wrapping_sub(back);
            let sent = self.datagrams.get(&sequence);
            if let Some((_, values)) = sent.filter(|(tick, _)| !is_missing && *tick >= since) {
                self.known.extend(values);
            }
        }
    }

    /// Forgets an object that the client does not see any more.
    pub(super) fn forget(&mut self, object: u32) {
        self.known.retain(|value| value.0 != object);
        for (_, values) in self.datagrams.values_mut() {
            values.retain(|value| value.0 != object);
        }
    }
}

/// Skips sequence, tick, barrier, parts and settled sequence of a datagram. Returns the sequence.
fn skip_place(flags: u8, reader: &mut NetworkReader<'_>) -> Option<u16> {
    let has = |flag| flags & flag != 0;
    let mut sequence = None;
    if has(0x01) {
        sequence = Some(reader.read_u16().ok()?);
        reader.read_bytes(if has(0x02) { 4 } else { 2 }).ok()?;
    }
    reader.read_bytes(if has(0x04) { 2 } else { 0 }).ok()?;
    reader.read_bytes(if has(0x08) { 2 } else { 0 }).ok()?;
    reader.read_bytes(if has(0x80) { 2 } else { 0 }).ok()?;
    sequence
}

/// Returns the newest sequence of an acknowledgement and its mask.
fn acknowledged(reader: &mut NetworkReader<'_>) -> Option<(u16, u64)> {
    let flags = reader.read_u8().ok()?;
    skip_place(flags, reader);
    if flags & 0x10 == 0 {
        return None;
    }
    let newest = reader.read_u16().ok()?;
    reader.read_u16().ok()?;
    let form = reader.read_u8().ok()?;
    let mut missing = [0; 8];
    let length = usize::from(form & 0x0f);
    missing[..length].copy_from_slice(reader.read_bytes(length).ok()?);
    (form & 0x10 == 0).then_some((newest, u64::from_le_bytes(missing)))
}

/// Returns the sequence of a datagram and its messages.
fn split(datagram: &[u8]) -> Option<(u16, &[u8])> {
    let mut reader = NetworkReader::new(datagram);
    let flags = reader.read_u8().ok()?;
    let sequence = skip_place(flags, &mut reader)?;
    if flags & 0x10 != 0 {
        reader.read_bytes(4).ok()?;
        let form = reader.read_u8().ok()?;
        reader.read_bytes(usize::from(form & 0x0f)).ok()?;
    }
    let messages = reader.read_bytes(reader.remaining()).ok()?;
    Some((sequence, messages))
}

/// Returns the values in the state of a datagram.
fn values(messages: &[u8]) -> Vec<Sent> {
    let mut all = Vec::new();
    let frames = Frames::new(messages, LONG).map_while(Result::ok);
    for frame in frames.filter(|frame| frame.message_type == UPDATE_BATCH) {
        for (object, changes) in Entries::new(frame.payload).map_while(Result::ok) {
            let mut reader = NetworkReader::new(changes);
            let mask = reader.read_varint().unwrap_or_default();
            for field in (0..4).filter(|field| mask >> field & 1 == 1) {
                let number = reader.read_varint().unwrap_or_default();
                let padding = reader.read_varint().unwrap_or_default();
                reader
                    .read_bytes(usize::try_from(padding).unwrap())
                    .unwrap();
                all.push((object.0, field, u32::try_from(number).unwrap()));
            }
        }
    }
    all
}
