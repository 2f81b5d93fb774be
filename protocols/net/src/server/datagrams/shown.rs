//! `Shown`: state on the stream that makes older datagrams obsolete.

use rustc_hash::FxHashMap;
use syncvar_runtime::NetId;
use syncvar_runtime::object::FieldTicks;

/// Fields that snapshots, owner states and long entries have carried to one connection.
///
/// A field that was lost by datagram and shown afterwards is not repaired.
#[derive(Debug, Default)]
pub(in crate::server) struct Shown(FxHashMap<NetId, Vec<ShownFields>>);

/// Fields of an object in one packet of the stream.
#[derive(Clone, Copy, Debug)]
struct ShownFields {
    tick: u32,
    /// `None` for all behaviours.
    behaviour: Option<u8>,
    fields: u64,
}

impl Shown {
    /// Adds the snapshot of an object. It replaces all that was shown before.
    pub(in crate::server) fn add_snapshot(&mut self, net_id: NetId, tick: u32) {
        let shown = self.0.entry(net_id).or_default();
        shown.clear();
        shown.push(ShownFields {
            tick,
            behaviour: None,
            fields: u64::MAX,
        });
    }

    /// Adds fields of a behaviour.
    pub(in crate::server) fn add(&mut self, net_id: NetId, behaviour: u8, fields: u64, tick: u32) {
        self.0.entry(net_id).or_default().push(ShownFields {
            tick,
            behaviour: Some(behaviour),
            fields,
        });
    }

    /// Returns whether fields of an object are shown.
    pub(in crate::server) fn contains(&self, net_id: NetId) -> bool {
        !self.0.is_empty() && self.0.contains_key(&net_id)
    }

    /// Returns those of some fields that are not shown with their present values.
    pub(in crate::server) fn missing(
        &self,
        net_id: NetId,
        behaviour: u8,
        fields: u64,
        ticks: &FieldTicks,
    ) -> u64 {
        let Some(shown) = self.0.get(&net_id) else {
            return fields;
        };
        let of_behaviour = |it: &&ShownFields| it.behaviour.is_none_or(|other| other == behaviour);
        let present = { shown.iter().filter(of_behaviour) }
            .map(|it| ticks.changed_until(fields & it.fields, it.tick));
        fields & !present.fold(0, |all, fields| all | fields)
    }

    /// Forgets what was shown before a tick.
    pub(in crate::server) fn trim(&mut self, oldest: u32) {
        if !self.0.is_empty() {
            self.0.retain(|_, shown| {
                shown.retain(|it| it.tick >= oldest);
                !shown.is_empty()
            });
        }
    }

    /// Forgets everything.
    pub(in crate::server) fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the number of objects.
    pub(in crate::server) fn len(&self) -> usize {
        self.0.len()
    }
}
