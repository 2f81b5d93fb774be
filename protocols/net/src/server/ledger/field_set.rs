//! `FieldSet`: some fields of a behaviour.

use syncvar_runtime::NetId;

/// Fields of a behaviour that a chunk contains, or that a connection has not received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldSet {
    pub(crate) net_id: NetId,
    pub(crate) channel: u8,
    /// Position of the behaviour on the object.
    pub(crate) behaviour: u8,
    /// Dirty bits of the fields.
    pub(crate) fields: u64,
}

impl FieldSet {
    /// Returns the behaviour of the fields.
    pub(crate) fn place(&self) -> (NetId, u8) {
        (self.net_id, self.behaviour)
    }

    /// Returns the position in the order of backlogs.
    pub(crate) fn order(&self) -> (NetId, u8, u8) {
        (self.net_id, self.channel, self.behaviour)
    }

    /// Removes the fields that stand in a list of sets, each behaviour once and in their order.
    pub(crate) fn remove(&mut self, sets: &[Self]) {
        if let Ok(at) = sets.binary_search_by_key(&self.place(), Self::place) {
            self.fields &= !sets[at].fields;
        }
    }
}
