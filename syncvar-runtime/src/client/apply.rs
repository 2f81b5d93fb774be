//! Spawns and updates: read everything first, then tell.

use super::{ChangedFields, ClientEvent, NetworkClient, Replica, SpawnFailure};
use crate::events::Events;
use crate::message::ObjectSpawn;
use crate::{NetId, NetworkIdentity, NetworkReader, ReadError};

impl Replica {
    fn new(identity: NetworkIdentity) -> Self {
        Self {
            identity,
            owned: false,
            owned_before: false,
            announced: false,
            poisoned: false,
            asked: false,
            fresh: true,
        }
    }

    /// Tells the application of the object.
    pub(super) fn announce(&mut self, object: NetId, events: &mut Events<ClientEvent>) {
        self.announced = true;
        events.push(ClientEvent::Spawned { object });
        if self.owned {
            events.push(ClientEvent::OwnerChanged {
                object,
                owned: true,
            });
        }
    }

    /// Reads the state of all behaviours, whatever their channel.
    fn read_full(&mut self, state: &[u8]) -> Result<(), ReadError> {
        let mut reader = NetworkReader::new(state);
        let mut result = Ok(());
        self.identity.behaviours.for_each_mut(|slot| {
            if result.is_ok() {
                result = slot.deserialize(&mut reader, true);
                slot.skip_hooks();
            }
        });
        result.and_then(|()| reader.finish())
    }

    /// Reads the changes of the behaviours of one channel; `masks` gets the dirty bits of each
    /// behaviour.
    fn read_changes(
        &mut self,
        channel: u8,
        reader: &mut NetworkReader<'_>,
        masks: &mut Vec<u64>,
    ) -> Result<(), ReadError> {
        masks.clear();
        let mut result = Ok(());
        self.identity.behaviours.for_each_mut(|slot| {
            if result.is_ok() && slot.info().channel == channel {
                result = slot.deserialize(reader, false);
            }
            masks.push(reader.take_seen_bits());
        });
        result.and_then(|()| reader.finish())
    }
}

impl NetworkClient {
    pub(super) fn handle_spawn(&mut self, spawn: &ObjectSpawn<'_>) {
        let (object, asset_id) = (spawn.net_id, spawn.asset_id);
        let former = self
            .objects
            .get(&object)
            .map(|replica| replica.identity.asset_id());
        if former.is_some_and(|former| former != asset_id) {
            self.forget(object, false);
        }
        if !self.objects.contains_key(&object) {
            match self.make(object, spawn) {
                Ok(replica) => self.objects.insert(object, replica),
                Err(reason) => {
                    let event = ClientEvent::SpawnFailed {
                        object,
                        asset_id,
                        reason,
                    };
                    self.events.push(event);
                    return;
                }
            };
        }
        let Some(replica) = self.objects.get_mut(&object) else {
            return;
        };
        replica.fresh = true;
        replica.identity.position = spawn.position;
        replica.identity.rotation = spawn.rotation;
        match replica.read_full(spawn.state) {
            Ok(()) => {
                replica.poisoned = false;
                replica.asked = false;
                if replica.announced {
                    self.events.push(ClientEvent::Restored { object });
                } else if !self.joining {
                    replica.announce(object, &mut self.events);
                }
            }
            Err(error) => self.poison(object, error),
        }
    }

    fn make(&self, object: NetId, spawn: &ObjectSpawn<'_>) -> Result<Replica, SpawnFailure> {
        let prefab = self
            .prefabs
            .by_asset_id(spawn.asset_id)
            .ok_or(SpawnFailure::UnknownPrefab)?;
        if self.objects.len() >= self.config.max_objects {
            return Err(SpawnFailure::TooManyObjects);
        }
        Ok(Replica::new(NetworkIdentity::new(
            object,
            spawn.asset_id,
            prefab.make(),
        )))
    }

    /// Applies an `UpdateVars` message: all fields first, then the hooks, then the events.
    pub(super) fn handle_update(&mut self, channel: u8, payload: &[u8]) -> Result<(), ReadError> {
        let mut reader = NetworkReader::new(payload);
        let object = reader.read()?;
        let Some(replica) = self.objects.get_mut(&object) else {
            self.stats.unknown_objects += 1;
            return Ok(());
        };
        if replica.poisoned {
            // The answer to the last question could not be read either.
            if !std::mem::replace(&mut replica.asked, true) {
                self.ask_for(object);
            }
            return Ok(());
        }
        if let Err(error) = replica.read_changes(channel, &mut reader, &mut self.masks) {
            replica
                .identity
                .behaviours
                .for_each_mut(|slot| slot.skip_hooks());
            self.poison(object, error);
            return Ok(());
        }
        if !replica.announced {
            // The application does not know the object yet; it will meet it with this state.
            replica
                .identity
                .behaviours
                .for_each_mut(|slot| slot.skip_hooks());
            return Ok(());
        }
        replica
            .identity
            .behaviours
            .for_each_mut(|slot| slot.call_hooks());
        let changed = self
            .masks
            .iter()
            .enumerate()
            .filter(|(_, mask)| **mask != 0);
        for (behaviour, dirty_bits) in changed {
            if let Some(slot) = replica.identity.behaviours.slot(behaviour) {
                let fields = ChangedFields::new(&slot.info().schema, *dirty_bits);
                let event = ClientEvent::Changed {
                    object,
                    behaviour,
                    fields,
                };
                self.events.push(event);
            }
        }
        Ok(())
    }

    /// An object could not be read: ask for all of it, once, until it has come. If this was the answer,
    /// ask again when the next change of the object comes, and not at once: one that can never be read
    /// must not be sent back and forth for ever.
    fn poison(&mut self, object: NetId, error: ReadError) {
        let Some(replica) = self.objects.get_mut(&object) else {
            return;
        };
        let ask = !std::mem::replace(&mut replica.poisoned, true);
        replica.asked = ask;
        tracing::warn!(%object, %error, "an object could not be read");
        self.events.push(ClientEvent::Poisoned { object, error });
        if ask {
            self.ask_for(object);
        }
    }
}
