//! The runtime of `syncvar`: writer, reader, behaviours, objects, a server and a client.
//!
//! Use it through the crate `syncvar`, which re-exports it beside the derives.
//!
//! Nothing in here does I/O, looks at a clock or rolls dice. Into a [`NetworkServer`] go packets,
//! connections and the time; out of it come packets and events. A [`NetworkClient`] is its mirror.
//! Any transport that can carry packets will do; [`MemoryNetwork`] is one without a network, for
//! tests.
#![warn(clippy::print_stdout)]

mod behaviour;
mod call;
mod channel;
mod client;
mod codec;
mod context;
mod endpoint;
#[doc(hidden)]
pub mod engine;
mod events;
mod id_set;
mod identity;
mod interest;
mod lifecycle;
mod memory;
mod message;
mod prefab;
mod reference;
mod schema;
mod schema_text;
mod segments;
mod server;
mod stats;
mod sync;
mod synchronize;
mod table;
mod time;
mod wire;

pub use behaviour::{NetworkBehaviour, SyncMethod};
pub use call::{
    CallArguments, CallError, CallKind, CallSchema, CallTable, CommandRefusal, NetworkCalls,
    NoCalls, OwnCalls, ReceivedEvent, SyncEvent, Target, assert_calls_known,
};
pub use channel::{Channel, DisconnectReason};
pub use client::{
    CallFailure, ChangedFields, ClientConfig, ClientEvent, ClientPacket, ClientState,
    CommandSender, HookFailure, NetworkClient, OutgoingCommand, ReplicaMut, SpawnFailure,
};
pub use codec::{Bits, Fixed, Floats, Half, Quantized, SmallestThree, SyncCodec, ZigZag};
pub use context::{CallContext, NetworkContext};
pub use endpoint::{Endpoint, PacketLimits, Transmit};
pub use identity::{BehaviourList, BehaviourSet, Behaviours, NetId, NetworkIdentity, SectionHooks};
pub use interest::{
    Area, Everyone, GroupTags, InterestChange, InterestChanges, InterestManagement, SpatialGrid,
    Tag,
};
pub use lifecycle::{
    CallbackFailure, HasLifecycle, LifecycleCallback, LifecycleResult, NetworkLifecycle,
};
pub use memory::{Link, MemoryNetwork};
pub use message::{ListError, ListHash, ListOperation, MessageType, SyncListMessage};
pub use prefab::Prefabs;
pub use reference::{BehaviourRef, NetRef, NetworkObjects, NetworkObjectsMut};
pub use schema::{
    BehaviourSchema, FieldRules, FieldSchema, MAX_SYNC_VARS, MemberSchema, Readers, TypeSchema,
    VariantSchema, Writers, assert_fits_32_bits,
};
pub use schema_text::SchemaDifference;
pub use server::{
    BehaviourMut, Budget, ConnectionId, LocalClient, NetworkServer, OutgoingRpc, PacketError,
    ParentError, RpcSender, ServerConfig, ServerEvent, SpawnError, SpawnOptions,
};
pub use stats::{BehaviourStats, Counter, RefusedCommands, Stats};
pub use sync::{
    DictionaryChange, ElementMut, HashKey, HookField, ListChange, SetChange, SortKey,
    SyncDictionary, SyncField, SyncHashSet, SyncList, SyncSortedSet, SyncVar, ValueMut, dictionary,
    hash_set,
};
pub use synchronize::{
    BufferSerializer, HasSynchronize, NetworkSerializable, Serializable, Synchronize,
    SynchronizeError, SynchronizeFailure,
};
pub use time::NetworkTime;
#[cfg(feature = "serde")]
pub use wire::Postcard;
pub use wire::{
    Absence, Color, Color32, Decimal, Dialect, EnumNumber, FixedString, FixedString32,
    FixedString64, FixedString128, FixedString512, FixedString4096, FixedStringTooLong, LayerMask,
    MAX_BYTES, MAX_STRING_BYTES, Matrix4x4, MessageStart, NetworkHash128, NetworkReader,
    NetworkSceneId, NetworkWriter, OaDate, Plane, Quaternion, Ray, Ray2D, ReadError, ReadErrorKind,
    ReadResultExt, Rect, SyncValue, Vector2, Vector2Int, Vector3, Vector3Int, Vector4, WriteError,
    WriteErrorKind,
};
