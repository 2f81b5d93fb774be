//! `UntypedBehaviour`: the values of a behaviour's fields, by name.

use std::any::Any;
use std::fmt;

use super::class::{FieldError, FieldErrorKind, UntypedClass, UntypedField};
use crate::behaviour::{AnyBehaviour, Presence};
use crate::object::{Slot, Slots};
use crate::schema::{PolicyBits, is_named};
use crate::translate::layout::ValueError;
use crate::value::Value;
use crate::{Encoding, NetworkIdentity, NetworkReader, NetworkWriter};

/// A behaviour without a compiled type: a [`Value`] for each field of its schema.
///
/// ```
/// use syncvar::{prelude::*, untyped::Value};
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
/// }
///
/// let prefabs = || Prefabs::new().register::<Door>("door");
/// let mut net = MemoryNetwork::new(prefabs);
/// let learned = Prefabs::from_schema(&prefabs().schema())?;
/// let viewer = net.connect_client(NetworkClient::new(learned));
/// let id = net.server.spawn(Door { open: true.into() });
/// net.settle();
/// let door = net.client(viewer).untyped(id, "Door").expect("a door");
/// assert_eq!(door.get("open"), Some(&Value::Bool(true)));
/// assert_eq!(door.fields().map(|(name, _)| name).collect::<Vec<_>>(), ["open"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct UntypedBehaviour {
    pub(super) class: &'static UntypedClass,
    /// Values in the order of the dirty bits. Those of an absent behaviour are its first values.
    pub(super) values: Box<[Value]>,
    pub(super) dirty: u64,
}

impl UntypedBehaviour {
    /// Creates a behaviour with the first value of each field.
    pub(super) fn new(class: &'static UntypedClass) -> Self {
        let values = class.fields.iter().map(|field| field.zero.clone());
        Self {
            class,
            values: values.collect(),
            dirty: 0,
        }
    }

    /// Returns the name of the behaviour; `Optional<Name>` for an optional one.
    pub const fn name(&self) -> &'static str {
        self.class.schema().name
    }

    /// Returns an untyped behaviour as such; `None` for a compiled behaviour.
    pub fn of(behaviour: &dyn AnyBehaviour) -> Option<&Self> {
        let behaviour: &dyn Any = behaviour;
        behaviour.downcast_ref()
    }

    /// Like [`of`](Self::of), for writing.
    pub fn of_mut(behaviour: &mut dyn AnyBehaviour) -> Option<&mut Self> {
        let behaviour: &mut dyn Any = behaviour;
        behaviour.downcast_mut()
    }

    /// Returns whether the behaviour has a name; an optional one also has the name without `Optional<>`.
    pub fn is_named(&self, name: &str) -> bool {
        is_named(self.name(), name)
    }

    /// Returns whether an optional behaviour is there; other behaviours always are.
    pub fn is_present(&self) -> bool {
        !self.is_optional() || self.values.last() == Some(&Value::Bool(true))
    }

    /// Returns the value of a field; `None` without such a field, and for an absent behaviour.
    pub fn get(&self, field: &str) -> Option<&Value> {
        let position = self.class.position(field)?;
        let is_there = self.is_present() || position == self.class.fields.len() - 1;
        self.values.get(position).filter(|_| is_there)
    }

    /// Returns the names and values of all fields, those of bases first. Those of an absent behaviour are left out, except
    /// `present`.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        let absent = if self.is_present() {
            0
        } else {
            self.values.len() - 1
        };
        let fields = self.class.fields.iter().zip(&self.values);
        fields
            .skip(absent)
            .map(|(field, value)| (field.name, value))
    }

    /// Returns the length of a field's value in a delta of `Compact`, in bytes. `None` without such a field, and for a collection,
    /// whose delta has operations.
    pub fn delta_length(&self, field: &str) -> Option<usize> {
        let position = self.class.position(field)?;
        self.measure(position)
    }

    /// Returns the dirty bit of a field.
    pub fn bit(&self, field: &str) -> Option<u64> {
        self.class.position(field).map(|position| 1 << position)
    }

    /// Sets the value of a field. A different value makes the field dirty. Returns whether it differed.
    ///
    /// The field `present` of an optional behaviour adds the behaviour, with the first value of each field, or removes it.
    ///
    /// # Errors
    ///
    /// When the behaviour lacks the field or is absent, and when the value does not fit the type.
    pub fn set(&mut self, field: &str, value: &Value) -> Result<bool, FieldError> {
        let name = self.name();
        let error = |kind| FieldError::new(name, field, kind);
        let position = self.class.position(field);
        let position = position.ok_or_else(|| self.class.no_such_field(field))?;
        let is_presence = self.presence_bit() == 1 << position;
        if !self.is_present() && !is_presence {
            return Err(error(FieldErrorKind::Absent));
        }
        let (Some(own), Some(place)) = (
            self.class.fields.get(position),
            self.values.get_mut(position),
        ) else {
            return Err(self.class.no_such_field(field));
        };
        let value = own.fit(value);
        let value = value.map_err(|reason| error(FieldErrorKind::Value(reason)))?;
        if *place == value {
            return Ok(false);
        }
        *place = value;
        self.dirty |= 1 << position;
        if is_presence {
            // A client that follows gets the whole behaviour, or its absence alone.
            self.reset();
            self.dirty = self.existing(u64::MAX);
        }
        Ok(true)
    }

    /// Gives the fields of an optional behaviour their first values.
    pub(super) fn reset(&mut self) {
        let last = self.values.len() - 1;
        let fields = self.values.iter_mut().zip(&self.class.fields);
        for (value, field) in fields.take(last) {
            *value = field.zero.clone();
        }
    }

    pub(super) fn is_optional(&self) -> bool {
        self.class.info.presence == Presence::Optional
    }

    /// Returns the dirty bit of the presence of an optional behaviour; 0 for others.
    pub(super) fn presence_bit(&self) -> u64 {
        if self.is_optional() {
            1 << (self.values.len() - 1)
        } else {
            0
        }
    }
}

