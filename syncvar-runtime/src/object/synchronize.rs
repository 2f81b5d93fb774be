//! What `on_synchronize` writes, behind the full states of an object: for each behaviour that has it,
//! the length in bytes and the bytes. WIRE.md, section 3.

use super::{Slot, Slots};
use crate::behaviour::{BufferSerializer, SynchronizeError, SynchronizeFailure, contain};
use crate::stats::BehaviourStats;
use crate::{BehaviourSchema, NetId, NetworkReader, NetworkWriter, ReadError};

/// What is wrong with an `on_synchronize` that writes.
#[derive(Debug)]
pub enum Fault {
    /// It could not write its data.
    Failed(SynchronizeError),
    /// It has set fields that only the owner of the object writes.
    Refused(u64),
}

/// Writes the data of every behaviour that has some. What one of them cannot write is reported, and
/// nothing stands in its place. What one of them sets is as with any other change of the server.
pub fn write_sections(
    slots: &mut dyn Slots,
    writer: &mut NetworkWriter,
    stats: &mut [BehaviourStats],
    mut report: impl FnMut(&'static BehaviourSchema, Fault),
) {
    let mut stats = stats.iter_mut();
    slots.for_each_mut(|slot| {
        let stats = stats.next();
        // If a field has no form on the wire, nothing of the object is sent.
        if !slot.info().synchronize || writer.has_error() {
            return;
        }
        let before = writer.len();
        slot.begin_change();
        if let Err(error) = write_section(slot, writer) {
            report(&slot.info().schema, Fault::Failed(error));
            writer.write_byte_sequence(&[]);
        }
        let refused = slot.end_change();
        if refused != 0 {
            report(&slot.info().schema, Fault::Refused(refused));
        }
        if let Some(stats) = stats {
            stats.full.bytes += (writer.len() - before) as u64;
        }
    });
}

/// The data is written to a buffer of its own, so that whatever the behaviour does to that, the state
/// before it is safe.
fn write_section(slot: &mut dyn Slot, writer: &mut NetworkWriter) -> Result<(), SynchronizeError> {
    let mut own = NetworkWriter::with_encoding(writer.encoding());
    own.at_behaviour(Some(slot.info().schema.name));
    run(slot, &mut BufferSerializer::writing(&mut own))?;
    if let Some(error) = own.take_error() {
        return Err(error.into());
    }
    writer.at_behaviour(Some(slot.info().schema.name));
    writer.write_byte_sequence(own.as_bytes());
    writer
        .take_error()
        .map_or(Ok(()), |error| Err(error.into()))
}

/// Reads the data of every behaviour that has some. What one of them cannot read is reported and
/// passed over.
///
/// # Errors
///
/// When it cannot be told where the data of a behaviour ends.
pub fn read_sections(
    object: NetId,
    slots: &mut dyn Slots,
    reader: &mut NetworkReader<'_>,
    mut report: impl FnMut(SynchronizeFailure),
) -> Result<(), ReadError> {
    let mut result = Ok(());
    slots.for_each_mut(|slot| {
        if !slot.info().synchronize || result.is_err() {
            return;
        }
        match reader.read_byte_sequence() {
            Ok([]) => {}
            Ok(bytes) => {
                let mut own = reader.part(bytes);
                if let Err(error) = read_section(slot, &mut own) {
                    report(SynchronizeFailure {
                        object,
                        behaviour: slot.info().schema.name,
                        read: own.position(),
                        expected: bytes.len(),
                        error,
                    });
                }
            }
            Err(error) => result = Err(error),
        }
    });
    result
}

fn read_section(
    slot: &mut dyn Slot,
    reader: &mut NetworkReader<'_>,
) -> Result<(), SynchronizeError> {
    run(slot, &mut BufferSerializer::reading(reader))?;
    match reader.remaining() {
        0 => Ok(()),
        left => Err(SynchronizeError::LeftOver { left }),
    }
}

fn run(
    slot: &mut dyn Slot,
    serializer: &mut BufferSerializer<'_, '_>,
) -> Result<(), SynchronizeError> {
    contain(|| slot.synchronize(serializer))
        .unwrap_or_else(|panicked| Err(SynchronizeError::Panicked(panicked.0)))
}
