//! Core of `syncvar`: writer, reader, behaviours, objects and their update loop. It is without messages,
//! servers and sockets. The protocols build on it: `syncvar-net` and `syncvar-mirror`.
//!
//! Games use it through the crate `syncvar`, which re-exports it beside the derives.
//!
//! The layers, lowest first: [`ids`] and [`limits`]; [`schema`] and [`wire`]; [`codec`] and [`motion`]; [`field`];
//! [`route`](unstable::route); [`behaviour`]; [`packet`](unstable::packet) and [`object`](unstable::object);
//! [`call`](unstable::call) and [`prefab`](unstable::prefab); [`reference`](NetRef), [`interest`] and [`endpoint`];
//! [`world`](unstable::world).
#![warn(clippy::print_stdout)]

#[doc(hidden)]
pub mod __private;
pub mod behaviour;
mod call;
mod channel;
mod clock;
pub mod codec;
pub mod conditions;
pub mod endpoint;
pub mod events;
pub mod field;
pub mod ids;
pub mod interest;
pub mod limits;
pub mod motion;
mod object;
mod object_error;
mod ordered;
mod packet;
mod prefab;
mod random;
mod recent_use;
mod reference;
mod relations;
mod route;
pub mod schema;
pub mod stats;
mod table;
pub mod time;
mod translate;
pub mod unstable;
pub mod untyped;
mod value;
pub mod wire;
mod world;

pub use behaviour::{
    Arrival, Assign, BehaviourFields, BehaviourInfo, BufferSerializer, CallContext,
    CallbackFailure, CheckWrites, Delivery, FieldVisitor, HasLifecycle, HasSynchronize,
    HookFailure, LifecycleCallback, LifecycleResult, NetworkBehaviour, NetworkContext,
    NetworkIdentity, NetworkLifecycle, NetworkSerializable, NetworkSide, Optional,
    PreviousOptional, Serializable, Synchronize, SynchronizeError, SynchronizeFailure, Taken,
};
pub use call::{
    CallArguments, CallError, CallFailure, Called, CommandRefusal, CommandSender, NetworkCalls,
    ReceivedEvent, RefusedCommands, RpcSender, SyncEvent, assert_calls_known,
};
pub use channel::Channel;
pub use codec::{Bits, Fixed, Floats, Half, Quantized, SmallestThree, SyncCodec, ZigZag};
pub use endpoint::{
    DisconnectReason, Endpoint, FrameTransport, OpenedLater, PacketLimits, Transmit,
};
pub use field::{
    DictionaryChange, ElementMut, FieldPlace, Formed, HashKey, History, HookField, Hooked,
    Interpolated, ListChange, ListEdit, NoticesWrites, Operand, OperationLog, PreviousStep,
    Recording, SetChange, SortKey, SyncDictionary, SyncField, SyncHashSet, SyncList, SyncSortedSet,
    SyncVar, Throttled, Transfer, ValueMut, VariableAccess, dictionary, encoded, encoded_hook,
    hash_set, hooked, hooked_variable, interpolated, throttled, variable,
};
pub use ids::{AudienceId, ConnectionId, NetId, NetworkHash128, NetworkSceneId};
pub use interest::{
    Area, Everyone, GroupTags, InterestChange, InterestChanges, InterestManagement, SpatialGrid,
    Tag, ViewReason, WrongInterest,
};
pub use limits::Limits;
pub use object::{BehaviourList, BehaviourSet, Behaviours, LayoutHooks, UnsentField, UnsentReason};
pub use object_error::ObjectError;
pub use prefab::message::{MessageError, ReceivedMessage};
pub use prefab::{PrefabError, Prefabs, SpawnError};
pub use random::Random;
pub use reference::{BehaviourRef, NetRef, NetworkObjects, NetworkObjectsMut, VisitRefs};
pub use schema::{
    BehaviourClass, BehaviourSchema, CallKind, CallSchema, CallTable, Changed, ChangedFields,
    FieldBit, FieldPolicy, FieldSchema, Inherits, MAX_SYNC_VARS, Measure, MemberSchema, Readers,
    Role, SampleSchema, Schema, SchemaError, SchemaReport, Target, TypeSchema, VariantSchema,
    Writers, assert_fits_32_bits,
};
pub use stats::{BehaviourStats, ConnectionStats, Counter, RefusedInput};
pub use time::NetworkTime;
pub use translate::change::{SchemaChange, SchemaEffect, SchemaPlace};
pub use translate::resolve::SchemaComparison;
#[cfg(feature = "serde")]
pub use wire::Postcard;
pub use wire::{
    Absence, Color, Color32, Decimal, DeserializeContext, DeserializeReport, Encoding, EnumNumber,
    FixedString, FixedString32, FixedString64, FixedString128, FixedString512, FixedString4096,
    FixedStringTooLong, LayerMask, MAX_BYTES, MAX_STRING_BYTES, Matrix4x4, MessageStart,
    NetworkReader, NetworkWriter, OaDate, Plane, Quaternion, Ray, Ray2D, ReadError, ReadErrorKind,
    ReadResult, ReadResultExt, Rect, SerializeContext, SerializeReport, SyncValue, Vector2,
    Vector2Int, Vector3, Vector3Int, Vector4, WriteError, WriteErrorKind,
};
pub use world::{Callbacks, ManyMut, ObjectMut, SplitMut};
