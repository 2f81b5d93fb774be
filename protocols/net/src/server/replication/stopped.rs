//! Fields without a form on the wire: a value above a limit stops its field alone.
//!
//! A message above its limit is divided into several; a field that has no form in a message of its own
//! stops. A value that no encoding can hold becomes clean: only a write makes it fit, and each write makes
//! it dirty. Other stopped fields stay dirty: another audience may have a framing with more room, and a
//! collection becomes whole, so that later operations need no earlier ones.

use std::collections::BTreeMap;

use syncvar_runtime::schema::each_bit;
use syncvar_runtime::unstable::object::{ChannelInfo, Outputs, Slot, Slots};
use syncvar_runtime::unstable::packet::{Room, update_refusal};
use syncvar_runtime::{Encoding, NetId, NetworkWriter, WriteError, WriteErrorKind};

use crate::Framing;
use crate::server::ServerEvent;
use crate::server::context::Context;
use crate::server::objects::Objects;

/// A field that is not sent with its object.
#[derive(Debug)]
pub(crate) struct StoppedField {
    pub(crate) net_id: NetId,
    /// Index of the behaviour on the object.
    pub(crate) behaviour: usize,
    /// Dirty bit of the field.
    pub(crate) field: u64,
    pub(crate) error: WriteError,
}

/// Stopped fields.
#[derive(Debug, Default)]
pub(crate) struct StoppedFields {
    /// Fields found since the last report.
    found: Vec<StoppedField>,
    /// Reported fields by behaviour.
    reported: BTreeMap<(NetId, usize), u64>,
}

impl StoppedFields {
    /// Adds fields.
    pub(crate) fn add(&mut self, fields: Vec<StoppedField>) {
        self.found.extend(fields);
    }

    /// Reports the stopped fields: each value once, and a collection once until it has been sent.
    #[inline]
    pub(crate) fn report(&mut self, context: &mut Context, objects: &Objects) {
        if !self.found.is_empty() || !self.reported.is_empty() {
            self.report_new(context, objects);
        }
    }

    #[cold]
    fn report_new(&mut self, context: &mut Context, objects: &Objects) {
        let world = &objects.world;
        self.reported.retain(|(id, behaviour), fields| {
            let Some(slots) = world.slots(*id) else {
                return world.contains(*id);
            };
            let dirty = slots.slot(*behaviour).map_or(0, Slot::dirty_bits);
            *fields &= dirty;
            *fields != 0
        });
        for stopped in self.found.drain(..) {
            let place = (stopped.net_id, stopped.behaviour);
            let reported = self.reported.entry(place).or_default();
            if *reported & stopped.field == 0 || !is_limit(stopped.error) {
                *reported |= stopped.field;
                let event = ServerEvent::serialize_failed(stopped.net_id, stopped.error);
                context.events.push(event);
            }
        }
    }
}

/// Delta of an object, divided into messages.
#[derive(Debug, Default)]
pub(crate) struct Division {
    /// Masks by message and behaviour.
    pub(crate) messages: Vec<Vec<u64>>,
    /// Fields without a form in a message by themselves.
    pub(crate) stopped: Vec<StoppedField>,
}

/// Limits of a message to an audience.
struct MessageLimits {
    net_id: NetId,
    room: Room,
    framings: Vec<Framing>,
    /// Bytes of further behaviours on the channel, with empty masks.
    others: usize,
}

