//! Parameters of an animator.

use syncvar_runtime::{NetworkReader, NetworkWriter, ReadResult};

/// Smallest change of a float that is sent.
const SENSITIVITY: f32 = 0.001;
/// Limit by the mask.
const MAX: usize = 64;

/// A parameter of an animator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AnimatorValue {
    /// A whole number.
    Int(i32),
    /// A number.
    Float(f32),
    /// A truth value.
    Bool(bool),
    /// A trigger, whose changes are [`AnimatorTrigger`](super::AnimatorTrigger)s.
    Trigger,
}

impl AnimatorValue {
    /// Returns Mirror's first value of this type.
    fn zero(self) -> Self {
        match self {
            Self::Int(_) => Self::Int(0),
            Self::Float(_) => Self::Float(0.0),
            Self::Bool(_) => Self::Bool(false),
            Self::Trigger => Self::Trigger,
        }
    }

    fn differs(self, last: Self) -> bool {
        match (self, last) {
            (Self::Float(now), Self::Float(last)) => (now - last).abs() > SENSITIVITY,
            (now, last) => now != last,
        }
    }

    fn write(self, writer: &mut NetworkWriter) {
        match self {
            Self::Int(value) => writer.write_u32(value.cast_unsigned()),
            Self::Float(value) => writer.write_f32(value),
            Self::Bool(value) => writer.write_u8(value.into()),
            Self::Trigger => {}
        }
    }

    fn read(&mut self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        match self {
            Self::Int(value) => *value = reader.read_u32()?.cast_signed(),
            Self::Float(value) => *value = reader.read_f32()?,
            Self::Bool(value) => *value = reader.read_u8()? != 0,
            Self::Trigger => {}
        }
        Ok(())
    }
}

/// Values, and the last sent values.
#[derive(Clone, Debug)]
pub(super) struct AnimatorParameters {
    values: Vec<AnimatorValue>,
    sent: Vec<AnimatorValue>,
}

impl AnimatorParameters {
    pub(super) fn new(values: impl IntoIterator<Item = AnimatorValue>) -> Self {
        let values: Vec<_> = values.into_iter().take(MAX).collect();
        let sent = values.iter().map(|value| value.zero()).collect();
        Self { values, sent }
    }

    pub(super) fn values(&self) -> &[AnimatorValue] {
        &self.values
    }

    pub(super) fn values_mut(&mut self) -> &mut [AnimatorValue] {
        &mut self.values
    }

    /// Writes all parameters.
    pub(super) fn write_all(&self, writer: &mut NetworkWriter) {
        self.write(writer, u64::MAX);
    }

    /// Writes the changed parameters, which count as sent. Returns whether there are some.
    pub(super) fn write_changed(&mut self, writer: &mut NetworkWriter) -> bool {
        let mut mask = 0;
        for (index, (now, sent)) in self.values.iter().zip(&mut self.sent).enumerate() {
            if now.differs(*sent) {
                *sent = *now;
                mask |= 1 << index;
            }
        }
        self.write(writer, mask);
        mask != 0
    }

    fn write(&self, writer: &mut NetworkWriter, mask: u64) {
        let [count, ..] = self.values.len().to_le_bytes();
        writer.write_u8(count);
        writer.write_u64(mask);
        for (index, value) in self.values.iter().enumerate() {
            if mask >> index & 1 == 1 {
                value.write(writer);
            }
        }
    }

    /// Reads parameters. Parameters of a different animator are not read, as in Mirror.
    pub(super) fn read(&mut self, reader: &mut NetworkReader<'_>) -> ReadResult<()> {
        let count = usize::from(reader.read_u8()?);
        if count != self.values.len() {
            let known = self.values.len();
            tracing::error!(count, known, "an animator has other parameters");
            return Ok(());
        }
        let mask = reader.read_u64()?;
        for (index, value) in self.values.iter_mut().enumerate() {
            if mask >> index & 1 == 1 {
                value.read(reader)?;
            }
        }
        Ok(())
    }
}
