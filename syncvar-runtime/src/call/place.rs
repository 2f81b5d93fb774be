//! Lookup of calls on an object: by number, by UNet's hash, or by declaring class.

use std::any::TypeId;

use crate::NetworkBehaviour;
use crate::object::Slots;
use crate::route::{CallPlace, Class};
use crate::schema::{CallTable, is_named};

/// Calls of every behaviour of an object, numbered in order.
#[derive(Debug)]
pub struct ObjectCalls(Vec<(&'static str, &'static CallTable)>);

impl Class {
    /// Returns the class of a type, with a behaviour's position if an earlier behaviour has its class.
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

    /// Returns a call declared by a class, on the first behaviour with that class.
    pub fn declared(&self, class: Class, number: u32) -> Option<CallPlace> {
        let behaviours = 0..self.0.len();
        let mut wanted = behaviours.filter(|index| class.at.is_none_or(|at| at == *index));
        wanted.find_map(|behaviour| {
            let (_, table) = self.0.get(behaviour)?;
            let first = table.first_of(class.id)?;
            self.place(behaviour, first.checked_add(number)?)
        })
    }

    /// Returns the command, or the call of clients, with a name, of the first behaviour with a name that has it.
    pub fn named(&self, behaviour: &str, call: &str, is_command: bool) -> Option<CallPlace> {
        let named = self.0.iter().enumerate();
        let mut named = named.filter(|(_, (name, _))| is_named(name, behaviour));
        named.find_map(|(index, (_, table))| {
            // A class's call hides the call of a base.
            let mut numbers = (0..table.count()).rev();
            numbers.find_map(|number| {
                let place = self.place(index, number)?;
                let is_wanted = place.is_command() == is_command && place.schema.name == call;
                is_wanted.then_some(place)
            })
        })
    }

    /// Returns the number of a call on its object.
    pub fn number(&self, place: &CallPlace) -> u64 {
        let before = self.0.iter().take(place.behaviour);
        let before: u64 = before.map(|(_, table)| u64::from(table.count())).sum();
        before + u64::from(place.number)
    }

    /// Returns the object's call with a number.
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

    /// Returns the first call with this hash, as UNet does.
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
