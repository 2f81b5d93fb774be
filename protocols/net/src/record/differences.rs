//! `RecordDifferences`: records whose changes are differences. WIRE.md, section 10.

use std::collections::HashMap;
use std::ops::Range;

use syncvar_runtime::unstable::packet::Entries;
use syncvar_runtime::{NetId, NetworkReader};

use super::items::{Item, read_item};
use super::{CHECKSUM, RecordError, RecordHead};
use crate::MessageType;
use crate::message::frames;

/// Most objects, by channel, with a former entry: they bound the memory for a chunk of a foreign file.
const MAX_OBJECTS: usize = 1 << 20;

/// Channel and object of a change.
type ChannelObject = (u8, NetId);

/// Writer and reader of the differences between the changes of an object, from record to record of a chunk.
///
/// Most values change slowly or evenly, so the differences of their bytes repeat, and a compression finds what it cannot find
/// in the values. A difference has the length of the bytes, so heads and lengths stay as they are.
///
/// ```
/// # use std::time::Duration;
/// # use syncvar::prelude::*;
/// use syncvar::records::RecordDifferences;
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     angle: SyncVar<u32>,
/// # }
/// # let mut server = NetworkServer::new(Prefabs::new().register::<Door>("door"));
/// # let door = server.spawn(Door::default());
/// # server.start_recording();
/// # let mut records = Vec::new();
/// # for tick in 1..=3 {
/// #     server.get_mut::<Door>(door).unwrap().angle.set(40 + tick);
/// #     server.update(Duration::from_millis(100) * tick);
/// #     records.extend(server.records_after(u64::from(tick) - 1).map(|it| it.as_bytes().to_vec()));
/// # }
/// // The door turns by 1 in each record.
/// let (mut writer, mut reader) = (RecordDifferences::default(), RecordDifferences::default());
/// for record in &records[1..] {
///     let mut bytes = record.clone();
///     writer.subtract(&mut bytes)?;
///     reader.restore(&mut bytes)?;
///     assert_eq!(bytes, *record);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct RecordDifferences {
    /// Contents of the entries so far.
    contents: Vec<u8>,
    /// Contents of the last entry of an object on a channel.
    last: HashMap<ChannelObject, Range<usize>>,
}

impl RecordDifferences {
    /// Forgets the records, for a new chunk.
    pub fn clear(&mut self) {
        self.contents.clear();
        self.last.clear();
    }

    /// Puts differences in the place of the changes of a record.
    ///
    /// # Errors
    ///
    /// For malformed bytes of a record.
    pub fn subtract(&mut self, record: &mut [u8]) -> Result<(), RecordError> {
        for (object, place) in changes(record)? {
            let from = self.contents.len();
            self.contents.extend_from_slice(&record[place.clone()]);
            self.combine(object, &mut record[place], u8::wrapping_sub);
            self.keep(object, from);
        }
        Ok(())
    }

    /// Puts the changes in the place of the differences of a record.
    ///
    /// # Errors
    ///
    /// For malformed bytes of a record. The checksum of the record is not compared.
    pub fn restore(&mut self, record: &mut [u8]) -> Result<(), RecordError> {
        for (object, place) in changes(record)? {
            let from = self.contents.len();
            self.combine(object, &mut record[place.clone()], u8::wrapping_add);
            self.contents.extend_from_slice(&record[place]);
            self.keep(object, from);
        }
        Ok(())
    }

    /// Combines bytes with those at the same places of the former entry.
    fn combine(&self, object: ChannelObject, bytes: &mut [u8], combine: fn(u8, u8) -> u8) {
        let former = self.last.get(&object).cloned();
        let former = former.and_then(|place| self.contents.get(place));
        for (byte, former) in bytes.iter_mut().zip(former.unwrap_or_default()) {
            *byte = combine(*byte, *former);
        }
    }

    /// Keeps the contents from a position on as the last entry of an object.
    fn keep(&mut self, object: ChannelObject, from: usize) {
        if self.last.len() < MAX_OBJECTS || self.last.contains_key(&object) {
            self.last.insert(object, from..self.contents.len());
        } else {
            self.contents.truncate(from);
        }
    }
}

/// Returns the places of the changes in the bytes of a record, with their channels and objects.
fn changes(record: &[u8]) -> Result<Vec<(ChannelObject, Range<usize>)>, RecordError> {
    let mut reader = NetworkReader::new(record);
    reader.read_bytes(CHECKSUM)?;
    RecordHead::read(&mut reader)?;
    let mut changes = Vec::new();
    while reader.remaining() > 0 {
        let Item::Messages(item) = read_item(&mut reader)? else {
            continue;
        };
        for frame in frames(item.messages) {
            let frame = frame?;
            if MessageType::from_number(frame.message_type) != Some(MessageType::UpdateBatch) {
                continue;
            }
            for entry in Entries::new(frame.payload) {
                let (object, contents) = entry?;
                changes.push(((item.channel, object), place_in(record, contents)));
            }
        }
    }
    Ok(changes)
}

/// Returns the place of a part of a slice: the readers return parts of the bytes that they read.
fn place_in(whole: &[u8], part: &[u8]) -> Range<usize> {
    let from = part.as_ptr() as usize - whole.as_ptr() as usize;
    from..from + part.len()
}
