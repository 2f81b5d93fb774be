//! `RecordExcerpt`: the records of some objects of a server.
//!
//! ```text
//! record of all objects    SpawnBatch 7 9 │ UpdateBatch 3 7 9 │ ObjectDestroy 4
//! members 3 9, had 3 4     SpawnBatch   9 │ UpdateBatch 3   9 │ ObjectDestroy 4
//! ```
//!
//! The bytes of an entry are copied, not encoded again. An object that becomes a member later enters by a snapshot, and a member
//! that leaves is hidden. A snapshot contains all changes, so it is written when no change of the object waits for a send
//! interval: a field of a program whose delta is a difference would apply the change twice. Collections count the operations that a
//! snapshot is ahead, and need no wait.

use std::collections::BTreeSet;
use std::time::Duration;

use syncvar_runtime::unstable::object::Slots;
use syncvar_runtime::{Channel, NetId};

use crate::TickRecord;
use crate::message::{Message, ObjectHide};
use crate::record::{
    ItemWriter, RecordEntry, RecordEntryKind, RecordHead, RecordKind, SILENCE, copy_item, packets,
};
use crate::server::NetworkServer;
use crate::server::saving::objects::ObjectWriter;

/// Records without an entry after which a keyframe sends the waiting changes of all objects.
const PATIENCE: u32 = 16;

/// Excerpt of a [recording](NetworkServer::start_recording): tick records with some of its objects, and keyframes of them.
///
/// [`NetworkClient::handle_record`](crate::NetworkClient::handle_record) plays the records. They have numbers of their own,
/// and no messages of the program. An object that enters the excerpt has a snapshot in its next record, and an object that leaves
/// is hidden.
///
/// ```
/// use std::collections::BTreeSet;
/// use std::time::Duration;
/// use syncvar::prelude::*;
/// use syncvar::records::RecordExcerpt;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
/// let prefabs = || Prefabs::new().register::<Door>("door");
/// let mut server = NetworkServer::new(prefabs());
/// let (near, far) = (server.spawn(Door::default()), server.spawn(Door::default()));
/// server.start_recording();
/// server.update(Duration::from_millis(100));
///
/// let mut excerpt = RecordExcerpt::default();
/// let mut client = NetworkClient::new(prefabs());
/// client.handle_record(&excerpt.keyframe(&mut server))?; // without objects
/// server.get_mut::<Door>(near).unwrap().open.set(true);
/// server.update(Duration::from_millis(200));
/// let record = server.records_after(1).next().unwrap().clone();
/// let part = excerpt.record(&mut server, &record, &BTreeSet::from([near])).unwrap();
/// client.handle_record(&part)?;
/// assert_eq!(client.get::<Door>(near).unwrap().open, true);
/// assert!(client.get::<Door>(far).is_none());
/// # Ok::<(), syncvar::records::RecordError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecordExcerpt {
    /// Objects in the records so far.
    members: BTreeSet<NetId>,
    /// Number of the last record.
    seq: u64,
    /// Time of the server at the last record.
    last: Duration,
    /// Records since an object could not enter.
    waited: u32,
}

impl Default for RecordExcerpt {
    /// Returns an excerpt without objects, before its first record.
    fn default() -> Self {
        Self {
            members: BTreeSet::new(),
            // A keyframe before the first record has the number 1.
            seq: 1,
            last: Duration::ZERO,
            waited: 0,
        }
    }
}

impl RecordExcerpt {
    /// Returns the objects in the records so far.
    pub fn members(&self) -> &BTreeSet<NetId> {
        &self.members
    }

