//! Headers of packets on the stream and of datagrams: WIRE.md, section 7.

use std::num::NonZeroU8;

use syncvar_runtime::{NetworkReader, ReadError, ReadErrorKind};

use super::ack::Ack;
use super::header_bytes::{HeaderBytes, MAX_HEADER};

/// Flag of a datagram with messages, and of a stream packet with a tick.
const SEQ: u8 = 0x01;
const TICK: u8 = 0x01;
/// Flag of a datagram with a whole tick, and of the last stream packet of an update.
const WIDE: u8 = 0x02;
const END: u8 = 0x02;
/// Flag of a datagram behind stream packets, and of a stream packet behind datagrams that are all decided.
const AFTER: u8 = 0x04;
const DECIDED: u8 = 0x04;
const PARTS: u8 = 0x08;
const ACK: u8 = 0x10;
const PARTIAL: u8 = 0x20;
const OWED: u8 = 0x40;
/// Flag of a datagram with the sequence below which all are settled, and of a stream packet with the number of
/// datagrams sent.
const SETTLED: u8 = 0x80;
const SENT: u8 = 0x80;

/// Header of a packet on the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamHeader {
    /// Tick less the tick of the former packet; 0 for the same one.
    pub(crate) step: u32,
    /// Set for the last packet of an update.
    pub(crate) end: bool,
    /// Number of the tick's datagrams.
    pub(crate) datagrams: Option<NonZeroU8>,
    /// Set, with `end`, if changes of the tick were withheld.
    pub(crate) partial: bool,
    /// Set, with `end`, if the connection lacks changes.
    pub(crate) owed: bool,
    /// With `end`: number of the datagrams sent before.
    pub(crate) sent: Option<SentCount>,
    pub(crate) ack: Option<Ack>,
}

/// Number of datagrams that were sent before a stream packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SentCount {
    /// Low 16 bits.
    pub(crate) count: u16,
    /// Whether the fate of each of them is decided, and what was lost is sent again.
    pub(crate) is_decided: bool,
}

impl StreamHeader {
    pub(crate) fn encode(&self) -> HeaderBytes {
        let mut bytes = HeaderBytes::default();
        self.encode_to(&mut bytes);
        bytes
    }

    /// Writes the header in the place of a former one.
    #[expect(
        clippy::inline_always,
        reason = "a call for each packet costs ticks with few changes a hundredth"
    )]
    #[inline(always)]
    pub(crate) fn encode_to(&self, bytes: &mut HeaderBytes) {
        bytes.clear();
        let flags = flag(self.step != 0, TICK)
            | flag(self.end, END)
            | flag(self.datagrams.is_some(), PARTS)
            | flag(self.ack.is_some(), ACK)
            | flag(self.partial, PARTIAL)
            | flag(self.owed, OWED)
            | flag(self.sent.is_some_and(|sent| sent.is_decided), DECIDED)
            | flag(self.sent.is_some(), SENT);
        bytes.push(&[flags]);
        if self.step != 0 {
            bytes.push_varint(self.step.into());
        }
        if let Some(datagrams) = self.datagrams {
            bytes.push(&[datagrams.get()]);
        }
        if let Some(sent) = self.sent {
            bytes.push(&sent.count.to_le_bytes());
        }
        // A copy: by reference, the whole header would be in memory.
        if let Some(ack) = self.ack {
            ack.encode(bytes);
        }
    }

    pub(crate) fn decode(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let flags = reader.read_u8()?;
        let has = |flag| flags & flag != 0;
        let too_early = flags & (PARTIAL | OWED | SENT) != 0 && !has(END);
        if has(DECIDED) && !has(SENT) || too_early {
            return Err(invalid(reader, "flags of a stream packet", flags.into()));
        }
        let mut header = Self {
            end: has(END),
            partial: has(PARTIAL),
            owed: has(OWED),
            ..Self::default()
        };
        if has(TICK) {
            let step = reader.read_varint()?;
            header.step = match u32::try_from(step) {
                Ok(step @ 1..) => step,
                _ => return Err(invalid(reader, "step of ticks", step)),
            };
        }
        if has(PARTS) {
            let count = reader.read_u8()?;
            let count = NonZeroU8::new(count);
            let missing = || invalid(reader, "number of datagrams", 0);
            header.datagrams = Some(count.ok_or_else(missing)?);
        }
        if has(SENT) {
            header.sent = Some(SentCount {
                count: reader.read_u16()?,
                is_decided: has(DECIDED),
            });
        }
        if has(ACK) {
            header.ack = Some(Ack::decode(reader)?);
        }
        Ok(header)
    }
}

