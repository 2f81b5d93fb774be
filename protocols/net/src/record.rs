//! Tick records: the shared messages of one update, and keyframes. WIRE.md, section 9.

mod copy;
mod differences;
mod early_records;
mod error;
mod head;
mod items;
mod merge;
mod sequence;

pub use copy::{RecordEntry, RecordEntryKind};
pub(crate) use copy::{copy_item, packets};
pub use differences::RecordDifferences;
pub use error::RecordError;
pub(crate) use head::{RecordHead, RecordKind, RecordOrigin};
pub(crate) use items::{ItemWriter, check_messages, read_sized, write_sized};
pub use items::{RecordItem, RecordPart};
pub use merge::RecordMerge;
pub(crate) use sequence::{EarlyLimits, RecordSequence, Step};

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::{NetworkReader, NetworkWriter};

use items::{Item, Items, read_item};

/// Longest time without a record: one without messages ends it.
pub(crate) const SILENCE: Duration = Duration::from_millis(100);

/// Length of the checksum before the bytes that it covers.
const CHECKSUM: usize = 4;

/// Longest head of a record, with the checksum.
const HEAD: usize = CHECKSUM + 1 + 2 * 8 + 4 * 10;

/// Shared messages of one update of a [`NetworkServer`](crate::NetworkServer), for a recording, a replay or a
/// gateway.
///
/// The server writes records between [`start_recording`](crate::NetworkServer::start_recording) and
/// [`stop_recording`](crate::NetworkServer::stop_recording), and
/// [`NetworkClient::handle_record`](crate::NetworkClient::handle_record) plays them. A *keyframe* contains the
/// snapshots of all recorded objects in place of the changes.
///
/// A keyframe names the schema and the [incarnation](Self::incarnation) of the server, other records their checksum
/// alone: [`origin`](Self::origin). A clone shares the bytes.
///
/// ```
/// use std::time::Duration;
/// use syncvar::prelude::*;
/// use syncvar::records::TickRecord;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
/// let prefabs = || Prefabs::new().register::<Door>("door");
///
/// let mut server = NetworkServer::new(prefabs());
/// let door = server.spawn(Door::default());
/// server.start_recording();
/// server.update(Duration::from_millis(100)); // the first keyframe
/// server.get_mut::<Door>(door).unwrap().open.set(true);
/// server.update(Duration::from_millis(300));
/// let keyframe = server.keyframe().unwrap().to_bytes();
/// let record = server.record(server.network_time().tick).unwrap().to_bytes();
///
/// // Later, elsewhere:
/// let mut client = NetworkClient::new(prefabs());
/// client.handle_record(&TickRecord::from_bytes(&keyframe)?)?;
/// assert_eq!(client.get::<Door>(door).unwrap().open, false);
/// client.handle_record(&TickRecord::from_bytes(&record)?)?;
/// assert_eq!(client.get::<Door>(door).unwrap().open, true);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct TickRecord {
    head: RecordHead,
    bytes: Bytes,
    /// Position of the first item.
    items: usize,
}

impl TickRecord {
    /// Encodes a record.
    pub(crate) fn new(head: RecordHead, items: &[u8]) -> Self {
        let mut bytes = Self::room();
        bytes.extend_from_slice(items);
        Self::with_head(head, bytes)
    }

    /// Returns the room for the head of a record, whose items follow.
    pub(crate) fn room() -> Vec<u8> {
        vec![0; HEAD]
    }

    /// Encodes a record of items behind the [room](Self::room), without a copy of the items.
    pub(crate) fn with_head(head: RecordHead, mut bytes: Vec<u8>) -> Self {
        let mut writer = NetworkWriter::new();
        head.write(&mut writer);
        let begin = HEAD - writer.len();
        bytes[begin..HEAD].copy_from_slice(writer.as_bytes());
        let checksum = crc32c::crc32c(&bytes[begin..]).to_le_bytes();
        bytes[begin - CHECKSUM..begin].copy_from_slice(&checksum);
        Self {
            head,
            bytes: Bytes::from(bytes).slice(begin - CHECKSUM..),
            items: CHECKSUM + writer.len(),
        }
    }

