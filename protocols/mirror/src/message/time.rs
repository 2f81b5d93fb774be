//! What time it is on the other side. All times are seconds of the sender's own clock.

use syncvar_runtime::{NetworkReader, NetworkWriter, ReadError};

use super::NetworkMessage;

/// The time of one frame, for the interpolation on the other side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeSnapshotMessage {
    /// The time of the game, which may go slower than the clock.
    pub scaled_time: f64,
}

/// A question for the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkPingMessage {
    /// The sender's time.
    pub local_time: f64,
    /// What the sender thinks the other side's time will be when this is there.
    pub predicted_time_adjusted: f64,
}

/// The answer to a [`NetworkPingMessage`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkPongMessage {
    /// The time of the question, as it stood there.
    pub local_time: f64,
    /// How much later it is than the question said that it was.
    pub prediction_error_unadjusted: f64,
    /// How much later it is than the question said that it would be.
    pub prediction_error_adjusted: f64,
}

impl NetworkMessage<'_> for TimeSnapshotMessage {
    const NAME: &'static str = "Mirror.TimeSnapshotMessage";

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_f64(self.scaled_time);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            scaled_time: reader.read_f64()?,
        })
    }
}

impl NetworkMessage<'_> for NetworkPingMessage {
    const NAME: &'static str = "Mirror.NetworkPingMessage";

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_f64(self.local_time);
        writer.write_f64(self.predicted_time_adjusted);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            local_time: reader.read_f64()?,
            predicted_time_adjusted: reader.read_f64()?,
        })
    }
}

impl NetworkMessage<'_> for NetworkPongMessage {
    const NAME: &'static str = "Mirror.NetworkPongMessage";

    fn write(&self, writer: &mut NetworkWriter) {
        writer.write_f64(self.local_time);
        writer.write_f64(self.prediction_error_unadjusted);
        writer.write_f64(self.prediction_error_adjusted);
    }

    fn read(reader: &mut NetworkReader<'_>) -> Result<Self, ReadError> {
        Ok(Self {
            local_time: reader.read_f64()?,
            prediction_error_unadjusted: reader.read_f64()?,
            prediction_error_adjusted: reader.read_f64()?,
        })
    }
}
