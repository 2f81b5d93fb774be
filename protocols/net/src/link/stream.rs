//! Ticks of the packets on a stream, one direction each.

use syncvar_runtime::{NetworkReader, ReadError, ReadErrorKind};

use super::header::StreamHeader;

/// Ticks of the packets that one end sends or receives on its stream.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StreamTicks {
    /// Tick of the last packet.
    tick: u32,
}

impl StreamTicks {
    /// Returns the header of a packet with the step to this tick. An earlier tick than that of the last packet
    /// becomes that one.
    #[inline]
    pub(crate) fn stamp(&mut self, tick: u32, header: StreamHeader) -> StreamHeader {
        let step = tick.saturating_sub(self.tick);
        self.tick += step;
        StreamHeader { step, ..header }
    }

    /// Reads the header of a packet. Returns it with the packet's tick.
    ///
    /// # Errors
    ///
    /// When the header is malformed, or its tick is above `u32::MAX`.
    pub(crate) fn read(
        &mut self,
        reader: &mut NetworkReader<'_>,
    ) -> Result<(StreamHeader, u32), ReadError> {
        let header = StreamHeader::decode(reader)?;
        let tick = self.tick.checked_add(header.step).ok_or_else(|| {
            let (what, value) = ("step of ticks", header.step.into());
            reader.error(ReadErrorKind::InvalidValue { what, value })
        })?;
        self.tick = tick;
        Ok((header, tick))
    }
}
