//! `Script`: an input as a list of steps.
//!
//! A step is one byte for the operation, one for the length, and its bytes. Mutations of the bytes
//! keep the borders of the remaining steps.

use std::iter;

/// Most bytes of a run.
const MAX_RUN: usize = 60_000;

/// Steps of an input.
#[derive(Clone, Debug)]
pub struct Script<'a>(&'a [u8]);

/// Operation and its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Number of the operation.
    pub op: u8,
    /// Arguments.
    pub bytes: &'a [u8],
}

impl<'a> Script<'a> {
    /// Reads an input.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Removes one byte; 0 behind the end.
    pub fn byte(&mut self) -> u8 {
        take_byte(&mut self.0)
    }
}

impl<'a> Iterator for Script<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        let (&op, rest) = self.0.split_first()?;
        self.0 = rest;
        let length = usize::from(self.byte()).min(self.0.len());
        let (bytes, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(Step { op, bytes })
    }
}

impl Step<'_> {
    /// Removes the first byte; 0 behind the end.
    pub fn byte(&mut self) -> u8 {
        take_byte(&mut self.bytes)
    }

    /// Removes a little-endian number of at most four bytes.
    pub fn number(&mut self) -> u32 {
        u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }

    /// Returns bytes with a run: a head of up to 15 bytes, then the rest, repeated. A run has at most
    /// 60 000 bytes.
    pub fn run(&mut self) -> Vec<u8> {
        let (head, times) = (self.byte(), self.byte());
        let at = usize::from(head % 16).min(self.bytes.len());
        let (head, unit) = self.bytes.split_at(at);
        let most = (MAX_RUN / unit.len().max(1)).min(usize::from(times) * 256);
        [head, &unit.repeat(most)].concat()
    }

    /// Returns the rest as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes).into_owned()
    }

    /// Changes bytes of a packet: pairs of a position and a value, which is added; behind them, if a
    /// byte remains, the packet's new length.
    pub fn patch(&self, packet: &mut Vec<u8>) {
        let (pairs, rest) = self.bytes.as_chunks::<2>();
        for [position, value] in pairs {
            if !packet.is_empty() {
                let at = usize::from(*position) % packet.len();
                packet[at] = packet[at].wrapping_add(*value);
            }
        }
        if let [length] = rest {
            packet.resize(usize::from(*length), 0xff);
        }
    }
}

fn take_byte(bytes: &mut &[u8]) -> u8 {
    bytes.split_off_first().copied().unwrap_or_default()
}

/// Appends a step to an input.
///
/// # Panics
///
/// When the step has more than 255 bytes.
pub fn push_step(input: &mut Vec<u8>, op: u8, bytes: &[u8]) {
    let length = u8::try_from(bytes.len()).expect("a short step");
    input.extend(iter::once(op).chain([length]));
    input.extend_from_slice(bytes);
}
