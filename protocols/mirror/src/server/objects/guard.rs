//! `MirrorBehaviourMut`: write access to a behaviour.

use syncvar_runtime::unstable::object::{Location, Pools, SlotParts};
use syncvar_runtime::unstable::world::{WriteGuard, WriteSink};
use syncvar_runtime::{BehaviourFields, NetId, NetworkBehaviour, ObjectError, OperationLog};

use crate::server::audiences::Audiences;
use crate::server::objects::entry::Observed;

/// Write access to a behaviour; a changed object is queued for the next update when the guard is
/// dropped.
pub type MirrorBehaviourMut<'a, B> = WriteGuard<'a, B, ObservedSink<'a>>;

/// Receiver of the changes of a [`MirrorBehaviourMut`].
#[derive(Debug)]
pub struct ObservedSink<'a> {
    observed: bool,
    /// See `Observed::announced`.
    announced: usize,
    queued: &'a mut bool,
    dirty: &'a mut Vec<NetId>,
}

impl WriteSink for ObservedSink<'_> {
    #[inline]
    fn replaced<B: NetworkBehaviour>(&mut self, behaviour: &mut B) {
        // Collections assigned through the guard have a new log.
        behaviour.set_log(OperationLog::Full {
            pending: self.announced,
        });
        if !self.observed {
            behaviour.set_observed(false);
        }
    }

    #[inline]
    fn released<B: NetworkBehaviour>(&mut self, id: NetId, behaviour: &mut B) {
        if behaviour.sync_var_dirty_bits() != 0 && !std::mem::replace(self.queued, true) {
            self.dirty.push(id);
        }
    }
}

/// Returns write access to a behaviour of an object. `dirty` receives the object when it has changed.
#[inline]
pub(crate) fn guard<'a, B: NetworkBehaviour>(
    id: NetId,
    object: &'a mut Observed,
    pools: &'a mut Pools,
    dirty: &'a mut Vec<NetId>,
    find: impl FnOnce(&'a mut Pools, Location) -> Result<SlotParts<'a, B>, ObjectError>,
) -> Result<MirrorBehaviourMut<'a, B>, ObjectError> {
    let Observed {
        at,
        queued,
        view,
        announced,
        ..
    } = object;
    let observed = view.audience != Audiences::EMPTY;
    // After any change, the spawn may fit.
    if view.spawn_failed && !std::mem::replace(queued, true) {
        dirty.push(id);
    }
    let parts = find(pools, *at)?;
    let sink = ObservedSink {
        observed,
        announced: *announced,
        queued,
        dirty,
    };
    Ok(WriteGuard::new(id, parts.tracked, sink))
}
