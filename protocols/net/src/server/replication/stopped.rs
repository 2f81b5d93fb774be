//! Fields without a form on the wire: a text or a collection above a limit stops its field alone.
//!
//! A stopped value becomes clean: only a write makes it fit, and each write makes it dirty. A stopped
//! collection stays dirty and becomes whole, so that later operations need no earlier ones.

use std::collections::BTreeMap;

use syncvar_runtime::object::{Outputs, Slots};
use syncvar_runtime::{Encoding, NetId, NetworkWriter, WriteError, WriteErrorKind};

use crate::Framing;
use crate::server::NetworkServer;
use crate::server::replication::update::encode_failure;

/// A field that is not sent while the others are.
#[derive(Debug)]
pub(in crate::server) struct StoppedField {
    pub(in crate::server) net_id: NetId,
    /// Index of the behaviour on the object.
    pub(in crate::server) behaviour: usize,
    /// Dirty bit of the field.
    pub(in crate::server) field: u64,
    pub(in crate::server) error: WriteError,
}

/// Stopped fields.
#[derive(Debug, Default)]
pub(in crate::server) struct StoppedFields {
    /// Fields found since the last report.
    found: Vec<StoppedField>,
    /// Reported fields of each behaviour.
    reported: BTreeMap<(NetId, usize), u64>,
}

impl StoppedFields {
    /// Adds a field.
    pub(in crate::server) fn add(&mut self, field: StoppedField) {
        self.found.push(field);
    }
}

/// Removes the fields that have no form by themselves from the masks of a message.
pub(in crate::server) fn remove_stopped(
    (net_id, masks): (NetId, &mut [u64]),
    slots: &mut dyn Slots,
    (outputs, channel): (&mut Outputs<'_>, u8),
) -> Vec<StoppedField> {
    let outputs = outputs.channel(channel.into());
    let framings: Vec<_> = outputs.map(|segments| Framing::of(segments)).collect();
    let mut stopped = Vec::new();
    for (behaviour, mask) in masks.iter_mut().enumerate() {
        let Some(slot) = slots.slot_mut(behaviour) else {
            continue;
        };
        for field in bits(*mask & slot.dirty_bits()) {
            let mut framings = framings.iter();
            let failure =
                framings.find_map(|framing| slot.length_alone(field, framing.encoding()).err());
            if let Some(error) = failure {
                *mask &= !field;
                if slot.info().operation_bits & field == 0 && is_limit(error) {
                    slot.drop_fields(field, None);
                } else if slot.info().resendable {
                    slot.set_dirty_bit(field);
                }
                stopped.push(StoppedField {
                    net_id,
                    behaviour,
                    field,
                    error,
                });
            }
        }
    }
    stopped
}

/// Makes the fields dirty that a snapshot had to leave empty. The next delta reports them.
pub(in crate::server) fn mark_left_empty(slots: &mut dyn Slots, encoding: Encoding) {
    slots.for_each_mut(|slot| {
        if !slot.info().resendable {
            return;
        }
        let mut failed = 0;
        for field in bits(slot.info().schema.dirty_bits()) {
            let mut alone = NetworkWriter::with_encoding(encoding);
            slot.write_again(field, &mut alone);
            if alone.take_error().is_some() {
                failed |= field;
            }
        }
        slot.set_dirty_bit(failed);
    });
}

/// Returns whether a value is above a limit: only a write makes it fit.
fn is_limit(error: WriteError) -> bool {
    use WriteErrorKind::{BytesTooLong, StringTooLong, TooManyElements};
    matches!(
        error.kind(),
        StringTooLong { .. } | BytesTooLong { .. } | TooManyElements { .. }
    )
}

/// Returns each bit of a mask.
fn bits(mask: u64) -> impl Iterator<Item = u64> {
    (0..u64::BITS)
        .map(|bit| 1 << bit)
        .filter(move |bit| mask & bit != 0)
}

impl NetworkServer {
    /// Reports the stopped fields: each value once, and a collection once until it has been sent.
    #[inline]
    pub(in crate::server) fn report_stopped(&mut self) {
        let stopped = &self.replication.stopped;
        if !stopped.found.is_empty() || !stopped.reported.is_empty() {
            self.report_new_stopped();
        }
    }

    #[cold]
    fn report_new_stopped(&mut self) {
        let mut stopped = std::mem::take(&mut self.replication.stopped);
        let world = &self.world;
        stopped.reported.retain(|(id, behaviour), fields| {
            let Some(slots) = world.slots(*id) else {
                return world.contains(*id);
            };
            let dirty = slots
                .slot(*behaviour)
                .map_or(0, syncvar_runtime::object::Slot::dirty_bits);
            *fields &= dirty;
            *fields != 0
        });
        for field in stopped.found.drain(..) {
            let place = (field.net_id, field.behaviour);
            let reported = stopped.reported.entry(place).or_default();
            if *reported & field.field == 0 || !is_limit(field.error) {
                *reported |= field.field;
                self.events.push(encode_failure(field.net_id, field.error));
            }
        }
        self.replication.stopped = stopped;
    }
}
