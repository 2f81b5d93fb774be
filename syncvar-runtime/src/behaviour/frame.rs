//! `NetworkFrame`: work of a behaviour in each frame.

use std::any::TypeId;

use super::NetworkBehaviour;
use crate::relations::Place;
use crate::route::{CallError, CallRouter, Class, CommandSender, RpcSender};
use crate::{ConnectionId, NetId, NetworkWriter, Vector3};

/// Work of a behaviour in each frame of its end: interpolation of received states, and decisions about
/// what to send. `BehaviourInfo` names it with [`frame`](crate::BehaviourInfo::frame()).
///
/// It runs before the end sends its changes, on the server and on each client, for spawned objects that are
/// not checked out. A change of a field counts as a write of the end. The ends of Mirror's protocol run
/// it, those of `NetworkServer` and `NetworkClient` do not.
///
/// ```
/// use syncvar::behaviour::{
///     BehaviourInfo, FieldVisitor, Frame, FrameRequests, FrameRole, FrameTime, NetworkFrame, SyncSettings,
/// };
/// use syncvar::{NetworkBehaviour, prelude::*, schema::{BehaviourSchema, FieldSchema}};
///
/// /// Counts down, and sends the whole seconds.
/// #[derive(Default)]
/// struct Countdown {
///     left: f64,
///     seconds: SyncVar<u32>,
/// }
///
/// impl NetworkBehaviour for Countdown {
///     type Previous = ();
///     const SCHEMA: BehaviourSchema = BehaviourSchema {
///         name: "Countdown",
///         base: None,
///         fields: &[FieldSchema::of::<SyncVar<u32>>("seconds")],
///     };
///     const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.frame::<Self>();
///
///     fn sync_var_dirty_bits(&self) -> u64 {
///         u64::from(syncvar::SyncField::is_dirty(&self.seconds))
///     }
///     fn visit(&mut self, _: &mut (), visitor: &mut impl FieldVisitor) {
///         visitor.field(1, "Countdown.seconds", &mut self.seconds);
///     }
/// }
///
/// impl NetworkFrame for Countdown {
///     fn on_frame(&mut self, frame: &mut Frame<'_>) {
///         if frame.role().is_server {
///             self.left = (self.left - frame.time().delta).max(0.0);
///             self.seconds.set(self.left.ceil() as u32);
///         }
///     }
/// }
///
/// // A server does this in each frame.
/// let role = FrameRole { is_server: true, is_ready: true, ..FrameRole::default() };
/// let settings = SyncSettings { end_interval: 1.0 / 60.0, interval: 0.0, owner_writes: false };
/// let time = FrameTime { now: 2.5, delta: 2.5, ..FrameTime::default() };
/// let mut requests = FrameRequests::default();
/// let mut frame = Frame::new(NetId(1), 0, role, settings, time, &mut requests);
/// let mut countdown = Countdown { left: 10.0, ..Countdown::default() };
/// countdown.on_frame(&mut frame);
/// assert_eq!(countdown.seconds, 8);
/// ```
pub trait NetworkFrame: NetworkBehaviour {
    /// Runs once in each frame.
    fn on_frame(&mut self, frame: &mut Frame<'_>);
}

/// Schedule and writer of a behaviour on its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SyncSettings {
    /// Time between two sends of the end, in seconds.
    pub end_interval: f32,
    /// Shortest time between two sends of the behaviour, in seconds; 0 for each send of the end.
    pub interval: f32,
    /// Set if the owner of the object writes the behaviour, and not the server.
    pub owner_writes: bool,
}

/// Times of the message that is being read, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MessageTime {
    /// Time of its sender.
    pub remote: f64,
    /// Own time of its receipt.
    pub local: f64,
    /// Time at which received states are shown: see [`FrameTime::shown`].
    pub shown: Option<f64>,
    /// Time of the server at which something sent now arrives there: see [`FrameTime::predicted`].
    pub predicted: f64,
}

