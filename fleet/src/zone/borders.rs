//! `Borders`: records of the objects near the borders, for the neighbour zones.
//!
//! A record of a border is a record of the zone with the entries of these objects. Its head takes 24 bytes in a tick, whatever the number
//! of objects. Epochs, and their checksum, are in the records in which objects enter.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use syncvar_net::{NetworkServer, RecordExcerpt, TickRecord};
use syncvar_runtime::{Encoding, NetId, NetworkReader, NetworkWriter};

use super::message::read_u32;
use crate::zone::ZoneId;
use crate::{NodeId, QuestionId, Topic};

/// Length of the checksum behind the bytes that it covers.
const CHECKSUM: usize = 4;

/// A record of an excerpt, with the epochs of its new objects.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BorderRecord {
    pub(super) epochs: Vec<(NetId, u64)>,
    pub(super) record: TickRecord,
}

impl BorderRecord {
    fn to_bytes(&self) -> Bytes {
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        writer.write_varint(self.epochs.len() as u64);
        for (object, epoch) in &self.epochs {
            writer.write_varint(object.0.into());
            writer.write_varint(*epoch);
        }
        if !self.epochs.is_empty() {
            let checksum = crc32c::crc32c(writer.as_bytes());
            writer.write_bytes(&checksum.to_le_bytes());
        }
        [writer.as_bytes(), self.record.as_bytes()].concat().into()
    }

    /// Decodes a record; `None` for damaged bytes.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = NetworkReader::with_encoding(bytes, Encoding::Compact);
        let count = reader.read_varint().ok()?;
        let mut epochs = Vec::new();
        for _ in 0..count {
            let object = NetId(read_u32(&mut reader).ok()?);
            epochs.push((object, reader.read_varint().ok()?));
        }
        let mut rest = reader.rest();
        if count > 0 {
            let head = &bytes[..bytes.len() - rest.len()];
            let (checksum, record) = rest.split_at_checked(CHECKSUM)?;
            if crc32c::crc32c(head).to_le_bytes() != checksum {
                return None;
            }
            rest = record;
        }
        // A damaged number shifts the record, whose checksum finds it.
        let record = TickRecord::from_bytes(rest).ok()?;
        Some(Self { epochs, record })
    }
}

/// Objects for one neighbour.
#[derive(Debug, Default)]
struct Border {
    excerpt: RecordExcerpt,
    objects: BTreeSet<NetId>,
    /// Questions for a keyframe, with the number of the last record of the server before each.
    asked: Vec<(NodeId, QuestionId, u64)>,
}

/// Objects near the borders, by neighbour.
#[derive(Debug, Default)]
pub(super) struct Borders(BTreeMap<ZoneId, Border>);

impl Borders {
    /// Sets the neighbours that have a ghost of an object.
    pub(super) fn place(&mut self, object: NetId, zones: &BTreeSet<ZoneId>) {
        for zone in zones {
            self.0.entry(*zone).or_default().objects.insert(object);
        }
        for (zone, border) in &mut self.0 {
            if !zones.contains(zone) {
                border.objects.remove(&object);
            }
        }
    }

    /// Notes a question for a keyframe.
    pub(super) fn take_question(&mut self, topic: Topic, from: NodeId, id: QuestionId, seq: u64) {
        let zone = topic
            .0
            .checked_sub(1)
            .and_then(|zone| u32::try_from(zone).ok());
        if let Some(zone) = zone {
            let border = self.0.entry(ZoneId(zone)).or_default();
            let is_known = border
                .asked
                .iter()
                .any(|(node, it, _)| (*node, *it) == (from, id));
            if !is_known {
                border.asked.push((from, id, seq));
            }
        }
    }

    /// Writes the records of an update.
    pub(super) fn write(
        &mut self,
        server: &mut NetworkServer,
        record: &TickRecord,
        epoch: impl Fn(NetId) -> u64,
    ) -> Vec<(Topic, Bytes)> {
        let mut records = Vec::new();
        for (zone, border) in &mut self.0 {
            let known = border.excerpt.members().clone();
            let record = border.excerpt.record(server, record, &border.objects);
            let Some(record) = record else {
                continue;
            };
            let entered = border.excerpt.members().difference(&known);
            let epochs = entered.map(|object| (*object, epoch(*object))).collect();
            let record = BorderRecord { epochs, record };
            records.push((zone.border(), record.to_bytes()));
        }
        records
    }

    /// Writes the keyframes that were asked for before the last keyframe of the server.
    pub(super) fn answer(
        &mut self,
        server: &mut NetworkServer,
        epoch: impl Fn(NetId) -> u64,
    ) -> Vec<(NodeId, QuestionId, Bytes)> {
        let last = server.keyframe().map_or(0, TickRecord::seq);
        let mut answers = Vec::new();
        for border in self.0.values_mut() {
            let mut due = Vec::new();
            border.asked.retain(|(node, id, seq)| {
                let is_due = last > *seq;
                if is_due {
                    due.push((*node, *id));
                }
                !is_due
            });
            if due.is_empty() {
                continue;
            }
            let members = border.excerpt.members().iter();
            let record = BorderRecord {
                epochs: members.map(|object| (*object, epoch(*object))).collect(),
                record: border.excerpt.keyframe(server),
            };
            let bytes = record.to_bytes();
            answers.extend(due.into_iter().map(|(node, id)| (node, id, bytes.clone())));
        }
        answers
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use syncvar_net::RecordMerge;
    use syncvar_runtime::Prefabs;

    use super::*;

    fn record(epochs: Vec<(NetId, u64)>, tick: u64) -> BorderRecord {
        let time = Duration::from_millis(40);
        let (mut merge, _) = RecordMerge::begin(&Prefabs::new(), 7, 1, time);
        let record = merge.record(tick, time);
        BorderRecord { epochs, record }
    }

    #[test]
    fn a_record_of_a_border_arrives_whole_or_not_at_all() {
        let epochs = vec![(NetId(7), 300), (NetId(1 << 24), 1)];
        let records = [record(epochs, 2), record(Vec::new(), 3)];
        for (record, other) in [(&records[0], &records[1]), (&records[1], &records[0])] {
            let bytes = record.to_bytes();
            assert_eq!(BorderRecord::from_bytes(&bytes).as_ref(), Some(record));
            for at in 0..bytes.len() {
                for bit in 0..8 {
                    let mut damaged = bytes.to_vec();
                    damaged[at] ^= 1 << bit;
                    assert_eq!(
                        BorderRecord::from_bytes(&damaged),
                        None,
                        "bit {bit} of {at}"
                    );
                }
                assert_eq!(BorderRecord::from_bytes(&bytes[..at]), None);
                let spliced = [&bytes[..at], &other.to_bytes()[at.min(9)..]].concat();
                let read = BorderRecord::from_bytes(&spliced);
                assert!(read.is_none() || spliced == other.to_bytes(), "at {at}");
            }
        }
        let quiet = records[1].to_bytes();
        assert_eq!(quiet.len(), 1 + records[1].record.as_bytes().len());
    }
}
