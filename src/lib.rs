//! State replication for games and simulations, after Unity's `SyncVar`.
//!
//! A struct derives [`NetworkBehaviour`]; its fields marked `#[sync_var]` are [`SyncVar`]s or collections. A
//! [`NetworkServer`] spawns objects of such behaviours. Each write to a field sets its dirty bit, and each client
//! that observes the object receives the changed fields and runs its hooks:
//!
//! ```
//! use syncvar::prelude::*;
//!
//! #[derive(NetworkBehaviour, Default)]
//! struct Player {
//!     #[sync_var(hook = on_health_changed)]
//!     health: SyncVar<i32>,
//!     #[sync_var]
//!     name: SyncVar<String>,
//! }
//!
//! impl Player {
//!     fn on_health_changed(&mut self, previous: i32) {
//!         println!("health {previous} -> {}", self.health);
//!     }
//! }
//!
//! let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Player>("player"));
//! let id = net.server.spawn(Player::default());
//! net.settle();
//! net.server.get_mut::<Player>(id).unwrap().health += 100;
//! net.settle(); // the client prints "health 0 -> 100"
//! assert_eq!(net.client(0).get::<Player>(id).unwrap().health, 100);
//! ```
//!
//! Servers and clients perform no I/O: packets and the time go in, packets and events come out. Transports are
//! features.
//!
//! | feature | adds |
//! |---|---|
//! | `derive` (default) | the macros |
//! | `tcp` | a TCP transport on tokio |
//! | `websocket` | WebSocket on tokio, on one port with TCP and a page for browsers |
//! | `wss` | WebSocket over TLS, certificates from PEM or made in memory |
//! | `quic` | QUIC on tokio: encrypted, with datagrams for unreliable state |
//! | `webtransport` | WebTransport, for browsers, on the port of `quic` |
//! | `web` | `websocket` and `webtransport`: one port for native clients and browsers |
//! | `udp` | a UDP transport on tokio, for tests and local networks |
//! | `mirror` | Mirror's protocol, without sockets: Unity clients on a Rust server; all parts of the next line |
//! | `mirror-core`, `mirror-components`, `mirror-interest`, `mirror-room`, `mirror-authenticators` | the protocol alone, and its optional parts |
//! | `mirror-telepathy`, `mirror-kcp`, `mirror-websocket` | Mirror's transports on tokio |
//! | `parallel` | encoding on several threads, with the same bytes |
//! | `serde`, `glam`, `mint`, `uuid` | their types as values |
//!
//! The repository has a guide with one page per concept (`guide/`), the bytes (`WIRE.md`), and the layers of the code
//! (`ARCHITECTURE.md`).
#![warn(clippy::print_stdout)]

#[cfg(all(doctest, feature = "derive"))]
mod guide;

#[cfg(feature = "derive")]
pub use syncvar_derive::{
    NetworkBehaviour, SyncValue, client_rpc, command, network_calls, sync_event, target_rpc,
};
#[cfg(feature = "tcp")]
pub use syncvar_tokio::tcp;
#[cfg(feature = "udp")]
pub use syncvar_tokio::udp;

pub use syncvar_net::{
    BehaviourMut, Budget, ClientConfig, ClientEvent, ClientPacket, ClientState, Framing,
    LocalClient, NetworkClient, NetworkContextExt, NetworkServer, ReplicaMut, ServerConfig,
    ServerEvent, SpawnOptions,
};
pub use syncvar_runtime::events::EventReader;
pub use syncvar_runtime::{
    BehaviourRef, CallContext, Callbacks, Changed, ChangedFields, Channel, ConnectionId,
    DisconnectReason, Endpoint, FieldBit, FrameTransport, LifecycleResult, NetId, NetRef,
    NetworkBehaviour, NetworkContext, NetworkIdentity, NetworkLifecycle, NetworkSceneId,
    NetworkTime, OpenedLater, PacketLimits, Prefabs, SyncDictionary, SyncField, SyncHashSet,
    SyncList, SyncSortedSet, SyncValue, SyncVar, Target, Transmit, VisitRefs,
};

/// Behaviours: sets of them on an object, lifecycle callbacks, data of the snapshot, and the parts of a
/// behaviour written by hand.
pub mod behaviour {
    pub use syncvar_runtime::behaviour::{
        Frame, FrameCall, FrameRequests, FrameRole, FrameTime, MessageTime, NetworkFrame,
        SyncSettings,
    };
    pub use syncvar_runtime::{
        Arrival, Assign, BehaviourFields, BehaviourInfo, BehaviourList, BehaviourSet, Behaviours,
        BufferSerializer, CheckWrites, Delivery, FieldVisitor, HasLifecycle, HasSynchronize,
        Inherits, LayoutHooks, LifecycleCallback, ManyMut, NetworkObjects, NetworkObjectsMut,
        NetworkSerializable, ObjectMut, Optional, PreviousOptional, Serializable, SplitMut,
        Synchronize, Taken,
    };
}

