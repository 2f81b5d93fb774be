//! Comparison of a replica with the server's object, for tests.

use super::Slots;
use super::slot::Slot;
use super::value_text::{unordered_elements, value_text};
use crate::behaviour::Presence;
use crate::limits::ReadBudget;
use crate::schema::{Role, each_bit};
use crate::{Encoding, NetworkReader, NetworkWriter};

/// A field of a replica that differs from the server's object, or from the prefab.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldDifference {
    /// Name of the behaviour.
    pub behaviour: &'static str,
    /// Name of the field.
    pub field: &'static str,
    /// Value on the server, as text; the value of the prefab for a field that the client may not read.
    pub server: String,
    /// Value on the client, as text.
    pub replica: String,
}

/// Encoding of the compared values: it does not limit the number of elements.
const ENCODING: Encoding = Encoding::Compact;

/// Returns the fields of a replica that differ from the server's object, by their bytes in a snapshot. The order of a
/// dictionary or a hash set does not count.
/// `made` is a new object of the prefab, and `role` the role of the client.
///
/// Fields that the client may not read ([`compare_private`]), fields that travel with snapshots only, and fields whose
/// interval or threshold holds a change back are not compared.
pub fn compare(
    server: &mut dyn Slots,
    replica: &mut dyn Slots,
    made: &mut dyn Slots,
    role: Role,
) -> Vec<FieldDifference> {
    let mut differences = Vec::new();
    for index in 0..server.len() {
        if let (Some(server), Some(replica), Some(made)) = (
            server.slot_mut(index),
            replica.slot_mut(index),
            made.slot_mut(index),
        ) {
            compare_behaviours(server, replica, made, role, &mut differences);
        }
    }
    differences
}

fn compare_behaviours(
    server: &mut dyn Slot,
    replica: &mut dyn Slot,
    made: &mut dyn Slot,
    role: Role,
    differences: &mut Vec<FieldDifference>,
) {
    let policy = server.info().policy;
    let unsent = policy.throttled & server.dirty_bits();
    let compared = policy.readable(role) & !(policy.initial_only | unsent);
    for bit in each_bit(compared & server.info().schema.dirty_bits()) {
        let (ours, theirs) = (write(server, bit), write(replica, bit));
        if ours != theirs && !is_same_content(made, bit, &ours, &theirs) {
            differences.extend(difference(server, bit, &ours, &theirs));
        }
    }
}

/// Returns whether different bytes of a field have the same content.
fn is_same_content(made: &mut dyn Slot, bit: u64, ours: &[u8], theirs: &[u8]) -> bool {
    // A lossy codec may change the bytes once: compare them after a second encoding.
    let (Some(ours), Some(theirs)) = (decoded(made, bit, ours), decoded(made, bit, theirs)) else {
        return false;
    };
    let field = made.info().schema.field(bit.trailing_zeros());
    let sorted = |bytes| unordered_elements(&field?.schema, bytes, reader(bytes));
    ours == theirs || sorted(&ours).is_some_and(|ours| Some(ours) == sorted(&theirs))
}

/// Returns the fields of a replica that a client in a role must not read, and that differ from the prefab's values
/// nevertheless. `made` is a new object of the prefab.
///
/// Fields with `read = others` are not compared: a new owner keeps their last values. Neither are the fields of
/// an [`Optional`](crate::Optional) behaviour, which may have come later.
pub fn compare_private(
    replica: &mut dyn Slots,
    made: &mut dyn Slots,
    role: Role,
) -> Vec<FieldDifference> {
    let mut differences = Vec::new();
    for index in 0..replica.len() {
        let slots = (replica.slot_mut(index), made.slot_mut(index));
        let (Some(replica), Some(made)) = slots else {
            continue;
        };
        let info = replica.info();
        let policy = &info.policy;
        let secret = policy.owner_only | policy.group | policy.server_only;
        let private = secret & !policy.readable(role);
        if private == 0 || info.presence == Presence::Optional {
            continue;
        }
        for bit in each_bit(private) {
            let (initial, theirs) = (write(made, bit), write(replica, bit));
            if initial != theirs {
                differences.extend(difference(replica, bit, &initial, &theirs));
            }
        }
    }
    differences
}

/// Returns the difference of a field with these bytes on the server and on the client.
fn difference(slot: &dyn Slot, bit: u64, ours: &[u8], theirs: &[u8]) -> Option<FieldDifference> {
    let schema = slot.info().schema;
    let field = schema.field(bit.trailing_zeros())?;
    let text = |bytes| value_text(&field.schema, reader(bytes));
    Some(FieldDifference {
        behaviour: schema.name,
        field: field.name,
        server: text(ours),
        replica: text(theirs),
    })
}

/// Returns the bytes of a field as in a snapshot.
fn write(slot: &mut dyn Slot, bit: u64) -> Vec<u8> {
    let mut writer = NetworkWriter::with_encoding(ENCODING);
    slot.fields().write_fields(&mut writer, bit);
    writer.as_bytes().to_vec()
}

fn reader(bytes: &[u8]) -> NetworkReader<'_> {
    NetworkReader::with_encoding(bytes, ENCODING).with_budget(ReadBudget::UNLIMITED)
}

/// Returns the bytes of a field that has been read from bytes; `None` if they do not fit.
fn decoded(made: &mut dyn Slot, bit: u64, bytes: &[u8]) -> Option<Vec<u8>> {
    made.fields().read_fields(&mut reader(bytes), bit).ok()?;
    Some(write(made, bit))
}