/// Behaviours of an object without compiled types.
impl<'a> NetworkIdentity<'a> {
    /// Returns the untyped behaviour at a position.
    pub fn untyped_at(self, index: usize) -> Option<&'a UntypedBehaviour> {
        UntypedBehaviour::of(self.any_behaviour_at(index)?)
    }
}

impl dyn Slots {
    /// Returns the first untyped behaviour with a name.
    pub fn untyped(&self, name: &str) -> Option<&UntypedBehaviour> {
        let mut all = self
            .iter()
            .filter_map(|slot| UntypedBehaviour::of(slot.behaviour()));
        all.find(|behaviour| behaviour.is_named(name))
    }

    /// Like `untyped`, for writing, with the readers and writers of the fields.
    pub fn untyped_mut(&mut self, name: &str) -> Option<(PolicyBits, &mut UntypedBehaviour)> {
        let slot = self.untyped_slot(name)?;
        let policy = *slot.policy();
        Some((policy, UntypedBehaviour::of_mut(slot.behaviour_mut())?))
    }

    /// Notes writes of the server to fields that the owner writes, too: the owner's later writes to them return to the owner.
    pub fn note_override(&mut self, name: &str, fields: u64) {
        let slot = self.untyped_slot(name);
        if let Some(restricted) = slot.and_then(Slot::policy_slot) {
            restricted.state.note_override(restricted.behaviour, fields);
        }
    }

    fn untyped_slot(&mut self, name: &str) -> Option<&mut dyn Slot> {
        let is_it = |slot: &dyn Slot| {
            UntypedBehaviour::of(slot.behaviour()).is_some_and(|it| it.is_named(name))
        };
        let position = self.iter().position(is_it)?;
        self.slot_mut(position)
    }
}

impl UntypedField {
    /// Returns a value as it is read back: with the names of the schema, rounded by a codec, and with keys in order.
    fn fit(&self, value: &Value) -> Result<Value, ValueError> {
        let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
        self.layout.write_value(value, &mut writer)?;
        if writer.has_error() {
            // A value without a form on the wire stays as it is: the write reports it.
            return Ok(value.clone());
        }
        let mut reader = NetworkReader::with_encoding(writer.as_bytes(), Encoding::Compact)
            .with_budget(crate::limits::ReadBudget::UNLIMITED);
        Ok(self
            .layout
            .read_value(&mut reader)
            .unwrap_or_else(|_| value.clone()))
    }
}

impl AnyBehaviour for UntypedBehaviour {
    fn is_present(&self) -> bool {
        Self::is_present(self)
    }
}

impl fmt::Debug for UntypedBehaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.name())?;
        f.debug_map().entries(self.fields()).finish()
    }
}