/// Remote calls: their senders, declarations and arguments; received events and messages.
pub mod calls {
    pub use syncvar_net::{RefusalReason, RefusedCommand};
    pub use syncvar_runtime::{
        CallArguments, CallError, CallKind, CallSchema, CallTable, Called, CommandRefusal,
        CommandSender, NetworkCalls, ReceivedEvent, ReceivedMessage, RpcSender, SyncEvent,
    };
}

/// Encodings for `#[sync_var(with = ...)]`.
pub mod codec {
    pub use syncvar_runtime::{
        Bits, Fixed, Floats, Half, Quantized, SmallestThree, SyncCodec, ZigZag,
    };
}

/// Errors and reported failures.
pub mod error {
    pub use syncvar_net::{PacketError, ParentError, SpawnFailure};
    pub use syncvar_runtime::{
        CallFailure, CallbackFailure, HookFailure, MessageError, ObjectError, PrefabError,
        SchemaError, SpawnError, SynchronizeError, SynchronizeFailure,
    };
}

/// Fields: changes and guards of the collections, and the parts of a field of your own design.
pub mod fields {
    pub use syncvar_runtime::{
        DictionaryChange, ElementMut, FieldPlace, Formed, HashKey, History, HookField, Hooked,
        Interpolated, ListChange, ListEdit, NoticesWrites, Operand, OperationLog, PreviousStep,
        Recording, SetChange, SortKey, Throttled, Transfer, ValueMut, VariableAccess, dictionary,
        encoded, encoded_hook, hash_set, hooked, hooked_variable, interpolated, throttled,
        variable,
    };
}

/// Interest management: areas, a spatial grid, group tags.
pub mod interest {
    pub use syncvar_runtime::{
        Area, Everyone, GroupTags, InterestChange, InterestChanges, InterestManagement,
        SpatialGrid, Tag, ViewReason, WrongInterest,
    };
}

/// Admission of connections: join payloads, decisions and their reasons.
pub mod join {
    pub use syncvar_net::{Admission, Builds, Decision, JoinRequest, SchemaRequests, SessionToken};
    pub use syncvar_runtime::endpoint::{Payload, Refusal};
}

/// Limits of a peer's input, and the budget of a packet.
pub mod limits {
    pub use syncvar_net::LossSettings;
    pub use syncvar_runtime::limits::{LimitExceeded, Limits, ReadBudget, WorkMeter};
}

/// Motion: values between received ones, and the view of a client.
pub mod motion {
    #[cfg(feature = "derive")]
    pub use syncvar_derive::Interpolate;
    pub use syncvar_net::{Group, Past, PredictedTicks, View};
    pub use syncvar_runtime::motion::{
        AnyInputs, AnyTrack, Input, InputKind, Inputs, Interpolate, Interpolation, KEPT_INPUTS,
        MAX_SAMPLES, Moment, SettledTicks, Shown, Span, Spherical, Track, Viewed,
    };
}

/// State of a server as bytes.
pub mod saving {
    pub use syncvar_net::{PendingSave, Save, SaveError};
}

/// Tick records: recordings, replays and gateways.
pub mod records {
    pub use syncvar_net::{
        PrivateRecord, RecordDifferences, RecordEntry, RecordEntryKind, RecordError, RecordExcerpt,
        RecordItem, RecordMerge, RecordPart, TickRecord,
    };
}

/// Schemas: field types and policies, compared by both ends at connect.
pub mod schema {
    pub use syncvar_runtime::schema::{
        MAX_SCHEMA_TEXT, MAX_TYPE_DEPTH, Names, Schema, SchemaBehaviour, SchemaCall, SchemaClass,
        SchemaField, SchemaMember, SchemaMessage, SchemaPrefab, SchemaType, SchemaVariant,
    };
    pub use syncvar_runtime::{
        BehaviourClass, BehaviourSchema, FieldPolicy, FieldSchema, MAX_SYNC_VARS, Measure,
        MemberSchema, Readers, Role, SampleSchema, SchemaChange, SchemaComparison, SchemaEffect,
        SchemaPlace, SchemaReport, TypeSchema, VariantSchema, Writers,
    };
}

/// Counters of servers and clients.
pub mod stats {
    pub use syncvar_net::{LinkQuality, Losses, MessageType, PredictionStats, Stats};
    pub use syncvar_runtime::unstable::object::{FieldStats, Profile};
    pub use syncvar_runtime::{
        BehaviourStats, ConnectionStats, Counter, RefusedCommands, RefusedInput, UnsentField,
        UnsentReason,
    };
}

