//! Copies of the messages of a record, with a part of their entries.

use syncvar_runtime::NetId;
use syncvar_runtime::unstable::packet::{Entries, Segments};
use syncvar_runtime::unstable::prefab::message::FIRST_MESSAGE;

use super::items::{ItemWriter, RecordItem};
use crate::message::{
    Frame, Incoming, Message, ObjectDestroy, ObjectHide, SetParent, frame_number, frames,
};
use crate::{Framing, MessageType};

/// Length of a gathered message.
const PACKET: usize = 60_000;

/// Entry of a record: a part of a message about one object, or a message without an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordEntry {
    /// The object; `None` for a message of the program, and for the end of a scene's objects.
    pub object: Option<NetId>,
    /// Kind of the entry.
    pub kind: RecordEntryKind,
}

/// Kind of a [`RecordEntry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordEntryKind {
    /// Snapshot of an object.
    Snapshot,
    /// Changes of fields.
    Change,
    /// The object is gone, or is hidden from all.
    End,
    /// New parent of the object.
    Parent,
    /// Call of clients.
    Call,
    /// Message of the program.
    Message,
    /// All objects of the scene are spawned.
    Scene,
}

/// Returns an empty buffer of messages that no connection receives.
pub(crate) fn packets() -> Segments {
    Framing::Compact.segments(PACKET)
}

/// Returns the entries of an item.
pub(super) fn entries(item: &RecordItem<'_>) -> Vec<RecordEntry> {
    let mut entries = Vec::new();
    for frame in frames(item.messages).map_while(Result::ok) {
        let Some(kind) = batch_kind(frame) else {
            entries.extend(entry_of(frame));
            continue;
        };
        let objects = Entries::new(frame.payload).map_while(Result::ok);
        entries.extend(objects.map(|(id, _)| RecordEntry {
            object: Some(id),
            kind,
        }));
    }
    entries
}

/// Returns the kind of the entries of a batch.
fn batch_kind(frame: Frame<'_>) -> Option<RecordEntryKind> {
    match MessageType::from_number(frame.message_type)? {
        MessageType::SpawnBatch => Some(RecordEntryKind::Snapshot),
        MessageType::UpdateBatch => Some(RecordEntryKind::Change),
        _ => None,
    }
}

/// Copies the entries of an item for which `takes` returns true. Entries are copied, not encoded again.
pub(crate) fn copy_item(
    item: &RecordItem<'_>,
    items: &mut ItemWriter,
    takes: &mut dyn FnMut(RecordEntry) -> bool,
) {
    let mut segments = packets();
    for frame in frames(item.messages).map_while(Result::ok) {
        let Some(kind) = batch_kind(frame) else {
            if entry_of(frame).is_some_and(&mut *takes) {
                frame_number(segments.begin(), frame.message_type, frame.payload);
                segments.commit();
            }
            continue;
        };
        for (id, bytes) in Entries::new(frame.payload).map_while(Result::ok) {
            let object = Some(id);
            if takes(RecordEntry { object, kind }) {
                let writer = segments.begin_entry(frame.message_type, id);
                writer.write_bytes(bytes);
                segments.commit_object();
            }
        }
    }
    let chunks: Vec<_> = segments.drain().collect();
    items.add(item.channel, item.delivery, &chunks);
}

/// Returns the entry of a message that is no batch; `None` for a malformed or an own message.
fn entry_of(frame: Frame<'_>) -> Option<RecordEntry> {
    let payload = frame.payload;
    if frame.message_type >= FIRST_MESSAGE {
        let (object, kind) = (None, RecordEntryKind::Message);
        return Some(RecordEntry { object, kind });
    }
    let (object, kind) = match MessageType::from_number(frame.message_type)? {
        MessageType::ObjectDestroy => {
            let end = ObjectDestroy::decode(payload).ok()?;
            (Some(end.net_id), RecordEntryKind::End)
        }
        MessageType::ObjectHide => {
            let end = ObjectHide::decode(payload).ok()?;
            (Some(end.net_id), RecordEntryKind::End)
        }
        MessageType::SetParent => {
            let parent = SetParent::decode(payload).ok()?;
            (Some(parent.child), RecordEntryKind::Parent)
        }
        MessageType::Call => {
            let call = Incoming::decode(MessageType::Call, payload).ok()?;
            (Some(call.object), RecordEntryKind::Call)
        }
        MessageType::SpawnFinished => (None, RecordEntryKind::Scene),
        _ => return None,
    };
    Some(RecordEntry { object, kind })
}
