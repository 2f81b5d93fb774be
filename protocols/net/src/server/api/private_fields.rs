//! Private fields of a recording, for a gateway between players and this server.

use std::collections::BTreeSet;

use syncvar_runtime::unstable::object::Slots;
use syncvar_runtime::{Channel, NetId};

use crate::TickRecord;
use crate::record::{ItemWriter, RecordEntryKind, RecordHead, RecordKind};
use crate::server::NetworkServer;
use crate::server::objects::private_fields::{PrivateChanges, private_fields};
use crate::server::saving::objects::ObjectWriter;

/// Private state beside a record: see [`NetworkServer::private_record`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrivateRecord {
    /// Record with the number of the other one, and with private fields alone.
    pub fields: TickRecord,
    /// New objects, and objects with perhaps a new [player](NetworkServer::player_of).
    pub objects: BTreeSet<NetId>,
}

impl NetworkServer {
    /// Begins or ends to note changes of private fields and players, for [`private_record`](Self::private_record): of those with `read = owner` and
    /// `read = group`, which no record of a [recording](Self::start_recording) contains.
    pub fn track_private_fields(&mut self, tracks: bool) {
        self.objects.track_private(tracks);
    }

    /// Returns the private state that a record of the last update lacks: of the new objects, and the changes since the last call. For
    /// a keyframe, that of its objects. It belongs to the server and to nodes that it trusts.
    ///
    /// ```
    /// use std::time::Duration;
    /// use syncvar::prelude::*;
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Player {
    ///     #[sync_var(read = owner)]
    ///     cards: SyncVar<u32>,
    /// }
    ///
    /// let mut server = NetworkServer::new(Prefabs::new().register::<Player>("player"));
    /// server.spawn(Player { cards: 5.into() });
    /// server.start_recording();
    /// server.track_private_fields(true);
    /// server.update(Duration::from_millis(100));
    /// let keyframe = server.keyframe().unwrap().clone();
    /// assert_eq!(server.private_record(&keyframe).fields.entries().count(), 1);
    /// ```
    pub fn private_record(&mut self, record: &TickRecord) -> PrivateRecord {
        let mut changes = if record.is_keyframe() {
            PrivateChanges::default()
        } else {
            self.objects.take_private_changes()
        };
        for id in spawned(record) {
            if let Some(slots) = self.objects.world.slots(id) {
                let masks = <dyn Slots>::iter(slots).map(|slot| private_fields(slot.info()));
                changes.insert(id, masks.collect());
            }
        }
        let objects = changes.keys().copied().collect();
        let mut writer = ObjectWriter::default();
        let room = self.context.config.room(Channel::Reliable);
        for (id, masks) in changes {
            let Some(slots) = self.objects.world.slots_mut(id) else {
                continue;
            };
            if let Err(error) = writer.add_masks(id, slots, room, &masks) {
                tracing::warn!(object = %id, %error, "a private record lacks an object");
            }
        }
        let mut items = ItemWriter::default();
        writer.drain_changes(&mut items);
        let kind = RecordKind::Changes(record.origin());
        let head = RecordHead {
            kind,
            ..record.head()
        };
        let fields = TickRecord::new(head, &items.take());
        PrivateRecord { fields, objects }
    }
}

/// Returns the objects with a snapshot in a record.
fn spawned(record: &TickRecord) -> BTreeSet<NetId> {
    let mut entries = record.entries();
    let spawned = entries
        .by_ref()
        .filter(|entry| entry.kind == RecordEntryKind::Snapshot);
    spawned.filter_map(|entry| entry.object).collect()
}
