//! Times and pings, in seconds of the sender's clock.

use super::part::messages;

/// The time of a frame, for interpolation by the receiver.
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

messages! {
    'a;
    TimeSnapshotMessage = "Mirror.TimeSnapshotMessage" { scaled_time }
    NetworkPingMessage = "Mirror.NetworkPingMessage" { local_time, predicted_time_adjusted }
    NetworkPongMessage = "Mirror.NetworkPongMessage" {
        local_time, prediction_error_unadjusted, prediction_error_adjusted
    }
}
