//! Snapshots of objects with a group, for joining connections: one form for members, one form for non-members.

use std::collections::BTreeMap;

use bytes::Bytes;
use syncvar_runtime::interest::Tag;
use syncvar_runtime::schema::Role;
use syncvar_runtime::unstable::packet::Segments;
use syncvar_runtime::{AudienceId, ConnectionId, NetId};

use crate::Framing;
use crate::server::ground::Ground;
use crate::server::visibility::Visibility;
use crate::server::visibility::snapshot_batch::SnapshotOutput;

/// Connections that share the snapshots of objects with a group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SnapshotReaders {
    audience: AudienceId,
    tag: Tag,
    is_member: bool,
}

impl Visibility {
    /// Returns whether a connection is among these readers.
    pub(super) fn belongs_to(&self, readers: &SnapshotReaders, connection: ConnectionId) -> bool {
        self.audiences.admits(readers.audience, connection)
            && self.groups.contain(readers.tag, connection) == readers.is_member
    }

    /// Encodes the snapshots of these objects for the joining connections of a framing. Connections
    /// with the same role share them.
    pub(super) fn encode_groups(
        &mut self,
        ground: &mut Ground<'_>,
        framing: Framing,
        joining: &[ConnectionId],
        grouped: &[NetId],
    ) -> Vec<(SnapshotReaders, Vec<Bytes>)> {
        let packet_size = ground.context.config.gathered_size();
        let mut states: BTreeMap<SnapshotReaders, (Vec<ConnectionId>, Segments)> = BTreeMap::new();
        for id in grouped {
            let replicated = ground.objects.world.objects.get(id.0);
            let tag = self.groups.of(*id);
            let Some((replicated, tag)) = replicated.zip(tag) else {
                continue;
            };
            let audience = replicated.audience;
            for (is_member, role) in [(false, Role::Observer), (true, Role::Member)] {
                let readers = SnapshotReaders {
                    audience,
                    tag,
                    is_member,
                };
                let mut state = states.remove(&readers).unwrap_or_else(|| {
                    let receivers = joining.iter().copied().filter(|it| {
                        let speaks = ground.sessions.framing(*it) == Some(framing);
                        speaks && self.belongs_to(&readers, *it)
                    });
                    let receivers = receivers.collect();
                    let spare = &mut self.spare_buffers;
                    (receivers, spare.take(packet_size, framing))
                });
                let (receivers, segments) = &mut state;
                if !receivers.is_empty()
                    && !self.encode_snapshot(ground, *id, SnapshotOutput::Join(segments), role)
                {
                    self.request_snapshot(ground.objects, *id, receivers);
                }
                states.insert(readers, state);
            }
        }
        let mut frozen = Vec::new();
        for (readers, (_, mut segments)) in states {
            frozen.push((readers, segments.drain().collect()));
            self.spare_buffers.put(segments);
        }
        frozen
    }
}
