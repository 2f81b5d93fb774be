//! `BehaviourMut`: a behaviour for writing.

use syncvar_runtime::events::Events;
use syncvar_runtime::unstable::object::{PolicyState, SlotParts};
use syncvar_runtime::unstable::world::{WriteGuard, WriteSink};
use syncvar_runtime::{BehaviourClass, ChangedFields, NetId, NetworkBehaviour};

use crate::server::ServerEvent;
use crate::server::objects::owner::refuse;
use crate::server::objects::schedule::Schedule;

/// A behaviour for writing. Dropping it queues a changed object for the next update.
///
/// ```
/// use syncvar::prelude::*;
///
/// # #[derive(NetworkBehaviour, Default)]
/// # struct Door {
/// #     #[sync_var]
/// #     open: SyncVar<bool>,
/// # }
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let id = net.server.spawn(Door::default());
/// net.settle();
/// let mut door = net.server.get_mut::<Door>(id).unwrap();
/// door.open.set(true);
/// drop(door); // queues the object for the next update
/// net.settle();
/// assert_eq!(net.client(0).get::<Door>(id).unwrap().open, true);
/// ```
pub type BehaviourMut<'a, B> = WriteGuard<'a, B, ServerWrites<'a>>;

/// Receiver of the writes to a behaviour on the server.
pub struct ServerWrites<'a> {
    /// Policy state, if the owner writes a field.
    restricted: Option<&'a mut PolicyState>,
    schedule: &'a mut Schedule,
    events: &'a mut Events<ServerEvent>,
}

/// Begins a write.
#[inline]
pub(crate) fn begin_write<'a, B: NetworkBehaviour>(
    net_id: NetId,
    parts: SlotParts<'a, B>,
    schedule: &'a mut Schedule,
    events: &'a mut Events<ServerEvent>,
) -> BehaviourMut<'a, B> {
    let bits = const { &B::SCHEMA.policy_bits() };
    let SlotParts { tracked, policy } = parts;
    let mut restricted = policy.filter(|_| const { B::SCHEMA.policy_bits().owner_write != 0 });
    if let Some(restricted) = &mut restricted {
        restricted.begin_change(tracked.behaviour, bits);
    }
    let writes = ServerWrites {
        restricted,
        schedule,
        events,
    };
    WriteGuard::new(net_id, tracked, writes)
}

impl ServerWrites<'_> {
    /// Reverts writes to the owner's fields.
    #[cold]
    fn revert<B: NetworkBehaviour>(&mut self, net_id: NetId, behaviour: &mut B) {
        if let Some(restricted) = &mut self.restricted {
            let refused = restricted.end_change(behaviour);
            if refused != 0 {
                let fields = ChangedFields::new(BehaviourClass::of::<B>(), refused);
                refuse(self.events, net_id, fields);
            }
        }
    }
}

impl WriteSink for ServerWrites<'_> {
    #[inline]
    fn released<B: NetworkBehaviour>(&mut self, id: NetId, behaviour: &mut B) {
        if const { B::SCHEMA.policy_bits().owner_write != 0 } {
            self.revert(id, behaviour);
        }
        if behaviour.sync_var_dirty_bits() != 0 {
            self.schedule.queue_dirty(id);
        }
    }
}
