//! Commands of an object, as its prefab declares them.

use super::{Fact, Objects};
use crate::Framing;
use crate::message::{CallName, named};
use syncvar_runtime::unstable::call::{CallPlace, Class};
use syncvar_runtime::{CallError, NetId};

/// Name of a command of a behaviour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommandName<'a> {
    pub(crate) behaviour: &'a str,
    pub(crate) command: &'a str,
}

impl Objects {
    /// Returns whether the server keeps a history of some prefab.
    pub(crate) fn has_history(&self) -> bool {
        let mut prefabs = self.world.prefabs.entries().iter();
        prefabs.any(|prefab| prefab.facts.history)
    }

    /// Returns the place of a command, if this client may call it. `channels` is the number of channels.
    pub(crate) fn command(
        &self,
        object: NetId,
        class: Class,
        number: u32,
        framing: Framing,
        channels: usize,
    ) -> Result<CallPlace, CallError> {
        let replica = self.world.objects.get(object.0);
        let replica = replica.filter(|replica| replica.is_visible());
        replica.ok_or(CallError::UnknownObject(object))?;
        let place = self.world.declared_call(object, class, number)?;
        self.check_command(object, &place, framing, channels)?;
        Ok(place)
    }

    /// Returns the place of a command by its name. The server checks the owner.
    pub(crate) fn command_named(
        &self,
        object: NetId,
        named: CommandName<'_>,
        framing: Framing,
        channels: usize,
    ) -> Result<CallPlace, CallError> {
        let CommandName { behaviour, command } = named;
        let replica = self.world.objects.get(object.0);
        let replica = replica.filter(|replica| replica.is_visible());
        replica.ok_or(CallError::UnknownObject(object))?;
        let place = self.world.named_call(object, behaviour, command, true)?;
        self.check_command(object, &place, framing, channels)?;
        Ok(place)
    }

    /// Checks whether this client may call a command.
    pub(crate) fn check_command(
        &self,
        object: NetId,
        place: &CallPlace,
        framing: Framing,
        channels: usize,
    ) -> Result<(), CallError> {
        let replica = self.world.objects.get(object.0);
        let replica = replica.ok_or(CallError::UnknownObject(object))?;
        let prefab = self.world.pools.prefab(replica.at.pool);
        let prefabs = &self.world.prefabs;
        if place.schema.requires_ownership && !replica.is(Fact::Owned) {
            return Err(CallError::NotOwner(object));
        }
        if usize::from(place.schema.channel) >= channels {
            return Err(CallError::UnknownChannel(place.schema.channel));
        }
        let calls = prefabs.get(prefab).map(|prefab| &prefab.calls);
        let named = calls.and_then(|calls| named(calls, CallName::Hash(place.schema.hash)));
        let is_first = named.is_some_and(|named| named.is(place));
        if framing == Framing::Unet && !is_first {
            return Err(CallError::Ambiguous);
        }
        Ok(())
    }
}
