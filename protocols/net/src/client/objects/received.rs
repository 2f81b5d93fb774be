//! Received fields of objects, for programs that own their data elsewhere.

use rustc_hash::FxHashMap;
use syncvar_runtime::{CallFailure, Callbacks, Called, NetId, NetworkBehaviour};

use crate::client::NetworkClient;

/// Received fields not yet drained, by the name of the behaviour. Empty with [`Callbacks::Run`].
#[derive(Debug, Default)]
pub(crate) struct Received {
    behaviours: FxHashMap<&'static str, Batch>,
}

/// Received fields of the behaviours with one name, in the order of their first arrival.
#[derive(Debug, Default)]
struct Batch {
    entries: Vec<Entry>,
    positions: FxHashMap<(NetId, usize), usize>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    object: NetId,
    behaviour: usize,
    fields: u64,
}

impl Received {
    /// Adds received fields of a behaviour.
    pub(crate) fn add(&mut self, name: &'static str, object: NetId, behaviour: usize, fields: u64) {
        let batch = self.behaviours.entry(name).or_default();
        batch.add(Entry {
            object,
            behaviour,
            fields,
        });
    }
}

impl Batch {
    fn add(&mut self, entry: Entry) {
        let next = self.entries.len();
        let key = (entry.object, entry.behaviour);
        let position = *self.positions.entry(key).or_insert(next);
        match self.entries.get_mut(position) {
            Some(known) => known.fields |= entry.fields,
            None => self.entries.push(entry),
        }
    }
}

impl NetworkClient {
    /// Calls a function with each behaviour of a type that has received fields since the last call: the
    /// object, the position of the behaviour, the behaviour and the bits of the fields. The order is that
    /// of arrival; each behaviour comes once. All fields of a new object count as received.
    ///
    /// Requires [`Callbacks::Events`] in [`ClientConfig::callbacks`](crate::ClientConfig::callbacks).
    /// Without it, the function is not called. Removed objects are left out. Writes to the behaviour stay
    /// local: the next received values replace them.
    ///
    /// ```
    /// use syncvar::{Callbacks, ClientConfig, prelude::*};
    ///
    /// #[derive(NetworkBehaviour, Default)]
    /// struct Player {
    ///     #[sync_var]
    ///     health: SyncVar<i32>,
    /// }
    ///
    /// let prefabs = || Prefabs::new().register::<Player>("player");
    /// let mut net = MemoryNetwork::new(prefabs);
    /// let config = ClientConfig {
    ///     callbacks: Callbacks::Events,
    ///     ..ClientConfig::default()
    /// };
    /// net.connect_client(NetworkClient::with_config(prefabs(), config));
    /// net.server.spawn(Player { health: 5.into() });
    /// net.settle();
    /// let mut own = Player::default();
    /// net.client_mut(0).drain_received::<Player>(|_, _, player, fields| {
    ///     own.take_changes(player, fields);
    /// });
    /// assert_eq!(own.health, 5);
    /// ```
    pub fn drain_received<B: NetworkBehaviour>(
        &mut self,
        mut each: impl FnMut(NetId, usize, &mut B, u64),
    ) {
        let Some(batch) = self.objects.received.behaviours.get_mut(B::SCHEMA.name) else {
            return;
        };
        batch.positions.clear();
        let mut left = Vec::new();
        for entry in batch.entries.drain(..) {
            let Some(replica) = self.objects.world.objects.get(entry.object.0) else {
                continue;
            };
            let pools = &mut self.objects.world.pools;
            match pools.behaviour_at_mut::<B>(entry.object, replica.at, entry.behaviour) {
                Ok(parts) => each(
                    entry.object,
                    entry.behaviour,
                    parts.tracked.behaviour,
                    entry.fields,
                ),
                // Another type with the same name.
                Err(_) => left.push(entry),
            }
        }
        for entry in left {
            batch.add(entry);
        }
    }

    /// Runs a received call of the server on a value of the behaviour that the application owns. The
    /// context has the object's id, its owner and this client, and no siblings.
    ///
    /// # Errors
    ///
    /// When `B` has no such call, the arguments are malformed, or the call panics.
    pub fn run_call<B: NetworkBehaviour>(
        &mut self,
        on: &mut B,
        called: &Called,
    ) -> Result<(), CallFailure> {
        called.run(on, self)
    }

    /// Counts all fields of an object as received, with [`Callbacks::Events`].
    #[inline]
    pub(crate) fn receive_all(&mut self, object: NetId) {
        if self.objects.world.callbacks != Callbacks::Run {
            self.receive_fields(object);
        }
    }

    fn receive_fields(&mut self, object: NetId) {
        let slots = self.objects.world.slots(object).into_iter();
        for (behaviour, slot) in slots.flat_map(|slots| slots.iter().enumerate()) {
            let schema = &slot.info().schema;
            let fields = schema.dirty_bits();
            self.objects
                .received
                .add(schema.name, object, behaviour, fields);
        }
    }
}