/// Times of a frame, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameTime {
    /// Own time of the end.
    pub now: f64,
    /// Time since the frame before.
    pub delta: f64,
    /// Time at which received states are shown: of the server on a client, of the object's owner on a
    /// server. `None` before the first time of the peer.
    pub shown: Option<f64>,
    /// Time of the server at which something sent now arrives there; the own time on a server.
    pub predicted: f64,
}

/// Role of an end for an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameRole {
    /// Set on a server.
    pub is_server: bool,
    /// Set on the client that owns the object, and on a server if a connection owns it.
    pub is_owned: bool,
    /// Owner of the object, on a server.
    pub owner: Option<ConnectionId>,
    /// Set on a server, and on a client that may write.
    pub is_ready: bool,
}

/// Context of a behaviour's work in a frame.
#[derive(Debug)]
pub struct Frame<'a> {
    /// Object, and position of the behaviour.
    address: (NetId, usize),
    role: FrameRole,
    settings: SyncSettings,
    time: FrameTime,
    requests: &'a mut FrameRequests,
}

/// Requests of behaviours in a frame, which the end carries out after the frame.
#[derive(Debug, Default)]
pub struct FrameRequests {
    /// Calls, in order.
    pub calls: Vec<FrameCall>,
    /// New places of objects, with their scale.
    pub places: Vec<(NetId, Place, Vector3)>,
}

/// A call that a behaviour requests in a frame.
#[derive(Clone, Debug)]
pub struct FrameCall {
    object: NetId,
    class: Class,
    number: u32,
    arguments: Vec<u8>,
}

impl<'a> Frame<'a> {
    /// Creates the context of the behaviour at a position of an object.
    pub fn new(
        object: NetId,
        behaviour: usize,
        role: FrameRole,
        settings: SyncSettings,
        time: FrameTime,
        requests: &'a mut FrameRequests,
    ) -> Self {
        Self {
            address: (object, behaviour),
            role,
            settings,
            time,
            requests,
        }
    }

    /// Returns the id of the object.
    pub fn net_id(&self) -> NetId {
        self.address.0
    }

    /// Returns the role of the end for the object.
    pub fn role(&self) -> FrameRole {
        self.role
    }

    /// Returns the schedule and the writer of the behaviour.
    pub fn settings(&self) -> SyncSettings {
        self.settings
    }

    /// Returns the times.
    pub fn time(&self) -> FrameTime {
        self.time
    }

    /// Requests a call that `B` declares: a command on a client, a call of clients on a server. The writer
    /// must have the encoding of the protocol; it holds the arguments.
    pub fn call<B: NetworkBehaviour>(&mut self, number: u32, arguments: &NetworkWriter) {
        let (object, behaviour) = self.address;
        self.requests.calls.push(FrameCall {
            object,
            class: Class {
                id: TypeId::of::<B>(),
                name: B::SCHEMA.name,
                at: Some(behaviour),
            },
            number,
            arguments: arguments.as_bytes().to_vec(),
        });
    }

    /// Requests a new place of the object, as later observers receive it with the spawn, and its scale.
    pub fn set_place(&mut self, place: Place, scale: Vector3) {
        self.requests.places.push((self.address.0, place, scale));
    }
}

impl FrameCall {
    /// Returns the number of the call in its class.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns the bytes of the arguments.
    pub fn arguments(&self) -> &[u8] {
        &self.arguments
    }

    /// Sends the call through a server, or as a command through a client.
    ///
    /// # Errors
    ///
    /// When it cannot be sent.
    pub fn send(&self, router: &mut dyn CallRouter, is_server: bool) -> Result<(), CallError> {
        if is_server {
            let sender = RpcSender::through(router, self.object, self.class);
            let mut call = sender.begin(self.number);
            while let Some(writer) = call.next_writer() {
                writer.write_bytes(&self.arguments);
            }
            return call.send();
        }
        let sender = CommandSender::through(router, self.object, self.class);
        let mut call = sender.begin(self.number);
        call.writer().write_bytes(&self.arguments);
        call.send()
    }
}