    /// Writes the record of the last update. `record` is its record of all objects, and `objects` are the objects of the excerpt from
    /// now on; those that are not in the recording are left out. `None` for an update without messages, less than 100 ms after the
    /// last record.
    pub fn record(
        &mut self,
        server: &mut NetworkServer,
        record: &TickRecord,
        objects: &BTreeSet<NetId>,
    ) -> Option<TickRecord> {
        let mut items = ItemWriter::default();
        for item in record.items() {
            copy_item(&item, &mut items, &mut |entry| self.takes(entry, objects));
        }
        self.write_leaving(server, objects, &mut items);
        let mut writer = ObjectWriter::default();
        let entering: Vec<NetId> = objects.difference(&self.members).copied().collect();
        let mut waits = false;
        for id in entering {
            if !is_recorded(server, id) {
                continue;
            }
            let can_enter = self.waited > PATIENCE || is_flushed(server, id);
            if can_enter && write_snapshot(server, &mut writer, id) {
                self.members.insert(id);
            } else {
                waits = true;
            }
        }
        self.waited = if waits { self.waited + 1 } else { 0 };
        if self.waited == PATIENCE {
            server.request_keyframe();
        }
        writer.drain_snapshots(&mut items);
        let items = items.take();
        let is_silent = record.time().saturating_sub(self.last) < SILENCE;
        if items.is_empty() && is_silent && !record.is_partial() {
            return None;
        }
        self.seq += 1;
        self.last = record.time();
        let head = RecordHead {
            seq: self.seq,
            ..record.head()
        };
        Some(TickRecord::new(head, &items))
    }

    /// Writes a keyframe with the state behind the last record. It continues the numbers of the records.
    ///
    /// Changes that wait for a send interval are in the keyframe and in a later record. A program calls it behind an update with a
    /// [keyframe](NetworkServer::request_keyframe), which has sent them.
    pub fn keyframe(&self, server: &mut NetworkServer) -> TickRecord {
        let mut writer = ObjectWriter::default();
        let mut partial = false;
        for id in &self.members {
            partial |= !write_snapshot(server, &mut writer, *id);
        }
        let mut items = ItemWriter::default();
        writer.drain_snapshots(&mut items);
        let mut ground = server.rooms().ground;
        let origin = ground.record_origin();
        let head = RecordHead {
            seq: self.seq,
            partial,
            ..ground.record_head(RecordKind::Keyframe(origin))
        };
        TickRecord::new(head, &items.take())
    }

    /// Returns whether an entry is about a member. New objects become members, and a member that ends is none from then on.
    fn takes(&mut self, entry: RecordEntry, objects: &BTreeSet<NetId>) -> bool {
        let Some(id) = entry.object else {
            return false;
        };
        match entry.kind {
            RecordEntryKind::Snapshot if objects.contains(&id) => {
                self.members.insert(id);
                true
            }
            RecordEntryKind::End => self.members.remove(&id),
            _ => self.members.contains(&id),
        }
    }

    /// Hides the members that are none any more.
    fn write_leaving(
        &mut self,
        server: &NetworkServer,
        objects: &BTreeSet<NetId>,
        items: &mut ItemWriter,
    ) {
        let mut segments = packets();
        self.members.retain(|id| {
            let stays = objects.contains(id) && is_recorded(server, *id);
            if !stays {
                ObjectHide { net_id: *id }.encode(segments.begin());
                segments.commit();
            }
            stays
        });
        let chunks: Vec<_> = segments.drain().collect();
        items.add(0, Channel::Reliable, &chunks);
    }
}

/// Returns whether the recording has an object, as of the last update.
fn is_recorded(server: &NetworkServer, id: NetId) -> bool {
    let replicated = server.objects.world.objects.get(id.0);
    let observer = server.outbound.recorder.observer();
    replicated
        .zip(observer)
        .is_some_and(|(replicated, observer)| {
            let audience = server.visibility.audiences.get(replicated.audience);
            audience.observes(observer)
        })
}

/// Returns whether no change of an object waits for its send interval.
fn is_flushed(server: &NetworkServer, id: NetId) -> bool {
    let slots = server.objects.world.slots(id);
    slots.is_some_and(|slots| <dyn Slots>::iter(slots).all(|slot| slot.dirty_bits() == 0))
}

/// Adds the snapshot of an object. Returns whether it has a form.
fn write_snapshot(server: &mut NetworkServer, writer: &mut ObjectWriter, id: NetId) -> bool {
    let ground = server.rooms().ground;
    let written = writer.add_snapshot(ground.context, ground.objects, id);
    if let Err(error) = &written {
        tracing::warn!(object = %id, %error, "an excerpt lacks an object");
    }
    written.is_ok()
}
