//! Changes that a server has not sent, and why.

use std::fmt;
use std::time::Duration;

use super::{Slot, SlotInfo, Slots};
use crate::{ConnectionId, Encoding, NetworkWriter, WriteError, WriteErrorKind};

/// A field with a change that an observer lacks. A server returns it by `why_not_sent(object)`.
///
/// ```
/// use std::time::Duration;
/// use syncvar::prelude::*;
/// use syncvar::stats::UnsentReason;
///
/// #[derive(NetworkBehaviour, Default)]
/// #[network_behaviour(send_interval = 2.0)]
/// struct Clock {
///     #[sync_var]
///     hour: SyncVar<u8>,
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Clock>("clock"));
/// let id = net.server.spawn(Clock::default());
/// net.settle();
/// net.server.get_mut::<Clock>(id).unwrap().hour.set(3);
/// net.step();
/// let unsent = net.server.why_not_sent(id).unwrap();
/// assert_eq!((unsent[0].behaviour, unsent[0].field), ("Clock", "hour"));
/// assert!(matches!(unsent[0].reason, UnsentReason::SendInterval { .. }));
/// println!("{}", unsent[0]); // Clock.hour waits for the send interval, until 2s
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UnsentField {
    /// Position of the behaviour on the object.
    pub index: usize,
    /// Name of the behaviour.
    pub behaviour: &'static str,
    /// Name of the field.
    pub field: &'static str,
    /// Reason of the delay.
    pub reason: UnsentReason,
}

/// Reason why a change has not been sent. Times are the server's own.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum UnsentReason {
    /// The next update sends it.
    NextUpdate,
    /// The send interval of the behaviour runs until this time.
    SendInterval {
        /// Time of the next send.
        due: Duration,
    },
    /// The interval or the threshold of the field holds it back.
    Throttled {
        /// Time of the next send of a held field; `None` until it exceeds its threshold.
        due: Option<Duration>,
    },
    /// No connection observes the object. The next observer receives a snapshot.
    NoObserver,
    /// The connections that see the object are not ready. They will receive a snapshot.
    NotReady(Vec<ConnectionId>),
    /// The owner alone reads the field, and no observer owns the object.
    NoReader,
    /// The field travels with snapshots only.
    InitialOnly,
    /// Each update sends it unreliably, until the next baseline contains it: Mirror's
    /// `SyncMethod.Hybrid`.
    Repeated,
    /// The value lacks a form on the wire, or exceeds a limit.
    CannotBeSent(WriteError),
    /// The channel of the behaviour does not exist.
    UnknownChannel(u8),
    /// The budget of a connection delays it. The remaining observers have it.
    Budget(ConnectionId),
}

/// Sends of an object by a server, as far as they explain an unsent field.
pub trait SendRules {
    /// Returns the encoding of the values.
    fn encoding(&self) -> Encoding;

    /// Returns the fields of a behaviour with a change to send.
    fn pending(&self, index: usize, slot: &dyn Slot) -> u64;

    /// Returns the reason that holds for all fields of a behaviour, if there is one.
    fn obstacle(&self, index: usize, info: &SlotInfo) -> Option<UnsentReason>;

    /// Returns the error of a field with this length alone, if it fits no message.
    fn refusal(&self, index: usize, info: &SlotInfo, length: usize) -> Option<WriteErrorKind>;

    /// Returns the reason of a field that can be sent. `field` is its bit.
    fn delay(&self, index: usize, slot: &mut dyn Slot, field: u64) -> UnsentReason;
}

/// Returns the fields of an object with a change to send, each with its reason.
pub fn unsent_fields(slots: &mut dyn Slots, rules: &impl SendRules) -> Vec<UnsentField> {
    let mut writer = NetworkWriter::with_encoding(rules.encoding());
    let (mut unsent, mut index) = (Vec::new(), 0);
    slots.for_each_mut(|slot| {
        let (info, pending) = (slot.info(), rules.pending(index, slot));
        let schema = info.schema;
        for number in (0..schema.field_count()).filter(|number| pending >> number & 1 == 1) {
            let Some(field) = schema.field(number) else {
                continue;
            };
            let reason = rules.obstacle(index, info).unwrap_or_else(|| {
                let refused = |kind| {
                    let names = (Some(schema.name), Some(field.name));
                    WriteError::new(kind, 0, names.0, names.1)
                };
                match slot.measure(1 << number, &mut writer) {
                    Err(error) => UnsentReason::CannotBeSent(error),
                    Ok(length) => match rules.refusal(index, info, length) {
                        Some(kind) => UnsentReason::CannotBeSent(refused(kind)),
                        None => rules.delay(index, slot, 1 << number),
                    },
                }
            });
            unsent.push(UnsentField::new(index, schema.name, field.name, reason));
        }
        index += 1;
    });
    unsent
}

impl UnsentField {
    /// Describes a field.
    pub fn new(
        index: usize,
        behaviour: &'static str,
        field: &'static str,
        reason: UnsentReason,
    ) -> Self {
        Self {
            index,
            behaviour,
            field,
            reason,
        }
    }
}

impl UnsentReason {
    /// Returns the reason of an object without observers, by the connections that see it.
    pub fn without_observer(waiting: Vec<ConnectionId>) -> Self {
        if waiting.is_empty() {
            Self::NoObserver
        } else {
            Self::NotReady(waiting)
        }
    }
}

impl fmt::Display for UnsentField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{} {}", self.behaviour, self.field, self.reason)
    }
}

impl fmt::Display for UnsentReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NextUpdate => f.write_str("goes out with the next update"),
            Self::SendInterval { due } => {
                write!(f, "waits for the send interval, until {due:?}")
            }
            Self::Throttled { due: Some(due) } => {
                write!(f, "waits for the interval of the field, until {due:?}")
            }
            Self::Throttled { due: None } => f.write_str("is below its threshold"),
            Self::NoObserver => f.write_str("has no observer"),
            Self::NotReady(connections) => {
                f.write_str("waits until a connection is ready:")?;
                connections
                    .iter()
                    .try_for_each(|connection| write!(f, " {connection}"))
            }
            Self::NoReader => f.write_str("has no reader: no observer owns the object"),
            Self::InitialOnly => f.write_str("travels with snapshots only"),
            Self::Repeated => f.write_str("is sent unreliably until the next baseline"),
            Self::CannotBeSent(error) => write!(f, "cannot be sent: {error}"),
            Self::UnknownChannel(channel) => write!(f, "has no channel {channel}"),
            Self::Budget(connection) => write!(f, "waits for the budget of {connection}"),
        }
    }
}
