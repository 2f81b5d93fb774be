//! `ChangedFields`: fields of a behaviour, by their bits and names.

use std::fmt;

use super::BehaviourSchema;

/// A set of fields of one behaviour.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var]
///     open: SyncVar<bool>,
///     #[sync_var]
///     locked: SyncVar<bool>,
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let door = net.server.spawn(Door::default());
/// net.settle();
/// net.server.get_mut::<Door>(door).unwrap().locked.set(true);
/// net.settle();
/// let last = std::iter::from_fn(|| net.client_mut(0).poll_event()).last();
/// let Some(ClientEvent::Changed { fields, .. }) = last else {
///     panic!("no change");
/// };
/// assert_eq!(fields.behaviour(), "Door");
/// assert!(fields.contains("locked") && !fields.contains("open"));
/// ```
#[derive(Clone, Copy)]
pub struct ChangedFields {
    schema: &'static BehaviourSchema,
    dirty_bits: u64,
}

impl ChangedFields {
    /// Creates the set of the fields with these bits.
    pub fn new(schema: &'static BehaviourSchema, dirty_bits: u64) -> Self {
        Self { schema, dirty_bits }
    }

    /// Returns the name of the behaviour.
    pub fn behaviour(&self) -> &'static str {
        self.schema.name
    }

    /// Returns the set as dirty bits: bit *i* is field *i*, the fields of bases first.
    pub fn dirty_bits(&self) -> u64 {
        self.dirty_bits
    }

    /// Returns the names of the fields, in declaration order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.schema.field_names(self.dirty_bits)
    }

    /// Returns whether the set contains the field with this name.
    pub fn contains(&self, name: &str) -> bool {
        self.names().any(|field| field == name)
    }
}

impl PartialEq for ChangedFields {
    fn eq(&self, other: &Self) -> bool {
        self.behaviour() == other.behaviour() && self.dirty_bits == other.dirty_bits
    }
}

impl fmt::Debug for ChangedFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.behaviour())?;
        f.debug_set().entries(self.names()).finish()
    }
}
