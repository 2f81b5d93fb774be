//! `StreamedFields`: state on the stream that makes older datagrams obsolete.

use rustc_hash::FxHashMap;
use syncvar_runtime::NetId;
use syncvar_runtime::unstable::object::FieldTicks;

use crate::server::ledger::field_set::FieldSet;

/// Fields that snapshots, owner states and long entries have carried to one connection.
///
/// A field that was lost by datagram and shown afterwards is not repaired.
#[derive(Debug, Default)]
pub(crate) struct StreamedFields(FxHashMap<NetId, Vec<StreamedEntry>>);

/// Fields of an object in one packet of the stream.
#[derive(Clone, Copy, Debug)]
struct StreamedEntry {
    tick: u32,
    /// `None` for all behaviours.
    behaviour: Option<u8>,
    fields: u64,
}

impl StreamedFields {
    /// Adds the snapshot of an object. It replaces all that was shown before.
    pub(crate) fn add_snapshot(&mut self, net_id: NetId, tick: u32) {
        let shown = self.0.entry(net_id).or_default();
        shown.clear();
        shown.push(StreamedEntry {
            tick,
            behaviour: None,
            fields: u64::MAX,
        });
    }

    /// Adds fields of a behaviour.
    pub(crate) fn add(&mut self, fields: &FieldSet, tick: u32) {
        self.0
            .entry(fields.net_id)
            .or_default()
            .push(StreamedEntry {
                tick,
                behaviour: Some(fields.behaviour),
                fields: fields.fields,
            });
    }

    /// Returns whether fields of an object are shown.
    pub(crate) fn contains(&self, net_id: NetId) -> bool {
        !self.0.is_empty() && self.0.contains_key(&net_id)
    }

    /// Returns the fields of a set that the stream has not carried with their present values.
    pub(crate) fn missing(&self, set: &FieldSet, ticks: &FieldTicks) -> u64 {
        let fields = set.fields;
        let Some(streamed) = self.0.get(&set.net_id) else {
            return fields;
        };
        let of_behaviour =
            |entry: &&StreamedEntry| entry.behaviour.is_none_or(|place| place == set.behaviour);
        let present = { streamed.iter().filter(of_behaviour) }
            .map(|entry| ticks.changed_until(fields & entry.fields, entry.tick));
        fields & !present.fold(0, |all, fields| all | fields)
    }

    /// Forgets the fields before a tick.
    pub(crate) fn trim(&mut self, oldest: u32) {
        if !self.0.is_empty() {
            self.0.retain(|_, shown| {
                shown.retain(|it| it.tick >= oldest);
                !shown.is_empty()
            });
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the number of objects.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