/// Networks in memory for tests, in virtual time.
pub mod testing {
    pub use syncvar_net::{DifferenceKind, MemoryNetwork, ReplicaDifference, compare_replicas};
    pub use syncvar_runtime::Random;
    pub use syncvar_runtime::conditions::{Conditions, Pipe};
    pub use syncvar_runtime::unstable::object::FieldDifference;
}

/// Objects and values without compiled types, for programs that learn a schema.
pub mod untyped {
    pub use syncvar_runtime::untyped::{
        FieldError, FieldErrorKind, MapValue, MemberNames, SetValue, StructValue, UntypedBehaviour,
        UntypedError, Value, ValueError, ValueErrorKind, VariantValue,
    };
}

/// UNet's list messages, for programs that talk to a real UNet.
pub mod unet {
    pub use syncvar_net::{ListError, ListHash, ListOperation, SyncListMessage, UnetOperations};
}

/// Values beyond the types of `std`: Unity's vectors, colours and hashes, .NET's numbers and dates, inline
/// texts.
pub mod values {
    #[cfg(feature = "serde")]
    pub use syncvar_runtime::Postcard;
    pub use syncvar_runtime::{
        Absence, Color, Color32, Decimal, EnumNumber, FixedString, FixedString32, FixedString64,
        FixedString128, FixedString512, FixedString4096, FixedStringTooLong, LayerMask, Matrix4x4,
        NetworkHash128, OaDate, Plane, Quaternion, Ray, Ray2D, Rect, Vector2, Vector2Int, Vector3,
        Vector3Int, Vector4,
    };
}

/// Bytes: the writer, the reader, their contexts and errors.
pub mod wire {
    pub use syncvar_runtime::{
        DeserializeContext, DeserializeReport, Encoding, MAX_BYTES, MAX_STRING_BYTES, MessageStart,
        NetworkReader, NetworkWriter, ReadError, ReadErrorKind, ReadResult, ReadResultExt,
        SerializeContext, SerializeReport, WriteError, WriteErrorKind,
    };
}

/// Mirror's protocol: Unity clients join a Rust server, and Rust clients a Mirror server.
///
/// The features `mirror-telepathy`, `mirror-kcp` and `mirror-websocket` add sockets: `MirrorHost` and `MirrorPeer`.
#[cfg(feature = "mirror-core")]
pub mod mirror {
    pub use syncvar_mirror::*;
    #[cfg(feature = "mirror-kcp")]
    pub use syncvar_tokio::kcp;
    #[cfg(any(
        feature = "mirror-telepathy",
        feature = "mirror-kcp",
        feature = "mirror-websocket"
    ))]
    pub use syncvar_tokio::mirror::{MirrorHost, MirrorPeer};
    #[cfg(feature = "mirror-telepathy")]
    pub use syncvar_tokio::telepathy;
    #[cfg(any(
        feature = "mirror-telepathy",
        feature = "mirror-kcp",
        feature = "mirror-websocket"
    ))]
    pub use syncvar_tokio::{
        Reconnect, ReservedPlaces, Timeout, TransportCounters, TransportError, TransportOptions,
        TransportStats,
    };
}

/// Log files: recordings with their schema, markers and an index, in the container MCAP.
///
/// The guide's page "Recording" has a whole program.
#[cfg(feature = "log")]
pub mod log {
    #[doc(inline)]
    pub use syncvar_log::*;
}

/// QUIC: encrypted connections with datagrams for unreliable state, and WebTransport with the feature `webtransport`.
///
/// [`QuicPort`](quic::QuicPort) listens on a [`Host`](transport::Host), [`QuicClient`](quic::QuicClient) connects a client, and
/// [`tls`] has the certificates. The guide's page "Transports" has a whole program.
#[cfg(feature = "quic")]
pub mod quic {
    #[doc(inline)]
    pub use syncvar_quic::*;
}

/// Certificates: the [`Identity`](tls::Identity) of a server, and the [`Trust`](tls::Trust) of a client, for `quic` and
/// `websocket` with the feature `wss`.
///
/// ```
/// use syncvar::tls::{Identity, Trust};
///
/// // Without files: a certificate for 14 days at most, replaced in time.
/// let identity = Identity::generated(&["localhost", "127.0.0.1"])?;
/// // The client learns the hashes by a way that it trusts.
/// let trust = Trust::hashes(identity.hashes());
/// # let _ = trust;
/// # Ok::<(), std::io::Error>(())
/// ```
#[cfg(any(feature = "quic", feature = "wss"))]
pub mod tls {
    #[doc(inline)]
    pub use syncvar_tls::*;
}

