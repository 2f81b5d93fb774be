//! Snapshots for joining connections, in runs of objects that are written together.

use bytes::Bytes;
use syncvar_runtime::schema::Role;
use syncvar_runtime::stats::Counter;
use syncvar_runtime::unstable::object::SnapshotSink;
use syncvar_runtime::unstable::ordered::{IdMap, Ids};
use syncvar_runtime::unstable::packet::Segments;
use syncvar_runtime::{AudienceId, Channel, ConnectionId, NetId};

use crate::server::ground::Ground;
use crate::server::objects::Objects;
use crate::server::objects::replicated::{Replicated, State};
use crate::server::visibility::Visibility;
use crate::server::visibility::audience::Audiences;
use crate::server::visibility::snapshot_batch::SnapshotOutput;
use crate::{Framing, MessageType};

/// Buffers of earlier joins. The snapshots of a join are long: allocating the memory costs more
/// than filling it.
#[derive(Debug, Default)]
pub(crate) struct SpareBuffers(Vec<Segments>);

/// Maximum number of kept buffers. Usually one or two audiences contain most objects.
const SPARE: usize = 4;

impl SpareBuffers {
    pub(crate) fn take(&mut self, packet_size: usize, framing: Framing) -> Segments {
        let speaks = |segments: &Segments| Framing::of(segments) == framing;
        match self.0.iter().position(speaks) {
            Some(place) => self.0.swap_remove(place),
            None => framing.segments(packet_size),
        }
    }

    pub(crate) fn put(&mut self, segments: Segments) {
        if self.0.len() < SPARE {
            self.0.push(segments);
        }
    }
}

/// Successive objects with the same audience.
struct AudienceRun {
    audience: AudienceId,
    /// Pool of objects that are written together.
    pool: Option<u32>,
    /// End of the run in the list of visible objects.
    end: usize,
}

impl Visibility {
    /// Encodes the snapshots for each audience with a joining member of a framing, without the objects in `apart`.
    pub(super) fn encode_audiences(
        &mut self,
        ground: &mut Ground<'_>,
        framing: Framing,
        joining: &[ConnectionId],
        apart: &Ids<NetId>,
    ) -> Vec<(AudienceId, Vec<Bytes>)> {
        let speaks = |it: &ConnectionId| ground.sessions.framing(*it) == Some(framing);
        let joining: Vec<_> = joining.iter().copied().filter(speaks).collect();
        if joining.is_empty() {
            return Vec::new();
        }
        let admitted = |audiences: &Audiences, audience| {
            let joining = joining.iter().copied();
            let admitted = joining.filter(|joiner| audiences.admits(audience, *joiner));
            admitted.collect::<Vec<_>>()
        };
        let packet_size = ground.context.config.gathered_size();
        let has_groups = !self.groups.is_empty();
        let (visible, runs) = visible_runs(ground.objects, framing, has_groups, apart);
        let mut states = IdMap::default();
        // Buffer of the previous run: successive runs often share an audience.
        let mut open: (AudienceId, Option<Segments>) = (Audiences::NOBODY, None);
        let mut begin = 0;
        for AudienceRun {
            audience,
            pool,
            end,
        } in runs
        {
            if audience != open.0 {
                let next = states.remove(audience).unwrap_or_else(|| {
                    let is_read = !admitted(&self.audiences, audience).is_empty();
                    is_read.then(|| self.spare_buffers.take(packet_size, framing))
                });
                let (former, segments) = std::mem::replace(&mut open, (audience, next));
                states.insert(former, segments);
            }
            if let Some(segments) = &mut open.1 {
                for failed in self.encode_run(ground, pool, &visible[begin..end], segments) {
                    let receivers = admitted(&self.audiences, audience);
                    self.request_snapshot(ground.objects, failed, &receivers);
                }
            }
            begin = end;
        }
        states.insert(open.0, open.1);
        let mut frozen = Vec::new();
        while let Some((id, segments)) = states.pop_first() {
            if let Some(mut segments) = segments {
                frozen.push((id, segments.drain().collect()));
                self.spare_buffers.put(segments);
            }
        }
        frozen
    }

    /// Encodes the snapshots of a run. Returns the objects without a snapshot.
    fn encode_run(
        &mut self,
        ground: &mut Ground<'_>,
        pool: Option<u32>,
        mut objects: &[(NetId, u32)],
        segments: &mut Segments,
    ) -> Vec<NetId> {
        let mut failed = Vec::new();
        loop {
            let written = pool.map_or(0, |pool| write_together(ground, pool, objects, segments));
            let Some(((id, _), left)) = objects.get(written..).and_then(<[_]>::split_first) else {
                return failed;
            };
            let output = SnapshotOutput::Join(segments);
            if !self.encode_snapshot(ground, *id, output, Role::Observer) {
                failed.push(*id);
            }
            objects = left;
        }
    }
}

/// Returns all announced objects with their rows by ascending id, except some, and their runs.
fn visible_runs(
    objects: &Objects,
    framing: Framing,
    has_groups: bool,
    apart: &Ids<NetId>,
) -> (Vec<(NetId, u32)>, Vec<AudienceRun>) {
    let world = &objects.world;
    let mut visible = Vec::with_capacity(world.objects.len());
    let mut runs: Vec<AudienceRun> = Vec::new();
    world.objects.iter().for_each(|(number, replicated)| {
        let id = NetId(number);
        let may_be_apart = has_groups || replicated.owner.is_some();
        if !replicated.is(State::Announced) || may_be_apart && apart.contains(id) {
            return;
        }
        visible.push((id, replicated.at.row));
        let is_plain = framing == Framing::Compact && is_plain(objects, id, replicated);
        let (audience, end) = (replicated.audience, visible.len());
        let pool = is_plain.then_some(replicated.at.pool);
        match runs.last_mut() {
            Some(run) if run.audience == audience && run.pool == pool => run.end = end,
            _ => runs.push(AudienceRun {
                audience,
                pool,
                end,
            }),
        }
    });
    (visible, runs)
}

/// Returns whether the snapshot of an object is the number of its prefab and the state.
fn is_plain(objects: &Objects, id: NetId, replicated: &Replicated) -> bool {
    let places = &objects.world.places;
    !replicated.is(State::Related)
        && !replicated.is(State::WriteFailed)
        && (places.len() == 0 || places.get(id.0).is_none())
}

/// Writes the snapshots of objects in a pool, up to the first object that needs more than its state. Returns
/// their number.
fn write_together(
    ground: &mut Ground<'_>,
    pool: u32,
    visible: &[(NetId, u32)],
    segments: &mut Segments,
) -> usize {
    let (context, objects) = (&mut *ground.context, &mut *ground.objects);
    let prefab = objects.world.pools.prefab(pool) as usize;
    let info = objects.prefab_infos.get(prefab);
    let info = info.filter(|info| !info.synchronize);
    let (Some(info), Some(pool)) = (info, objects.world.pools.pool_mut(pool)) else {
        return 0;
    };
    let stats = &mut context.stats;
    let costs = stats.behaviours.get_mut(info.first_behaviour..);
    let mut sink = SnapshotSink {
        segments,
        message_type: MessageType::SpawnBatch.number(),
        header: info.header(),
        room: context.config.room(Channel::Reliable),
        stats: costs.unwrap_or_default(),
        encoded: Counter::default(),
    };
    let written = pool.write_snapshots(visible, &mut sink);
    let encoded = sink.encoded;
    stats.count_all_encoded(MessageType::SpawnBatch, encoded);
    written
}
