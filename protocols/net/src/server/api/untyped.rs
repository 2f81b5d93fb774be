//! Objects by the names of a schema, for servers without the compiled types.

use syncvar_runtime::untyped::{FieldError, FieldErrorKind, UntypedBehaviour, Value};
use syncvar_runtime::{NetId, ObjectError, PrefabError, SpawnError};

use crate::server::{NetworkServer, SpawnOptions};

impl NetworkServer {
    /// Spawns an object of a prefab by its name, with the behaviours that a client makes for it: those of
    /// `Default`, of the function that the prefab was registered with, or of a schema.
    ///
    /// ```
    /// use syncvar::{prelude::*, schema::Schema};
    ///
    /// let text = "\
    /// prefab door 5b882675757277b806e97060b8398901
    ///   behaviour Door, channel 0
    ///     class Door
    ///       open: bool
    /// ";
    /// let schema = Schema::parse(text)?;
    /// let mut net = MemoryNetwork::pair(move || Prefabs::from_schema(&schema).unwrap());
    /// let door = net.server.spawn_prefab("door", SpawnOptions::default())?;
    /// net.settle();
    /// net.server.set_value(door, "Door", "open", true)?;
    /// net.settle();
    /// assert_eq!(net.client(0).value(door, "Door", "open"), Some(&true.into()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If no prefab has the name, and as [`try_spawn`](Self::try_spawn).
    pub fn spawn_prefab(
        &mut self,
        name: &str,
        mut options: SpawnOptions,
    ) -> Result<NetId, SpawnError> {
        let prefab = self.objects.world.prefabs.by_name(name);
        let prefab = prefab.ok_or_else(|| PrefabError::UnknownName(name.into()))?;
        let behaviours = prefab.make();
        options.prefab = Some(name.into());
        self.try_spawn(behaviours, options)
    }

    /// Returns the behaviour of an object with a name, whose prefab comes from a schema
    /// ([`Prefabs::from_schema`](syncvar_runtime::Prefabs::from_schema)).
    pub fn untyped(&self, id: NetId, behaviour: &str) -> Option<&UntypedBehaviour> {
        self.objects.world.slots(id)?.untyped(behaviour)
    }

    /// Returns the value of a field: see [`untyped`](Self::untyped).
    pub fn value(&self, id: NetId, behaviour: &str, field: &str) -> Option<&Value> {
        self.untyped(id, behaviour)?.get(field)
    }

    /// Sets the value of a field of an object whose prefab comes from a schema. A different value is sent with the next
    /// update. Returns whether it differed.
    ///
    /// # Errors
    ///
    /// When the object, the behaviour or the field does not exist, the value does not fit its type, or the owner of the object
    /// writes the field.
    pub fn set_value(
        &mut self,
        id: NetId,
        behaviour: &str,
        field: &str,
        value: impl Into<Value>,
    ) -> Result<bool, FieldError> {
        let error = |kind| FieldError::new(behaviour, field, kind);
        let owned = self.owner(id).is_some();
        let slots = self.objects.world.slots_mut(id);
        let missing = FieldErrorKind::Object(ObjectError::NoSuchObject(id));
        let slots = slots.ok_or_else(|| error(missing))?;
        let found = slots.untyped_mut(behaviour);
        let (policy, found) = found.ok_or_else(|| error(FieldErrorKind::NoSuchBehaviour))?;
        let of_owner = found.bit(field).unwrap_or_default() & policy.owner_write;
        if owned && of_owner & !policy.server_override != 0 {
            return Err(error(FieldErrorKind::NotWritable));
        }
        let is_changed = found.set(field, &value.into())?;
        if is_changed {
            if owned {
                slots.note_override(behaviour, of_owner);
            }
            self.objects.schedule.queue_dirty(id);
        }
        Ok(is_changed)
    }
}
