//! Data of `on_synchronize` behind the snapshots of an object: for each behaviour with such data, its
//! length in bytes and the bytes. WIRE.md, section 3.

use super::{Slot, Slots};
use crate::behaviour::{BufferSerializer, SynchronizeError, SynchronizeFailure, contain};
use crate::stats::BehaviourStats;
use crate::translate::resolve::PrefabPlan;
use crate::{BehaviourClass, NetId, NetworkReader, NetworkWriter, ReadError};

/// Failures of an `on_synchronize` that writes.
#[derive(Debug)]
pub enum Fault {
    /// The function failed to write its data.
    Failed(SynchronizeError),
    /// The function set fields that only the owner of the object may write.
    Refused(u64),
}

/// Writes the data of every behaviour with such data. A failure is reported and leaves no bytes.
/// Writes to fields count as changes of the server.
pub fn write_sections(
    slots: &mut dyn Slots,
    writer: &mut NetworkWriter,
    stats: &mut [BehaviourStats],
    mut report: impl FnMut(&'static BehaviourClass, Fault),
) {
    let mut stats = stats.iter_mut();
    slots.for_each_mut(|slot| {
        let stats = stats.next();
        // A field without a form on the wire discards the whole object.
        if !slot.info().synchronize || writer.has_error() {
            return;
        }
        let before = writer.len();
        slot.begin_change();
        if let Err(error) = write_section(slot, writer) {
            report(slot.info().class, Fault::Failed(error));
            writer.write_byte_sequence(&[]);
        }
        let refused = slot.end_change();
        if refused != 0 {
            report(slot.info().class, Fault::Refused(refused));
        }
        if let Some(stats) = stats {
            stats.full.bytes += (writer.len() - before) as u64;
        }
    });
}

/// Writes the data to a separate buffer: the callback may change its whole buffer, and the state before
/// it must stay intact.
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

/// Reads the data of every behaviour with such data, by the plan of the prefab for a server of a different build. Unreadable
/// data is reported and skipped, and so is data for no behaviour.
///
/// # Errors
///
/// When the end of a behaviour's data is unknown.
pub fn read_sections(
    object: NetId,
    slots: &mut dyn Slots,
    plan: Option<&PrefabPlan>,
    reader: &mut NetworkReader<'_>,
    mut report: impl FnMut(SynchronizeFailure),
) -> Result<(), ReadError> {
    let has_data = |index: &usize| {
        slots
            .slot(*index)
            .is_some_and(|slot| slot.info().synchronize)
    };
    let sections: Vec<Option<usize>> = match plan {
        None => (0..slots.len()).filter(has_data).map(Some).collect(),
        Some(plan) => {
            let with_data = plan.behaviours.iter().filter(|it| it.has_data);
            with_data.map(|it| it.target.filter(has_data)).collect()
        }
    };
    for target in sections {
        let bytes = reader.read_byte_sequence()?;
        let slot = target.and_then(|index| slots.slot_mut(index));
        let Some(slot) = slot.filter(|_| !bytes.is_empty()) else {
            continue;
        };
        let (result, read) =
            reader.in_part(bytes, |part| (read_section(slot, part), part.position()));
        if let Err(error) = result {
            report(SynchronizeFailure {
                object,
                behaviour: slot.info().schema.name,
                read,
                expected: bytes.len(),
                error,
            });
        }
    }
    Ok(())
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
