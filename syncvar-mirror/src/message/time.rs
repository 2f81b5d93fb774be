//! Times and pings, in seconds of the sender's clock.

use syncvar_runtime::{NetworkReader, NetworkWriter, ReadError};

use super::NetworkMessage;

/// The time of one frame, for interpolation by the receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeSnapshotMessage {
    /// The game time, which may run slower than the clock.
    pub scaled_time: f64,
}

/// A ping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkPingMessage {
    /// The sender's time.
    pub local_time: f64,
    /// The sender's estimate of the receiver's time at arrival.
    pub predicted_time_adjusted: f64,
}

/// The pong for a [`NetworkPingMessage`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkPongMessage {
    /// The time of the ping, copied from it.
    pub local_time: f64,
    /// The receiver's time minus the ping's time.
    pub prediction_error_unadjusted: f64,
    /// The receiver's time minus the ping's estimate.
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
