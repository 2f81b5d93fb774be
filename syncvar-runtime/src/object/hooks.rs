//! Hooks after a delta, after a snapshot, for a first state, and on a host.

use std::any::Any;
use std::fmt;

use crate::{NetId, NetworkBehaviour, NetworkContext};

/// Previous values of a behaviour's fields, type-erased.
pub type Remembered = Box<dyn Any + Send + Sync>;

/// Hooks to run on a behaviour.
#[derive(Debug)]
pub enum Hooks {
    /// Hooks of the delta that the behaviour has read last.
    LastRead,
    /// Hooks of the fields that differ from remembered values.
    Changed(ErasedHooks),
}

/// Hooks of a behaviour that wait for the check-out of their object, which their context needs.
#[derive(Debug)]
#[must_use = "the hooks have not been called"]
pub struct DeferredHooks {
    /// The object.
    pub object: NetId,
    /// Position of the behaviour.
    pub behaviour: usize,
    /// Bits of its received fields.
    pub fields: u64,
    /// Tick of the change; `None` without one.
    pub tick: Option<u64>,
    /// Set if the fields are reported as changed after the hooks.
    pub reported: bool,
    /// Arguments of the hooks.
    pub hooks: ErasedHooks,
}

/// Previous values for the hooks of a behaviour, after [`read_layout`](crate::NetworkReader::read_layout).
#[must_use = "the hooks have not been called"]
pub struct LayoutHooks<B: NetworkBehaviour> {
    pub(super) collections: Option<B::Previous>,
    pub(super) values: Option<B::Previous>,
}

/// Previous values for the hooks of a behaviour, type-erased.
#[derive(Default)]
#[must_use = "the hooks have not been called"]
pub struct ErasedHooks {
    collections: Option<Remembered>,
    values: Option<Remembered>,
}

impl<B: NetworkBehaviour> LayoutHooks<B> {
    /// Calls the hooks of the collections, then the hooks of the remaining fields.
    pub fn call(self, behaviour: &mut B, ctx: &mut NetworkContext<'_>) {
        for previous in [self.collections, self.values].into_iter().flatten() {
            behaviour.call_hooks(previous, ctx);
        }
    }

    /// Returns the previous values that a [visit](NetworkBehaviour::visit) needs.
    pub fn values_mut(&mut self) -> &mut B::Previous {
        self.values.get_or_insert_default()
    }

    pub(super) fn erased(self) -> ErasedHooks {
        let erase = |previous| Box::new(previous) as Remembered;
        ErasedHooks {
            collections: self.collections.map(erase),
            values: self.values.map(erase),
        }
    }
}

impl ErasedHooks {
    /// Returns whether no hook has to run.
    pub fn is_empty(&self) -> bool {
        self.collections.is_none() && self.values.is_none()
    }

    pub(super) fn of<B: NetworkBehaviour>(self) -> LayoutHooks<B> {
        let typed = |erased: Remembered| erased.downcast().ok().map(|previous| *previous);
        LayoutHooks {
            collections: self.collections.and_then(typed),
            values: self.values.and_then(typed),
        }
    }
}

impl From<Remembered> for ErasedHooks {
    fn from(values: Remembered) -> Self {
        Self {
            collections: None,
            values: Some(values),
        }
    }
}

impl<B: NetworkBehaviour> Default for LayoutHooks<B> {
    fn default() -> Self {
        Self {
            collections: None,
            values: None,
        }
    }
}

impl<B: NetworkBehaviour> fmt::Debug for LayoutHooks<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LayoutHooks")
            .field("collections", &self.collections.is_some())
            .field("values", &self.values.is_some())
            .finish()
    }
}

impl fmt::Debug for ErasedHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErasedHooks")
            .field("collections", &self.collections.is_some())
            .field("values", &self.values.is_some())
            .finish()
    }
}
