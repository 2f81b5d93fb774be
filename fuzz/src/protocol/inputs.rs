//! Messages with inputs of ticks about the present one.
//!
//! Mutations of random bytes hardly ever become a list of inputs: each input is the difference from that of the tick before,
//! and a first one may be relative to an input that the server has. So a step has the shape of a message, the input of a
//! tick follows from its number, and the rest of the step changes bytes of the legal message.

use syncvar::stats::MessageType;
use syncvar::wire::{Encoding, NetworkWriter};

use super::net::message_of;
use crate::pawn::Move;
use crate::script::Step;

/// Bits of a shape: the number of inputs less 1, a first input that is relative to its predecessor, a view before them.
const COUNT: u8 = 31;
const RELATIVE: u8 = 32;
const WITH_VIEW: u8 = 64;

/// Flag of a relative first input on the wire.
const RELATIVE_HEAD: u8 = 128;

/// Returns the messages of a step: the tick of the newest input less the present one, the shape, a number that changes the
/// inputs, and changes of the payload.
pub(super) fn messages(present: u64, encoding: Encoding, mut step: Step<'_>) -> Vec<u8> {
    let (ahead, shape, salt) = (step.byte().cast_signed(), step.byte(), step.byte());
    let newest = present.saturating_add_signed(ahead.into());
    let first = newest.saturating_sub((shape & COUNT).into());
    let is_relative = shape & RELATIVE != 0;
    let bytes = |tick: u64| input(tick, salt, encoding);
    let mut previous = first.checked_sub(1).filter(|_| is_relative).map(bytes);
    let (mut mask, mut changes) = (0, NetworkWriter::new());
    for (bit, tick) in (first..=newest).enumerate() {
        let next = bytes(tick);
        if previous.as_ref() != Some(&next) {
            mask |= 1 << bit;
            write_change(&mut changes, &previous.unwrap_or_default(), &next);
        }
        previous = Some(next);
    }
    let count = u8::try_from(newest + 1 - first).unwrap_or_default();
    let mut payload = NetworkWriter::new();
    payload.write_packed_u64(newest);
    payload.write_u8(count | if is_relative { RELATIVE_HEAD } else { 0 });
    payload.write_packed_u32(mask);
    payload.write_bytes(changes.as_bytes());
    let mut payload = payload.as_bytes().to_vec();
    step.patch(&mut payload);
    let mut messages = Vec::new();
    if shape & WITH_VIEW != 0 {
        let mut view = NetworkWriter::new();
        view.write_packed_u64(newest.saturating_mul(256).saturating_sub(salt.into()));
        messages.extend(message_of(MessageType::View, view.as_bytes()));
    }
    messages.extend(message_of(MessageType::Inputs, &payload));
    messages
}

/// Returns the bytes of the input of a tick. Many are equal to their predecessor, and their lengths differ.
fn input(tick: u64, salt: u8, encoding: Encoding) -> Vec<u8> {
    let number = u8::try_from((tick / 2).wrapping_add(salt.into()) % 7).unwrap_or_default();
    let words = (number % 3 == 0).then(|| "w".repeat(number.into()));
    let mut writer = NetworkWriter::with_encoding(encoding);
    writer.write(&Move {
        x: number.into(),
        words,
    });
    writer.as_bytes().to_vec()
}

/// Writes the bytes in which an input differs from its predecessor.
fn write_change(writer: &mut NetworkWriter, previous: &[u8], input: &[u8]) {
    writer.write_packed_u64(input.len() as u64);
    let differs = |at: usize| previous.get(at) != input.get(at);
    for from in (0..input.len()).step_by(8) {
        let places = (from..input.len().min(from + 8)).filter(|at| differs(*at));
        writer.write_u8(places.fold(0, |mask, at| mask | 1 << (at - from)));
    }
    let changed = input.iter().enumerate().filter(|(at, _)| differs(*at));
    changed.for_each(|(_, byte)| writer.write_u8(*byte));
}
