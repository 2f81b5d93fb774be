//! Which call is meant: by number, by UNet's hash, or by the class that declares it.

use std::any::TypeId;

use crate::NetworkBehaviour;
use crate::object::Slots;
use crate::schema::{CallKind, CallSchema, CallTable};

/// The calls of the behaviours of an object, in order: numbered one after another.
#[derive(Debug)]
pub struct ObjectCalls(Vec<(&'static str, &'static CallTable)>);

/// Address of a call on an object.
#[derive(Clone, Copy, Debug)]
pub struct CallPlace {
    /// The position of the behaviour.
    pub behaviour: usize,
    /// The name of the behaviour.
    pub name: &'static str,
    /// Number of the call on that behaviour, counted from the calls of its bases.
    pub number: u32,
    /// The class that declares it, and its number there.
    pub declared: (TypeId, u32),
    /// Declaration of the call.
    pub schema: &'static CallSchema,
}

/// A class that declares calls.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    id: TypeId,
    /// Its name.
    pub name: &'static str,
    /// The position of the behaviour, where it is not the first of its class.
    at: Option<usize>,
}

impl Class {
    /// A type, and the position of the behaviour where it is not the first of its class.
    pub fn of<B: NetworkBehaviour>(at: Option<usize>) -> Self {
        Self {
            id: TypeId::of::<B>(),
            name: B::SCHEMA.name,
            at,
        }
    }
}

impl ObjectCalls {
    /// Collects the calls of an object.
    pub fn of(slots: &dyn Slots) -> Self {
        let calls = slots.iter().map(|slot| {
            let info = slot.info();
            (info.schema.name, &info.calls)
        });
        Self(calls.collect())
    }

    /// A call that a class declares, on the first behaviour that is or has that class.
    pub fn declared(&self, class: Class, number: u32) -> Option<CallPlace> {
        let behaviours = 0..self.0.len();
        let mut wanted = behaviours.filter(|index| class.at.is_none_or(|at| at == *index));
        wanted.find_map(|behaviour| {
            let (_, table) = self.0.get(behaviour)?;
            let first = table.first_of(class.id)?;
            self.place(behaviour, first.checked_add(number)?)
        })
    }

    /// The number of a call among those of the object.
    pub fn number(&self, place: &CallPlace) -> u64 {
        let before = self.0.iter().take(place.behaviour);
        let before: u64 = before.map(|(_, table)| u64::from(table.count())).sum();
        before + u64::from(place.number)
    }

    /// The call under a number among those of the object.
    pub fn numbered(&self, mut number: u64) -> Option<CallPlace> {
        for (behaviour, (_, table)) in self.0.iter().enumerate() {
            let count = u64::from(table.count());
            if number < count {
                return self.place(behaviour, u32::try_from(number).ok()?);
            }
            number -= count;
        }
        None
    }

    /// The first call with this hash, as in UNet.
    pub fn hashed(&self, hash: u32) -> Option<CallPlace> {
        let mut behaviours = self.0.iter().enumerate();
        behaviours.find_map(|(behaviour, (_, table))| {
            let position = table.all().position(|call| call.hash == hash)?;
            self.place(behaviour, u32::try_from(position).ok()?)
        })
    }

    /// Returns the call of a behaviour by number, counted from the calls of its bases.
    pub fn place(&self, behaviour: usize, number: u32) -> Option<CallPlace> {
        let (name, table) = *self.0.get(behaviour)?;
        let (class, own, schema) = table.get(number)?;
        Some(CallPlace {
            behaviour,
            name,
            number,
            declared: (class, own),
            schema,
        })
    }
}

impl CallPlace {
    /// Returns whether a client calls it on the server.
    pub fn is_command(&self) -> bool {
        self.schema.kind == CallKind::Command
    }

    /// Returns whether it is an event.
    pub fn is_event(&self) -> bool {
        self.schema.kind == CallKind::SyncEvent
    }

    /// Returns whether both are the same call of the same behaviour.
    pub fn is(&self, other: &Self) -> bool {
        (self.behaviour, self.number) == (other.behaviour, other.number)
    }
}
