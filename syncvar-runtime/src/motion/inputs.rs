//! `Inputs`: the inputs of a player by tick, as values and as bytes.

use std::any::Any;
use std::fmt;

use crate::wire::Encoding;
use crate::{NetworkReader, NetworkWriter, ReadResult, SyncValue, WriteError};

/// Number of ticks whose inputs are kept, up to the newest one.
pub const KEPT_INPUTS: u64 = 64;

/// Inputs of the last ticks: those that a client has sent, or a server has received.
pub struct Inputs<M> {
    /// Place of tick *t*: *t* modulo their number. Empty before the first input.
    places: Vec<InputPlace<M>>,
    newest: Option<u64>,
    held: Option<M>,
    /// Memory for the bytes of the held input.
    writer: NetworkWriter,
}

/// Input of a tick.
struct InputPlace<M> {
    tick: u64,
    /// `None` without an input.
    value: Option<M>,
    bytes: Vec<u8>,
}

/// [`Inputs`] of any type.
pub trait AnyInputs: Any + Send + Sync + fmt::Debug {
    /// Returns the newest tick with an input.
    fn newest(&self) -> Option<u64>;

    /// Returns the bytes of the input of a tick.
    fn bytes(&self, tick: u64) -> Option<&[u8]>;

    /// Reads the input of a tick, all bytes of the reader. Ignores ticks with an input, and ticks before the kept inputs:
    /// returns whether the input is new.
    ///
    /// # Errors
    ///
    /// When the bytes are not an input.
    fn read(&mut self, tick: u64, reader: &mut NetworkReader<'_>) -> ReadResult<bool>;

    /// Makes the [held](Inputs::hold) input that of a tick. Without one, or without a form on the wire, the tick has
    /// no input.
    fn record_held(&mut self, tick: u64, encoding: Encoding);

    /// Replaces the bytes of the input of a tick: a server of a different build reads them.
    fn set_bytes(&mut self, tick: u64, bytes: Vec<u8>);

    /// Drops the inputs of the ticks behind one. Returns their number.
    fn truncate(&mut self, last: u64) -> u32;

    /// Drops the inputs of every tick, and keeps the held input.
    fn clear(&mut self);
}

impl<M: SyncValue> Inputs<M> {
    /// Creates an empty list.
    pub(crate) fn boxed() -> Box<dyn AnyInputs> {
        Box::new(Self {
            places: Vec::new(),
            newest: None,
            held: None,
            writer: NetworkWriter::new(),
        })
    }

    /// Holds an input for the ticks to come.
    ///
    /// # Errors
    ///
    /// When the input lacks a form on the wire.
    pub fn hold(&mut self, input: &M, writer: &mut NetworkWriter) -> Result<(), WriteError> {
        writer.write(input);
        if let Some(error) = writer.take_error() {
            return Err(error);
        }
        self.held = Some(input.clone());
        Ok(())
    }

    /// Returns the held input.
    pub fn held(&self) -> Option<&M> {
        self.held.as_ref()
    }

    /// Returns the input of a tick.
    #[inline]
    pub fn at(&self, tick: u64) -> Option<&M> {
        self.place(tick)?.value.as_ref()
    }

    /// Returns the last input before a tick, of those kept.
    pub fn before(&self, tick: u64) -> Option<&M> {
        let newest = self.newest?.min(tick.checked_sub(1)?);
        let oldest = newest.saturating_sub(KEPT_INPUTS - 1);
        (oldest..=newest).rev().find_map(|tick| self.at(tick))
    }

    fn place(&self, tick: u64) -> Option<&InputPlace<M>> {
        let place = self.places.get(index(tick))?;
        (place.tick == tick && place.value.is_some()).then_some(place)
    }

    /// Returns the place of a tick without an input, if the tick is among the kept ticks.
    fn free(&mut self, tick: u64) -> Option<&mut InputPlace<M>> {
        if self
            .newest
            .is_some_and(|newest| tick.saturating_add(KEPT_INPUTS) <= newest)
        {
            return None;
        }
        if self.places.is_empty() {
            let empty = || InputPlace {
                tick: 0,
                value: None,
                bytes: Vec::new(),
            };
            self.places.extend((0..KEPT_INPUTS).map(|_| empty()));
        }
        let place = self.places.get_mut(index(tick))?;
        (place.tick != tick || place.value.is_none()).then_some(place)
    }
}

fn index(tick: u64) -> usize {
    usize::try_from(tick % KEPT_INPUTS).unwrap_or_default()
}

impl<M: SyncValue> AnyInputs for Inputs<M> {
    fn newest(&self) -> Option<u64> {
        self.newest
    }

    fn bytes(&self, tick: u64) -> Option<&[u8]> {
        Some(&self.place(tick)?.bytes)
    }

    fn read(&mut self, tick: u64, reader: &mut NetworkReader<'_>) -> ReadResult<bool> {
        let bytes = reader.rest();
        let value = M::read(reader)?;
        reader.finish()?;
        let Some(place) = self.free(tick) else {
            return Ok(false);
        };
        (place.tick, place.value) = (tick, Some(value));
        place.bytes.clear();
        place.bytes.extend_from_slice(bytes);
        self.newest = self.newest.max(Some(tick));
        Ok(true)
    }