/// WebSocket: one port for browsers, native clients by WebSocket or TCP, and pages.
///
/// [`WebPort`](websocket::WebPort) listens on a [`Host`](transport::Host), [`WebSocketClient`](websocket::WebSocketClient) connects a
/// native client. The guide's pages "Transports" and "Browser" have whole programs.
#[cfg(feature = "websocket")]
pub mod websocket {
    #[doc(inline)]
    pub use syncvar_websocket::*;
}

/// Transports for programs with a loop: any server and any client, borrowed for a call.
#[cfg(any(
    feature = "tcp",
    feature = "udp",
    feature = "mirror-telepathy",
    feature = "mirror-kcp"
))]
pub mod transport {
    pub use syncvar_tokio::tasks;
    #[cfg(any(feature = "tcp", feature = "udp"))]
    pub use syncvar_tokio::{Carrier, NetworkHost, NetworkPeer, client_options};
    pub use syncvar_tokio::{
        Host, LinkConditions, Peer, PeerAddrs, Reconnect, ReservedPlaces, Timeout,
        TransportCounters, TransportError, TransportOptions, TransportStats,
    };
}

/// Imports of most programs: `use syncvar::prelude::*;`.
///
/// It has the derives [`NetworkBehaviour`](macro@crate::NetworkBehaviour) and [`SyncValue`](macro@crate::SyncValue),
/// and not their traits, whose methods would be offered for every struct of a game. Import
/// [`NetworkBehaviour`](trait@crate::NetworkBehaviour), [`SyncValue`](trait@crate::SyncValue) or
/// [`BehaviourFields`](crate::behaviour::BehaviourFields) for a bound, a hand-written implementation, or a
/// method.
///
/// Some engines have other types `Vector2`, `Vector3` and `Quaternion`, as godot and nalgebra: with two glob
/// imports, import the type of choice by its name.
pub mod prelude {
    #[cfg(feature = "derive")]
    pub use syncvar_derive::{
        Interpolate, NetworkBehaviour, SyncValue, client_rpc, command, network_calls, sync_event,
        target_rpc,
    };
    pub use syncvar_net::{
        ClientConfig, ClientEvent, MemoryNetwork, NetworkClient, NetworkContextExt, NetworkServer,
        ServerConfig, ServerEvent, SpawnOptions,
    };
    pub use syncvar_runtime::Assign as _;
    pub use syncvar_runtime::events::EventReader;
    pub use syncvar_runtime::{
        BehaviourRef, BufferSerializer, CallContext, ConnectionId, DictionaryChange, FixedString,
        FixedString32, FixedString64, FixedString128, FixedString512, FixedString4096,
        LifecycleResult, ListChange, NetId, NetRef, NetworkContext, NetworkLifecycle,
        NetworkSerializable, Optional, Prefabs, Quaternion, Serializable, SetChange,
        SyncDictionary, SyncHashSet, SyncList, SyncSortedSet, SyncVar, Synchronize,
        SynchronizeError, Target, Vector2, Vector3,
    };
}

/// Names used by the derives. Not for use by hand; it changes without notice.
#[doc(hidden)]
pub mod __private {
    pub use core::clone::Clone;
    pub use core::cmp::{Eq, Ord};
    pub use core::default::Default;
    pub use core::hash::Hash;
    pub use core::marker::{PhantomData, Send, Sized, Sync};
    pub use core::mem::discriminant;
    pub use core::option::Option::{self, None, Some};
    pub use core::result::Result::{self, Err, Ok};
    pub use core::time::Duration;
    pub use std::vec::Vec;
    pub use syncvar_runtime::__private::{AllCallsInOneBlock, NoCalls, OwnCalls, bit};
    pub use syncvar_runtime::assert_calls_known;
    pub use syncvar_runtime::behaviour::Check;
    pub use syncvar_runtime::behaviour::hook::{ChangeHook, Hook, ViewHook};
    pub use syncvar_runtime::motion::{Interpolate, Interpolation};
    pub use syncvar_runtime::unstable::call::{CalledByClient, CalledByServer};
    pub use syncvar_runtime::{
        BehaviourInfo, BehaviourSchema, CallContext, CallError, CallSchema, CheckWrites,
        CommandSender, ConnectionId, DictionaryChange, FieldBit, FieldPolicy, FieldSchema,
        FieldVisitor, HasLifecycle, HasSynchronize, HookField, Inherits, ListChange, MemberSchema,
        NetworkBehaviour, NetworkCalls, NetworkContext, NetworkReader, NetworkWriter, ReadError,
        ReadResult, ReadResultExt, Readers, RpcSender, SetChange, SyncCodec, SyncEvent, SyncField,
        SyncValue, Target, TypeSchema, VariantSchema, Writers, assert_fits_32_bits, encoded,
        encoded_hook, hooked, hooked_variable, interpolated, throttled, variable,
    };
}
