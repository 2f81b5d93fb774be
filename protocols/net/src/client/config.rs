//! `ClientConfig`: the settings of a client.

use std::time::Duration;

#[cfg(doc)]
use super::{ClientEvent, NetworkClient};
use crate::link::settings::LossSettings;
use crate::{Builds, Framing};
use syncvar_runtime::time::send_interval;
use syncvar_runtime::unstable::object::{Nanos, nanos};
use syncvar_runtime::{Callbacks, Channel, Limits};

/// Settings of a [`NetworkClient`](crate::NetworkClient).
///
/// ```
/// # use syncvar::*;
/// use std::time::Duration;
///
/// let config = ClientConfig {
///     max_objects: 10_000,
///     ping_interval: Duration::from_secs(1),
///     ..ClientConfig::default()
/// };
/// let client = NetworkClient::with_config(Prefabs::new(), config);
/// assert_eq!(client.config().max_objects, 10_000);
/// ```
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// Updates per second by a transport; 30 by default, at least 1. Base of
    /// [`send_interval`](Self::send_interval). The ticks of [`NetworkClient::network_time`] are the
    /// server's.
    pub tick_rate: u32,
    /// Send interval for writes to behaviours without `#[network_behaviour(send_interval = ...)]`;
    /// three ticks by default, 0.1 s. Zero sends writes with each update.
    pub send_interval: Option<Duration>,
    /// Whether the handshake compares the prefabs and fields of both sides, and resolves the differences. The server must
    /// have the same setting.
    pub compare_schemas: bool,
    /// Builds of servers that this client joins; [`Builds::Compatible`] by default.
    pub builds: Builds,
    /// Name of this build for the server: [`JoinRequest::build`](crate::JoinRequest::build); empty by default. The server
    /// receives the first 64 bytes.
    ///
    /// ```
    /// use syncvar::ClientConfig;
    ///
    /// let config = ClientConfig { build: "1.4.2 windows".into(), ..ClientConfig::default() };
    /// # assert_eq!(config.build.len(), 13);
    /// ```
    pub build: String,
    /// Framing requested from the server. A server that does not speak it, or that does not compare
    /// schemas, uses [`Framing::Unet`].
    pub framing: Framing,
    /// Kinds of the channels, equal to the server's setting. A command on an unreliable channel must fit
    /// one packet.
    pub channels: Vec<Channel>,
    /// Size limit, in bytes, of packets that gather several messages to the server.
    pub packet_size: usize,
    /// Size limit of a received message's payload, in bytes; 16 MiB by default, at least 65 535
    /// ([`MAX_BYTES`](syncvar_runtime::MAX_BYTES)). An object in a longer message becomes
    /// [`ClientEvent::Poisoned`] and keeps its values.
    pub max_message_size: usize,
    /// Whether the client asks for the objects as soon as it is connected. Otherwise call
    /// [`NetworkClient::ready`].
    pub auto_ready: bool,
    /// Most objects that the server can make this client hold.
    pub max_objects: usize,
    /// Limit of the memory of all objects that the server can make this client hold, in bytes; 512 MiB by
    /// default. An object counts with the sizes of its behaviours, also after its despawn as long as others of
    /// its prefab keep the place. Contents of strings and collections count in
    /// [`Limits::max_memory`](syncvar_runtime::Limits::max_memory) alone.
    pub max_object_memory: usize,
    /// Limits of the input of the server: elements, memory, work and depth. Input beyond them is an
    /// error of its object.
    pub limits: Limits,
    /// Runner of hooks, lifecycle callbacks and calls; the client by default.
    pub callbacks: Callbacks,
    /// Most unpolled events, plus one for each object of a burst. The oldest events are dropped first. A
    /// program that uses hooks only need not poll.
    pub max_events: usize,
    /// Longest time for the packets of a tick to wait for its last one, so that all its changes are applied and
    /// reported together; one tick by default, zero to apply each packet as it arrives. Packets beyond 96 KiB
    /// of a tick do not wait.
    pub gather_time: Option<Duration>,
    /// Longest delay of the [view](crate::NetworkClient::view) behind the arrivals of the server's ticks; half a second by
    /// default. A field keeps 32 samples.
    pub max_view_delay: Duration,
    /// Time within which the visible error of a corrected [prediction](crate::NetworkClient::predict) decays to a hundredth; 300 ms by
    /// default, zero to show each correction at once.
    pub correction_time: Duration,
    /// Clock for the durations in [`PredictionStats`](crate::PredictionStats): the time since any moment. `None` by default:
    /// a client reads no clock by itself, and some targets have none.
    ///
    /// ```
    /// use std::sync::LazyLock;
    /// use std::time::{Duration, Instant};
    /// use syncvar::ClientConfig;
    ///
    /// fn stopwatch() -> Duration {
    ///     static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    ///     START.elapsed()
    /// }
    ///
    /// let config = ClientConfig { stopwatch: Some(stopwatch), ..ClientConfig::default() };
    /// # assert!(config.stopwatch.is_some());
    /// ```
    pub stopwatch: Option<fn() -> Duration>,
    /// Limits and times of a transport with datagrams.
    pub loss: LossSettings,
    /// Timeout of early messages; 3 s by default.
    ///
    /// A packet of one channel may overtake a packet of another. A delta on an unreliable channel may
    /// arrive before the snapshot it builds on, by the time that the reliable channel needs to repair a
    /// loss. On a slow link 3 s cover two such repairs.
    ///
    /// At the timeout all early messages of the object are dropped ([`ClientEvent::EarlyMessagesDropped`]).
    /// The time runs from the first [`NetworkClient::update`] after the first message, and stands still
    /// during a burst of objects. Without updates, only number and size limit the early messages.
    pub early_message_timeout: Duration,
    /// Most early messages of all objects together; 1024 by default, 0 for none. Beyond the limit, the
    /// object with the oldest message loses all of its early messages.
    pub max_early_messages: usize,
    /// Most bytes of all early messages together; 1 MiB by default. Beyond the limit, objects lose their
    /// early messages as for [`max_early_messages`](Self::max_early_messages).
    pub max_early_bytes: usize,
    /// Most unresolved references that are tracked for [`ClientEvent::ReferenceResolved`]; 100 000 by
    /// default. References beyond the limit are not reported.
    pub max_pending_references: usize,
    /// Bytes of the last packets that the client keeps for a return to its session; 256 KiB by default.
    pub resume_bytes: usize,
    /// Interval of the pings for [`NetworkClient::network_time`]; 2 s by default, zero for none.
    ///
    /// The pings begin with the first [`NetworkClient::update`] after [`ClientEvent::Ready`]: five
    /// within the first second, then one per interval. Without datagrams, a client whose prefabs have a field with a
    /// history sends one each 250 ms at least: by these pings alone the server measures how old its views are. A ping takes at most 11 bytes and its answer 22
    /// in the first 12 days of both own times, usually 10 and 17. From the second one on, a ping also
    /// reports the measured round trip to the server, in 2 to 10 bytes more. A server that does not compare schemas
    /// receives no pings.
    pub ping_interval: Duration,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            tick_rate: 30,
            send_interval: None,
            compare_schemas: true,
            builds: Builds::Compatible,
            build: String::new(),
            framing: Framing::Compact,
            channels: vec![Channel::Reliable, Channel::Unreliable],
            packet_size: 1340,
            max_message_size: 16 * 1024 * 1024,
            auto_ready: true,
            max_objects: 1_000_000,
            max_object_memory: 512 << 20,
            limits: Limits::default(),
            callbacks: Callbacks::Run,
            max_events: 100_000,
            gather_time: None,
            max_view_delay: Duration::from_millis(500),
            correction_time: Duration::from_millis(300),
            stopwatch: None,
            loss: LossSettings::default(),
            early_message_timeout: Duration::from_secs(3),
            max_early_messages: 1024,
            max_early_bytes: 1024 * 1024,
            max_pending_references: 100_000,
            resume_bytes: 256 * 1024,
            ping_interval: Duration::from_secs(2),
        }
    }
}

impl ClientConfig {
    /// Returns the send interval of behaviours without one.
    pub(super) fn default_interval(&self) -> Nanos {
        nanos(send_interval(self.send_interval, self.tick_rate))
    }

    /// Returns the longest wait for the packets of a tick.
    pub(super) fn gather_time(&self) -> Duration {
        let tick = Duration::from_secs(1) / self.tick_rate;
        self.gather_time.unwrap_or(tick)
    }

    /// Warns of intervals that are shorter than a tick.
    pub(super) fn warn_of_intervals(&self) {
        let (interval, tick_rate) = (self.ping_interval, self.tick_rate);
        if !interval.is_zero() && interval < Duration::from_secs(1) / tick_rate {
            tracing::warn!(
                ?interval,
                tick_rate,
                "`ping_interval` is shorter than a tick"
            );
        }
    }
}