    fn record_held(&mut self, tick: u64, encoding: Encoding) {
        let Some(held) = self.held.clone() else {
            return;
        };
        let mut writer = std::mem::take(&mut self.writer);
        if writer.encoding() != encoding {
            writer = NetworkWriter::with_encoding(encoding);
        }
        writer.truncate(0);
        writer.write(&held);
        if writer.take_error().is_none()
            && let Some(place) = self.free(tick)
        {
            (place.tick, place.value) = (tick, Some(held));
            place.bytes.clear();
            place.bytes.extend_from_slice(writer.as_bytes());
            self.newest = self.newest.max(Some(tick));
        }
        self.writer = writer;
    }

    fn set_bytes(&mut self, tick: u64, bytes: Vec<u8>) {
        let place = self.places.get_mut(index(tick));
        let place = place.filter(|place| place.tick == tick && place.value.is_some());
        if let Some(place) = place {
            place.bytes = bytes;
        }
    }

    fn truncate(&mut self, last: u64) -> u32 {
        if self.newest <= Some(last) {
            return 0;
        }
        let (mut dropped, mut newest) = (0, None);
        for place in self.places.iter_mut().filter(|place| place.value.is_some()) {
            if place.tick > last {
                place.value = None;
                dropped += 1;
            } else {
                newest = newest.max(Some(place.tick));
            }
        }
        self.newest = newest;
        dropped
    }

    fn clear(&mut self) {
        self.places.iter_mut().for_each(|place| place.value = None);
        self.newest = None;
    }
}

impl<M> fmt::Debug for Inputs<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inputs")
            .field("newest", &self.newest)
            .finish_non_exhaustive()
    }
}

/// Registered type of inputs.
#[derive(Clone, Copy)]
pub struct InputKind {
    make: fn() -> Box<dyn AnyInputs>,
}

impl InputKind {
    pub(crate) fn of<M: SyncValue>() -> Self {
        Self {
            make: Inputs::<M>::boxed,
        }
    }

    /// Creates an empty list of inputs.
    pub fn make(self) -> Box<dyn AnyInputs> {
        (self.make)()
    }
}

impl fmt::Debug for InputKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InputKind")
    }
}

/// Input of a player in a tick, as a server knows it.
///
/// ```
/// use syncvar::motion::Input;
///
/// let input: Input<(f32, bool)> = Input::Repeated((1.0, true));
/// let (x, fire) = input.known().unwrap_or_default(); // a shot needs a known input
/// assert_eq!((x, fire), (0.0, false));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input<M> {
    /// The client has sent it in time.
    Known(M),
    /// It is late or lost: the last one before, at most 64 ticks old.
    Repeated(M),
    /// The client has sent none.
    Missing,
}

impl<M> Input<M> {
    /// Returns the input, even if it is repeated.
    pub fn get(self) -> Option<M> {
        match self {
            Self::Known(input) | Self::Repeated(input) => Some(input),
            Self::Missing => None,
        }
    }

    /// Returns the input if it is known.
    pub fn known(self) -> Option<M> {
        match self {
            Self::Known(input) => Some(input),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(ticks: &[u64]) -> Inputs<u64> {
        let mut inputs = Inputs {
            places: Vec::new(),
            newest: None,
            held: None,
            writer: NetworkWriter::new(),
        };
        for tick in ticks {
            inputs.held = Some(*tick);
            inputs.record_held(*tick, Encoding::Compact);
        }
        inputs
    }

    #[test]
    fn an_input_belongs_to_its_tick() {
        let mut inputs = inputs(&[10, 11, 13]);
        assert_eq!(inputs.at(11), Some(&11));
        assert_eq!((inputs.at(12), inputs.before(12)), (None, Some(&11)));
        assert_eq!(inputs.before(99), Some(&13));
        assert_eq!(inputs.before(10), None);
        let late = NetworkReader::with_encoding(&[12], Encoding::Compact);
        for tick in [11, 12] {
            inputs.read(tick, &mut late.clone()).unwrap();
        }
        assert_eq!((inputs.at(11), inputs.at(12)), (Some(&11), Some(&12)));
        assert_eq!(inputs.newest(), Some(13));
    }

    #[test]
    fn old_inputs_are_dropped() {
        let mut inputs = inputs(&[1, 2, 66]);
        assert_eq!((inputs.at(1), inputs.at(2)), (Some(&1), None));
        inputs
            .read(
                2,
                &mut NetworkReader::with_encoding(&[2], Encoding::Compact),
            )
            .unwrap();
        assert_eq!((inputs.at(2), inputs.at(66)), (None, Some(&66)));
        assert_eq!((inputs.truncate(66), inputs.truncate(65)), (0, 1));
        assert_eq!((inputs.newest(), inputs.at(66)), (Some(1), None));
        inputs.held = Some(66);
        inputs.record_held(66, Encoding::Compact);
        inputs.clear();
        assert_eq!(
            (inputs.at(66), inputs.newest(), inputs.held()),
            (None, None, Some(&66))
        );
    }
}
