//! `Borders`: records of the objects near the borders, for the neighbour zones.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use syncvar_net::{NetworkServer, RecordExcerpt, TickRecord};
use syncvar_runtime::{Encoding, NetId, NetworkReader, NetworkWriter};

use super::message::read_u32;
use crate::zone::ZoneId;
use crate::{NodeId, QuestionId, Topic};

/// Length of the checksum before the bytes that it covers.
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
        let checksum = crc32c::crc32c(writer.as_bytes()).to_le_bytes();
        [&checksum, writer.as_bytes(), self.record.as_bytes()]
            .concat()
            .into()
    }

    /// Decodes a record; `None` for damaged bytes.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (checksum, content) = bytes.split_at_checked(CHECKSUM)?;
        let mut reader = NetworkReader::with_encoding(content, Encoding::Compact);
        let count = reader.read_varint().ok()?;
        let mut epochs = Vec::new();
        for _ in 0..count {
            let object = NetId(read_u32(&mut reader).ok()?);
            epochs.push((object, reader.read_varint().ok()?));
        }
        let head = &content[..content.len() - reader.remaining()];
        if crc32c::crc32c(head).to_le_bytes() != checksum {
            return None;
        }
        let record = TickRecord::from_bytes(reader.rest()).ok()?;
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
