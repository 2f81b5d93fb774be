//! Address of a call on an object.

use std::any::TypeId;

use crate::schema::{CallKind, CallSchema};

/// Address of a call on an object.
#[derive(Clone, Copy, Debug)]
pub struct CallPlace {
    /// Position of the behaviour.
    pub behaviour: usize,
    /// Name of the behaviour.
    pub name: &'static str,
    /// Number of the call on that behaviour, counted from the calls of its bases.
    pub number: u32,
    /// Declaring class, and the call's number there.
    pub declared: (TypeId, u32),
    /// Declaration of the call.
    pub schema: &'static CallSchema,
}

/// A class that declares calls.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    pub(crate) id: TypeId,
    /// Name of the class.
    pub name: &'static str,
    /// Position of the behaviour, unless it is the first behaviour of its class.
    pub(crate) at: Option<usize>,
}

impl CallPlace {
    /// Returns whether the call is a command.
    pub fn is_command(&self) -> bool {
        self.schema.kind == CallKind::Command
    }

    /// Returns whether the call is an event.
    pub fn is_event(&self) -> bool {
        self.schema.kind == CallKind::SyncEvent
    }

    /// Returns whether both are the same call of the same behaviour.
    pub fn is(&self, other: &Self) -> bool {
        (self.behaviour, self.number) == (other.behaviour, other.number)
    }
}
