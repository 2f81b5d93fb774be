//! A step in the life of a behaviour of which ours sends changes of lists, by the rule
//! `list-changes`.

use syncvar::wire::{NetworkReader, NetworkWriter};

use super::Check;
use super::class::Class;
use super::rule::Rule;
use super::subject::Subject;
use syncvar_testing::golden::{Json, Node};

/// A list that was marked by hand is sent whole, as UNet does but for one byte before it; and a
/// replica that had everything `before` has everything after it has read our changes.
pub(crate) fn compare(
    class: &Class,
    subject: &dyn Subject,
    before: &[Json],
    step: &Json,
    delta: &[u8],
    check: &mut Check,
) {
    check.under(Rule::ListChanges);
    let marked = class.our_bits(step.at("dirty_mask").number()) & class.list_bits();
    for ((_, cell), index) in subject.cells().into_iter().zip(0..) {
        if marked >> index & 1 == 1 {
            let (mut delta, mut whole) = (NetworkWriter::new(), NetworkWriter::new());
            cell.write_change(&mut delta);
            whole.write_u8(0);
            cell.write(&mut whole);
            check.equal_bytes("a list sent whole", whole.as_bytes(), delta.as_bytes());
        }
    }
    let names = class.fields.iter().map(|field| field.name.clone());
    let mut replica = class.make();
    class.store(
        replica.as_mut(),
        &Json::Object(names.zip(before.iter().cloned()).collect()),
    );
    let mut reader = NetworkReader::new(delta);
    if let Err(error) = replica.deserialize(&mut reader, false) {
        return check.fault("our delta", "one that a replica can read", error);
    }
    check.equal("bytes that the replica leaves", 0, reader.remaining());
    let dirty_bits = subject.dirty_bits();
    for (field, before) in class.fields.iter().zip(before) {
        let is_sent = dirty_bits & field.bit != 0;
        let value = if is_sent {
            step.at("state").at(&field.name)
        } else {
            before
        };
        let what = format!("{} on the replica", field.name);
        check.equal(
            &what,
            class.show(field, value),
            field.show(replica.as_ref()),
        );
    }
    check.equal("dirty bits on the replica", 0, replica.dirty_bits());
}