/// Header of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DatagramHeader {
    /// Sequence and tick; `None` for an acknowledgement alone.
    pub(crate) sent: Option<Place>,
    /// Number of stream packets that precede it, low 16 bits.
    pub(crate) after: Option<u16>,
    /// Index among the datagrams of its tick, and their number.
    pub(crate) part: (u8, NonZeroU8),
    pub(crate) ack: Option<Ack>,
    /// Set if changes of the tick were withheld.
    pub(crate) partial: bool,
    /// Set if the connection lacks changes.
    pub(crate) owed: bool,
    /// Low 16 bits of a sequence: what was lost below it is sent again up to this tick.
    pub(crate) settled: Option<u16>,
}

/// Place of a datagram among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Sequence, low 16 bits.
    pub(crate) sequence: u16,
    pub(crate) tick: TickNumber,
}

/// Tick in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TickNumber {
    /// Low 16 bits.
    Short(u16),
    Wide(u32),
}

impl TickNumber {
    fn number(self) -> u32 {
        match self {
            Self::Short(tick) => tick.into(),
            Self::Wide(tick) => tick,
        }
    }

    fn is_wide(self) -> bool {
        matches!(self, Self::Wide(_))
    }
}

impl DatagramHeader {
    /// Returns the header of the only datagram of its tick, or without a place that of an acknowledgement alone.
    pub(crate) fn new(sent: Option<Place>, ack: Option<Ack>) -> Self {
        Self {
            sent,
            after: None,
            part: (0, NonZeroU8::MIN),
            ack,
            partial: false,
            owed: false,
            settled: None,
        }
    }

    /// Returns whether there is room for the settled sequence.
    pub(crate) fn has_room(&self) -> bool {
        self.encode().as_slice().len() + 2 <= MAX_HEADER
    }

    pub(crate) fn encode(&self) -> HeaderBytes {
        let mut bytes = HeaderBytes::default();
        self.encode_to(&mut bytes);
        bytes
    }

    /// Writes the header in the place of a former one.
    pub(crate) fn encode_to(&self, bytes: &mut HeaderBytes) {
        bytes.clear();
        let wide = self.sent.is_some_and(|place| place.tick.is_wide());
        let (index, count) = self.part;
        let flags = flag(self.sent.is_some(), SEQ)
            | flag(wide, WIDE)
            | flag(self.after.is_some(), AFTER)
            | flag(count > NonZeroU8::MIN, PARTS)
            | flag(self.ack.is_some(), ACK)
            | flag(self.partial, PARTIAL)
            | flag(self.owed, OWED)
            | flag(self.settled.is_some(), SETTLED);
        if let Some(Place { sequence, tick }) = self.sent {
            let [low, high] = sequence.to_le_bytes();
            let [first, second, rest @ ..] = tick.number().to_le_bytes();
            bytes.push(&[flags, low, high, first, second]);
            if wide {
                bytes.push(&rest);
            }
        } else {
            bytes.push(&[flags]);
        }
        if let Some(after) = self.after {
            bytes.push(&after.to_le_bytes());
        }
        if count > NonZeroU8::MIN {
            bytes.push(&[index, count.get()]);
        }
        if let Some(settled) = self.settled {
            bytes.push(&settled.to_le_bytes());
        }
        if let Some(ack) = &self.ack {
            ack.encode(bytes);
        }
    }

    pub(crate) fn decode(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        let flags = reader.read_u8()?;
        let has = |flag| flags & flag != 0;
        if !has(SEQ) && flags != ACK {
            return Err(invalid(reader, "flags of a datagram", flags.into()));
        }
        let mut header = Self {
            partial: has(PARTIAL),
            owed: has(OWED),
            ..Self::new(None, None)
        };
        if has(SEQ) {
            let sequence = reader.read_u16()?;
            let tick = if has(WIDE) {
                TickNumber::Wide(reader.read_u32()?)
            } else {
                TickNumber::Short(reader.read_u16()?)
            };
            header.sent = Some(Place { sequence, tick });
        }
        if has(AFTER) {
            header.after = Some(reader.read_u16()?);
        }
        if has(PARTS) {
            let (index, count) = (reader.read_u8()?, reader.read_u8()?);
            header.part = match NonZeroU8::new(count) {
                Some(count) if index < count.get() => (index, count),
                _ => return Err(invalid(reader, "index of a datagram", index.into())),
            };
        }
        if has(SETTLED) {
            header.settled = Some(reader.read_u16()?);
        }
        if has(ACK) {
            header.ack = Some(Ack::decode(reader)?);
        }
        Ok(header)
    }
}

const fn flag(set: bool, flag: u8) -> u8 {
    if set { flag } else { 0 }
}

fn invalid(reader: &NetworkReader<'_>, what: &'static str, value: u64) -> ReadError {
    reader.error(ReadErrorKind::InvalidValue { what, value })
}

#[cfg(test)]
mod tests;
