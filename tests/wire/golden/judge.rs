//! What UNet makes of an update, judged from its bytes and the recorded classes alone.

use std::sync::Arc;

use syncvar::{
    NetId, NetworkIdentity,
    wire::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind},
};

use super::class::Class;
use super::frame::Frame;
use super::subject::Subject;

pub(crate) struct Judgement {
    pub(crate) object: NetId,
    /// Whether there are bits without a field, bytes missing or left over, or no behaviours on the
    /// channel.
    pub(crate) is_malformed: bool,
    /// Whether bytes are missing, so that UNet throws.
    pub(crate) throws: bool,
    /// The values of each behaviour afterwards, as text.
    pub(crate) values: Vec<Vec<String>>,
}

/// Judges the updates of an object that arrive together on a channel.
pub(crate) fn judge(
    classes: &[Arc<Class>],
    identity: NetworkIdentity<'_>,
    channel: u8,
    frames: &[Frame],
) -> Judgement {
    let object = identity.net_id();
    let subjects = classes.iter().enumerate();
    let mut subjects: Vec<_> = subjects
        .map(|(index, class)| copy_of(class, identity, index))
        .collect();
    let is_update = |frame: &&Frame| frame.message_type() == 8 && frame.object() == Some(object);
    let (mut is_malformed, mut throws) = (false, false);
    for frame in frames.iter().filter(is_update) {
        is_malformed |= !classes.iter().any(|class| class.channel == channel);
        let read = apply(classes, &mut subjects, channel, frame.payload());
        is_malformed |= read.unwrap_or_else(|error| {
            // Any other error is one of ours alone.
            throws |= matches!(error.kind(), ReadErrorKind::UnexpectedEnd { .. });
            throws
        });
    }
    let values = classes.iter().zip(&subjects);
    let values = values.map(|(class, subject)| class.show_all(subject.as_ref()));
    Judgement {
        object,
        is_malformed,
        throws,
        values: values.collect(),
    }
}

/// A behaviour with the values of one on an object.
fn copy_of(class: &Class, identity: NetworkIdentity<'_>, index: usize) -> Box<dyn Subject> {
    let original = class.reach().view(identity, index);
    let original = original.expect("a behaviour of its class");
    let mut writer = NetworkWriter::new();
    for (_, cell) in original.cells() {
        cell.write(&mut writer);
    }
    let mut copy = class.make();
    let mut reader = NetworkReader::new(writer.as_bytes());
    for (_, cell) in copy.cells_mut() {
        cell.read(&mut reader).expect("what was just written");
    }
    copy
}

/// Reads an update into the behaviours of its channel, as far as it goes. Whether there are bits
/// without a field, or bytes left over.
fn apply(
    classes: &[Arc<Class>],
    subjects: &mut [Box<dyn Subject>],
    channel: u8,
    payload: &[u8],
) -> Result<bool, ReadError> {
    let mut reader = NetworkReader::new(payload);
    reader.read::<NetId>()?;
    let mut unknown_bits = 0;
    for (class, subject) in classes.iter().zip(subjects) {
        if class.channel == channel {
            unknown_bits |= apply_to(class, subject.as_mut(), &mut reader)?;
        }
    }
    Ok(unknown_bits != 0 || reader.remaining() > 0)
}

/// Reads each level's mask and its fields. The bits without a field.
fn apply_to(
    class: &Class,
    subject: &mut dyn Subject,
    reader: &mut NetworkReader<'_>,
) -> Result<u64, ReadError> {
    let mut unknown_bits = 0;
    let levels = subject.levels();
    let mut cells = subject.cells_mut().into_iter().enumerate();
    for field_count in levels {
        let dirty_bits = reader.read_packed_u64()?;
        unknown_bits |= dirty_bits & !class.recorded_bits();
        for (index, (_, cell)) in cells.by_ref().take(field_count) {
            if dirty_bits & class.recorded_bit_at(index) != 0 {
                cell.read(reader)?;
            }
        }
    }
    Ok(unknown_bits)
}