    /// Decodes a record, and copies its bytes.
    ///
    /// # Errors
    ///
    /// For a wrong checksum, another version of the layout, and a malformed field or item. The messages of
    /// the items are checked by [`NetworkClient::handle_record`](crate::NetworkClient::handle_record).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordError> {
        let mut reader = NetworkReader::new(bytes);
        let expected = reader.read_u32()?;
        let computed = crc32c::crc32c(reader.rest());
        if computed != expected {
            return Err(RecordError::Checksum { expected, computed });
        }
        let head = RecordHead::read(&mut reader)?;
        let items = reader.position();
        while reader.remaining() > 0 {
            read_item(&mut reader)?;
        }
        Ok(Self {
            head,
            bytes: Bytes::copy_from_slice(bytes),
            items,
        })
    }

    /// Returns the encoded record. Its length is not part of it.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the encoded record. The result shares the bytes.
    pub fn to_bytes(&self) -> Bytes {
        self.bytes.clone()
    }

    /// Returns the number of the record: one more than that of the former record of the same incarnation. A
    /// keyframe has the number of the record of its update.
    pub fn seq(&self) -> u64 {
        self.head.seq
    }

    /// Returns the tick, as in [`NetworkTime::tick`](syncvar_runtime::NetworkTime::tick) of the server.
    pub fn tick(&self) -> u64 {
        self.head.tick
    }

    /// Returns the server's [own time](crate::NetworkServer::now) at the update, in microseconds.
    pub fn time(&self) -> Duration {
        Duration::from_micros(self.head.time)
    }

    /// Returns the [incarnation](crate::ServerConfig::incarnation) of the server, in a keyframe.
    pub fn incarnation(&self) -> Option<u64> {
        Some(self.keyframe()?.start.incarnation)
    }

    /// Returns the hash of the server's [schema](syncvar_runtime::Prefabs::schema_hash), in a keyframe.
    pub fn schema_hash(&self) -> Option<u64> {
        Some(self.keyframe()?.schema_hash)
    }

    /// Returns the checksum of the schema hash, the incarnation and the first tick: a record continues the
    /// keyframes with the same origin.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use syncvar::prelude::*;
    /// # let mut server = NetworkServer::new(Prefabs::new());
    /// # server.start_recording();
    /// # for second in 1..=2 {
    /// #     server.update(Duration::from_secs(second));
    /// # }
    /// let keyframe = server.keyframe().unwrap();
    /// let record = server.records_after(keyframe.seq()).next().unwrap();
    /// assert_eq!(record.origin(), keyframe.origin());
    /// ```
    pub fn origin(&self) -> u32 {
        match &self.head.kind {
            RecordKind::Changes(origin) => *origin,
            RecordKind::Keyframe(origin) => origin.checksum(),
        }
    }

    /// Returns whether the record is a keyframe: the snapshots of all recorded objects after its tick.
    pub fn is_keyframe(&self) -> bool {
        self.keyframe().is_some()
    }

    /// Returns whether changes of the tick are missing, because the writer did not have them.
    pub fn is_partial(&self) -> bool {
        self.head.partial
    }

    /// Returns the messages, in the order of writing.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use syncvar::prelude::*;
    /// # let mut server = NetworkServer::new(Prefabs::new());
    /// # server.start_recording();
    /// # server.update(Duration::from_millis(100));
    /// let keyframe = server.keyframe().unwrap();
    /// let bytes: usize = keyframe.items().map(|item| item.messages.len()).sum();
    /// assert!(bytes < keyframe.as_bytes().len());
    /// ```
    pub fn items(&self) -> impl Iterator<Item = RecordItem<'_>> {
        self.all_items().filter_map(|item| match item {
            Item::Messages(item) => Some(item),
            Item::Facts(_) => None,
        })
    }

    /// Returns the entries of the messages, in the order of writing.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use syncvar::prelude::*;
    /// use syncvar::records::RecordEntryKind;
    /// # #[derive(NetworkBehaviour, Default)]
    /// # struct Door {
    /// #     #[sync_var]
    /// #     open: SyncVar<bool>,
    /// # }
    /// # let mut server = NetworkServer::new(Prefabs::new().register::<Door>("door"));
    /// # let door = server.spawn(Door::default());
    /// # server.start_recording();
    /// # server.update(Duration::from_millis(100));
    /// let entries: Vec<_> = server.keyframe().unwrap().entries().collect();
    /// assert_eq!((entries[0].object, entries[0].kind), (Some(door), RecordEntryKind::Snapshot));
    /// ```
    pub fn entries(&self) -> impl Iterator<Item = RecordEntry> {
        self.items().flat_map(|item| copy::entries(&item))
    }

    /// Returns whether the record belongs to a save or a journal: it has the fields that no client receives.
    pub fn is_private(&self) -> bool {
        self.facts().is_some()
    }

    /// Returns the facts of the server in a record of a save or a journal.
    pub(crate) fn facts(&self) -> Option<&[u8]> {
        self.all_items().find_map(|item| match item {
            Item::Messages(_) => None,
            Item::Facts(facts) => Some(facts),
        })
    }

    /// Returns the fields before the items.
    pub(crate) fn head(&self) -> RecordHead {
        self.head
    }

    fn all_items(&self) -> Items<'_> {
        let (_, items) = self.bytes.split_at(self.items);
        Items::new(items)
    }

    /// Returns the origin that a keyframe names.
    pub(crate) fn keyframe(&self) -> Option<&RecordOrigin> {
        match &self.head.kind {
            RecordKind::Changes(_) => None,
            RecordKind::Keyframe(origin) => Some(origin),
        }
    }
}

impl fmt::Debug for TickRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TickRecord")
            .field("seq", &self.seq())
            .field("tick", &self.tick())
            .field("is_keyframe", &self.is_keyframe())
            .field("length", &self.bytes.len())
            .finish_non_exhaustive()
    }
}