/// Divides a delta without a form as one message: into messages that have one, and the fields that have
/// none by themselves.
///
/// # Errors
///
/// The error of a field with operations that depend on each other.
pub(crate) fn divide(
    net_id: NetId,
    masks: &[u64],
    slots: &mut dyn Slots,
    outputs: &mut Outputs<'_>,
    channel: ChannelInfo,
) -> Result<Division, WriteError> {
    let framings = outputs.channel(channel.channel.into());
    let framings = framings.map(|segments| Framing::of(segments)).collect();
    let on_channel = slots.iter().map(Slot::info);
    let on_channel = on_channel.filter(|info| info.channel == channel.channel);
    let limits = MessageLimits {
        net_id,
        room: channel.room,
        framings,
        others: on_channel.count().saturating_sub(1),
    };
    let mut division = Division::default();
    let (mut message, mut length) = (vec![0; masks.len()], 0);
    for (behaviour, mask) in masks.iter().enumerate() {
        let Some(slot) = slots.slot_mut(behaviour) else {
            continue;
        };
        for field in each_bit(*mask & slot.dirty_bits()) {
            match limits.whole_length(slot, field) {
                Ok(more) => {
                    if !limits.admit(length + more) {
                        division.messages.push(message);
                        (message, length) = (vec![0; masks.len()], 0);
                    }
                    message[behaviour] |= field;
                    length += more;
                }
                Err(error) => {
                    stop(slot, field, error)?;
                    division.stopped.push(StoppedField {
                        net_id,
                        behaviour,
                        field,
                        error,
                    });
                }
            }
        }
    }
    division.messages.push(message);
    Ok(division)
}

impl MessageLimits {
    /// Returns the error of a message in a framing, with changes of this length.
    fn refusal(&self, framing: Framing, changes: usize) -> Option<WriteErrorKind> {
        let changes = changes + self.others;
        update_refusal(framing.form(), self.net_id, changes, self.room)
    }

    /// Returns whether changes of this length fit a message in every framing.
    fn admit(&self, changes: usize) -> bool {
        let mut framings = self.framings.iter();
        framings.all(|framing| self.refusal(*framing, changes).is_none())
    }

    /// Returns the length of a field's delta. Operations that are too long become a whole collection.
    fn whole_length(&self, slot: &mut dyn Slot, field: u64) -> Result<usize, WriteError> {
        let length = self.length(slot, field);
        if length.is_ok() || !is_resendable_operation(slot, field) {
            return length;
        }
        slot.set_dirty_bit(field);
        self.length(slot, field)
    }

    /// Returns the greatest length of a field's delta in a framing.
    fn length(&self, slot: &mut dyn Slot, field: u64) -> Result<usize, WriteError> {
        let mut longest = 0;
        for framing in &self.framings {
            let mut alone = write_alone(slot, field, framing.encoding());
            if let Some(kind) = self.refusal(*framing, alone.len()) {
                alone.fail(kind);
            }
            if let Some(error) = alone.take_error() {
                return Err(error);
            }
            longest = longest.max(alone.len());
        }
        Ok(longest)
    }
}

/// Stops a field: it becomes clean if no encoding has a form for its value, and waits otherwise.
fn stop(slot: &mut dyn Slot, field: u64, error: WriteError) -> Result<(), WriteError> {
    if slot.info().operation_bits & field != 0 {
        let resendable = slot.info().resendable;
        return if resendable { Ok(()) } else { Err(error) };
    }
    let encodings = [Encoding::Unet, Encoding::Compact];
    if encodings.iter().all(|encoding| {
        let error = write_alone(slot, field, *encoding).take_error();
        error.is_some_and(is_value_limit)
    }) {
        slot.drop_fields(field, None);
    }
    Ok(())
}

fn is_resendable_operation(slot: &dyn Slot, field: u64) -> bool {
    slot.info().resendable && slot.info().operation_bits & field != 0
}

/// Writes the delta of a field.
fn write_alone(slot: &mut dyn Slot, field: u64, encoding: Encoding) -> NetworkWriter {
    let mut alone = NetworkWriter::with_encoding(encoding);
    let context = alone.context().with_fields(field);
    alone.with_context(context, |writer| slot.serialize(writer, false));
    alone
}

/// Returns whether a value is above a limit: only a write makes it fit.
fn is_value_limit(error: WriteError) -> bool {
    use WriteErrorKind::{BytesTooLong, StringTooLong, TooManyElements};
    matches!(
        error.kind(),
        StringTooLong { .. } | BytesTooLong { .. } | TooManyElements { .. }
    )
}

/// Returns whether a value or its message is above a limit.
fn is_limit(error: WriteError) -> bool {
    use WriteErrorKind::{MessageTooLarge, TooLargeForUnreliable};
    let of_message = matches!(
        error.kind(),
        MessageTooLarge { .. } | TooLargeForUnreliable { .. }
    );
    of_message || is_value_limit(error)
}
