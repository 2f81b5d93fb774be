//! `RecordMerge`: one sequence of records, from the records of several servers.

use std::time::Duration;

use syncvar_runtime::{Channel, NetId, Prefabs};

use super::copy::{RecordEntry, copy_item, packets};
use super::{ItemWriter, RecordHead, RecordKind, RecordOrigin, TickRecord};
use crate::message::{Message, ObjectDestroy, Start};

/// Merge of the records of several servers with the same schema and different ids of objects: one sequence of records, which a
/// server [follows](crate::NetworkServer::handle_record) as those of one origin.
///
/// The caller chooses the entries. A snapshot of an object that the reader has corrects the object: it sets the fields that differ.
///
/// ```
/// use std::time::Duration;
/// use syncvar::prelude::*;
/// use syncvar::records::RecordMerge;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
/// let prefabs = || Prefabs::new().register::<Door>("door");
/// let mut zones = [NetworkServer::new(prefabs()), NetworkServer::new(prefabs())];
/// zones[1].set_next_id(NetId(1 << 24)); // no id is in both
///
/// let (mut merge, first) = RecordMerge::begin(&prefabs(), 7, 1, Duration::ZERO);
/// let mut gateway = NetworkServer::new(prefabs());
/// gateway.handle_record(&first)?;
/// for zone in &mut zones {
///     zone.spawn(Door::default());
///     zone.start_recording();
///     zone.update(Duration::from_millis(100));
///     merge.copy(zone.keyframe().unwrap(), |_entry| true);
/// }
/// gateway.handle_record(&merge.record(2, Duration::from_millis(40)))?;
/// assert_eq!(gateway.object_count(), 2);
/// # Ok::<(), syncvar::records::RecordError>(())
/// ```
#[derive(Debug)]
pub struct RecordMerge {
    origin: RecordOrigin,
    /// Number of the last record.
    seq: u64,
    items: ItemWriter,
}

impl RecordMerge {
    /// Begins a sequence. Returns it with its first record, a keyframe without objects. `incarnation` is random, and `tick` and
    /// `time` are those of the reader.
    pub fn begin(
        prefabs: &Prefabs,
        incarnation: u64,
        tick: u64,
        time: Duration,
    ) -> (Self, TickRecord) {
        let start = Start {
            incarnation,
            first_tick: tick,
        };
        let schema_hash = prefabs.schema_hash();
        let origin = RecordOrigin { schema_hash, start };
        let mut merge = Self {
            origin,
            seq: 0,
            items: ItemWriter::default(),
        };
        let keyframe = merge.finish(RecordKind::Keyframe(origin), tick, time);
        (merge, keyframe)
    }

    /// Adds the entries of a record for which `takes` returns true, in their order, and unchanged.
    pub fn copy(&mut self, record: &TickRecord, mut takes: impl FnMut(RecordEntry) -> bool) {
        for item in record.items() {
            copy_item(&item, &mut self.items, &mut takes);
        }
    }

    /// Adds the end of an object.
    pub fn end_object(&mut self, object: NetId) {
        let mut segments = packets();
        ObjectDestroy { net_id: object }.encode(segments.begin());
        segments.commit();
        let chunks: Vec<_> = segments.drain().collect();
        self.items.add(0, Channel::Reliable, &chunks);
    }

    /// Returns the record of all entries since the last one. `tick` and `time` do not descend.
    pub fn record(&mut self, tick: u64, time: Duration) -> TickRecord {
        let kind = RecordKind::Changes(self.origin.checksum());
        self.finish(kind, tick, time)
    }

    fn finish(&mut self, kind: RecordKind, tick: u64, time: Duration) -> TickRecord {
        self.seq += 1;
        let head = RecordHead {
            kind,
            partial: false,
            seq: self.seq,
            tick,
            time: u64::try_from(time.as_micros()).unwrap_or(u64::MAX),
        };
        TickRecord::new(head, &self.items.take())
    }
}
