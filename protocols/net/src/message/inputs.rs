//! `Inputs`: the inputs of successive ticks, each relative to its predecessor.

use syncvar_runtime::motion::AnyInputs;
use syncvar_runtime::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind};

/// Most inputs of a message.
pub(crate) const MAX_INPUTS: u64 = 32;

/// Flag of a first input that is relative to the one before.
const RELATIVE: u8 = 128;

/// Inputs of a message: those of the ticks from `first` to `newest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InputTicks {
    pub(crate) first: u64,
    pub(crate) newest: u64,
    /// Whether the server has the input before the first one.
    pub(crate) relative: bool,
}

/// Writes the payload of a message. Each of the ticks has an input. `newest` is the newest tick as the reader counts the ticks.
pub(crate) fn write_inputs(
    writer: &mut NetworkWriter,
    ticks: InputTicks,
    newest: u64,
    inputs: &dyn AnyInputs,
) {
    let bytes = |tick| inputs.bytes(tick).unwrap_or_default();
    let count = u8::try_from(ticks.newest + 1 - ticks.first).unwrap_or(RELATIVE);
    let before = ticks.first.checked_sub(1).filter(|_| ticks.relative);
    let mut previous = before.map(bytes);
    let mut mask = 0;
    for (bit, tick) in (ticks.first..=ticks.newest).enumerate() {
        let input = bytes(tick);
        if previous != Some(input) {
            mask |= 1 << bit;
        }
        previous = Some(input);
    }
    writer.write_packed_u64(newest);
    writer.write_u8(count | if ticks.relative { RELATIVE } else { 0 });
    writer.write_packed_u32(mask);
    let mut previous = before.map(bytes).unwrap_or_default();
    for (bit, tick) in (ticks.first..=ticks.newest).enumerate() {
        let input = bytes(tick);
        if mask & 1 << bit != 0 {
            change(writer, previous, input);
        }
        previous = input;
    }
}

/// Writes the bytes in which an input differs from its predecessor.
fn change(writer: &mut NetworkWriter, previous: &[u8], input: &[u8]) {
    writer.write_packed_u64(input.len() as u64);
    let differs = |at: usize| previous.get(at) != input.get(at);
    for from in (0..input.len()).step_by(8) {
        let bits = (from..input.len().min(from + 8)).filter(|at| differs(*at));
        writer.write_u8(bits.fold(0, |mask, at| mask | 1 << (at - from)));
    }
    for (at, byte) in input.iter().enumerate() {
        if differs(at) {
            writer.write_u8(*byte);
        }
    }
}

/// Payload whose first input is relative to an unknown one: its inputs are unreadable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnknownBase {
    pub(crate) newest: u64,
    /// Number of the inputs.
    pub(crate) count: u32,
}

/// Reads the payload of a message, and passes each input with its tick. `limit` is that of the bytes of an input;
/// `known` writes the bytes of an earlier input into a buffer, and returns whether there are some.
pub(crate) fn read_inputs<C>(
    payload: &[u8],
    limit: usize,
    context: &mut C,
    known: impl FnOnce(&C, u64, &mut Vec<u8>) -> bool,
    mut each: impl FnMut(&mut C, u64, &[u8]) -> Result<(), ReadError>,
) -> Result<Option<UnknownBase>, ReadError> {
    let mut reader = NetworkReader::new(payload);
    let newest = reader.read_packed_u64()?;
    let head = reader.read_u8()?;
    let count = u64::from(head & !RELATIVE);
    let mask = reader.read_packed_u32()?;
    let end = newest.checked_add(1);
    let (Some(first), 1..=MAX_INPUTS) = (end.and_then(|end| end.checked_sub(count)), count) else {
        return Err(invalid(&reader, "number of inputs", count));
    };
    let is_relative = head & RELATIVE != 0;
    if u64::from(mask) >> count != 0 || !is_relative && mask & 1 == 0 {
        return Err(invalid(&reader, "bits of inputs", mask.into()));
    }
    let mut input = Vec::new();
    let before = first.checked_sub(1);
    if is_relative && !before.is_some_and(|before| known(context, before, &mut input)) {
        let count = u32::from(head & !RELATIVE);
        return Ok(Some(UnknownBase { newest, count }));
    }
    for (bit, tick) in (first..=newest).enumerate() {
        if mask & 1 << bit != 0 {
            apply(&mut reader, &mut input, limit)?;
        }
        each(context, tick, &input)?;
    }
    reader.finish()?;
    Ok(None)
}

/// Changes an input into its successor.
fn apply(
    reader: &mut NetworkReader<'_>,
    input: &mut Vec<u8>,
    limit: usize,
) -> Result<(), ReadError> {
    let length = usize::try_from(reader.read_packed_u64()?).unwrap_or(usize::MAX);
    if length > limit {
        return Err(reader.error(ReadErrorKind::MessageTooLong { length, limit }));
    }
    let mask = reader.read_bytes(length.div_ceil(8))?;
    let known = input.len();
    input.resize(length, 0);
    for at in 0..mask.len() * 8 {
        let differs = mask
            .get(at / 8)
            .is_some_and(|bits| bits >> (at % 8) & 1 == 1);
        match (input.get_mut(at), differs) {
            (Some(byte), true) => *byte = reader.read_u8()?,
            (Some(_), false) if at < known => {}
            (None, false) => {}
            _ => return Err(invalid(reader, "bytes of an input", at as u64)),
        }
    }
    Ok(())
}

fn invalid(reader: &NetworkReader<'_>, what: &'static str, value: u64) -> ReadError {
    reader.error(ReadErrorKind::InvalidValue { what, value })
}
