//! Quality of a connection by round trip, jitter and buffer.

/// Quality of a connection. Mirror, `ConnectionQuality`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConnectionQuality {
    /// Not known yet.
    #[default]
    Estimating,
    /// Not playable.
    Poor,
    /// Playable with visible lag.
    Fair,
    /// Good.
    Good,
    /// Hardly noticeable.
    Excellent,
}

impl ConnectionQuality {
    /// Returns the quality of a round-trip time and a jitter, both in seconds. Mirror passes the variance
    /// of the round-trip time as the jitter.
    ///
    /// ```
    /// use syncvar::mirror::components::ConnectionQuality;
    ///
    /// assert_eq!(ConnectionQuality::of_round_trip(0.05, 0.01), ConnectionQuality::Excellent);
    /// assert_eq!(ConnectionQuality::of_round_trip(0.05, 0.3), ConnectionQuality::Fair);
    /// ```
    pub fn of_round_trip(round_trip: f64, jitter: f64) -> Self {
        match (round_trip, jitter) {
            (..=0.1, ..=0.1) => Self::Excellent,
            (..=0.2, ..=0.2) => Self::Good,
            (..=0.4, ..=0.5) => Self::Fair,
            _ => Self::Poor,
        }
    }

    /// Returns the quality of a distance behind the newest state, relative to the aim; both in seconds.
    ///
    /// ```
    /// use syncvar::mirror::components::ConnectionQuality;
    ///
    /// assert_eq!(ConnectionQuality::of_buffer(0.1, 0.12), ConnectionQuality::Good);
    /// ```
    pub fn of_buffer(target: f64, current: f64) -> Self {
        match current / target {
            ..=1.15 => Self::Excellent,
            ..=1.25 => Self::Good,
            ..=1.5 => Self::Fair,
            _ => Self::Poor,
        }
    }
}
