#![doc = include_str!("../README.md")]
#![warn(clippy::print_stdout)]

#[cfg(feature = "derive")]
pub use syncvar_derive::{
    NetworkBehaviour, SyncValue, client_rpc, command, network_calls, sync_event, target_rpc,
};
#[cfg(feature = "mirror")]
pub use syncvar_mirror as mirror;
#[cfg(feature = "tcp")]
pub use syncvar_tcp as tcp;

pub use syncvar_net::{
    BehaviourMut, Budget, ClientConfig, ClientEvent, ClientPacket, ClientState, Framing, Link,
    ListError, ListHash, ListOperation, LocalClient, MemoryNetwork, MessageType, NetworkClient,
    NetworkContextExt, NetworkServer, PacketError, ParentError, ReplicaMut, ServerConfig,
    ServerEvent, SpawnFailure, SpawnOptions, Stats, SyncListMessage, Transmit, UnetOperations,
};
#[cfg(feature = "serde")]
pub use syncvar_runtime::Postcard;
pub use syncvar_runtime::{
    Area, BehaviourList, BehaviourRef, BehaviourSchema, BehaviourSet, BehaviourStats, Behaviours,
    Bits, BufferSerializer, CallArguments, CallContext, CallError, CallFailure, CallKind,
    CallSchema, CallTable, CallbackFailure, ChangedFields, Channel, Color, Color32, CommandRefusal,
    CommandSender, ConnectionId, Counter, Decimal, DictionaryChange, DisconnectReason, ElementMut,
    Encoding, EnumNumber, Everyone, FieldRules, FieldSchema, Fixed, FixedString, FixedString32,
    FixedString64, FixedString128, FixedString512, FixedString4096, FixedStringTooLong, Floats,
    GroupTags, Half, HasLifecycle, HasSynchronize, HashKey, HookFailure, HookField, InterestChange,
    InterestChanges, InterestManagement, LayerMask, LifecycleCallback, LifecycleResult, ListChange,
    MAX_BYTES, MAX_STRING_BYTES, MAX_SYNC_VARS, Matrix4x4, MemberSchema, MessageStart, NetId,
    NetRef, NetworkBehaviour, NetworkCalls, NetworkContext, NetworkHash128, NetworkIdentity,
    NetworkLifecycle, NetworkObjects, NetworkObjectsMut, NetworkReader, NetworkSceneId,
    NetworkSerializable, NetworkTime, NetworkWriter, OaDate, Plane, PrefabError, Prefabs,
    Quantized, Quaternion, Ray, Ray2D, ReadError, ReadErrorKind, ReadResultExt, Readers,
    ReceivedEvent, Rect, RefusedCommands, RpcSender, SchemaDifference, SectionHooks, Serializable,
    SetChange, SmallestThree, SortKey, SpatialGrid, SpawnError, SyncCodec, SyncDictionary,
    SyncEvent, SyncField, SyncHashSet, SyncList, SyncMethod, SyncSortedSet, SyncValue, SyncVar,
    Synchronize, SynchronizeError, SynchronizeFailure, Tag, Target, TypeSchema, ValueMut,
    VariantSchema, Vector2, Vector2Int, Vector3, Vector3Int, Vector4, WriteError, WriteErrorKind,
    Writers, ZigZag, dictionary, hash_set,
};

/// What most programs need: `use syncvar::prelude::*;`.
pub mod prelude {
    #[cfg(feature = "derive")]
    pub use syncvar_derive::{
        NetworkBehaviour, SyncValue, client_rpc, command, network_calls, sync_event, target_rpc,
    };
    pub use syncvar_net::{
        ClientEvent, MemoryNetwork, NetworkClient, NetworkContextExt, NetworkServer, ServerEvent,
        SpawnOptions,
    };
    pub use syncvar_runtime::{
        BehaviourRef, BufferSerializer, CallContext, ConnectionId, DictionaryChange, FixedString,
        FixedString32, FixedString64, FixedString128, FixedString512, FixedString4096,
        LifecycleResult, ListChange, NetId, NetRef, NetworkBehaviour, NetworkContext,
        NetworkLifecycle, NetworkSerializable, Prefabs, Serializable, SetChange, SyncDictionary,
        SyncHashSet, SyncList, SyncSortedSet, SyncValue, SyncVar, Synchronize, SynchronizeError,
        Target,
    };
}

/// What the derives name. Not for use by hand; it changes without notice.
#[doc(hidden)]
pub mod __private {
    pub use core::clone::Clone;
    pub use core::cmp::{Eq, Ord};
    pub use core::default::Default;
    pub use core::hash::Hash;
    pub use core::marker::{PhantomData, Send, Sync};
    pub use core::mem::discriminant;
    pub use core::option::Option::{self, None, Some};
    pub use core::result::Result::{self, Err, Ok};
    pub use core::time::Duration;
    pub use std::vec::Vec;
    pub use syncvar_runtime::{
        BehaviourSchema, BufferSerializer, CallContext, CallError, CallSchema, CallTable,
        CommandSender, ConnectionId, DictionaryChange, FieldRules, FieldSchema, HasLifecycle,
        HasSynchronize, HookField, LifecycleCallback, LifecycleResult, ListChange, MemberSchema,
        NetworkBehaviour, NetworkCalls, NetworkContext, NetworkReader, NetworkWriter, NoCalls,
        OwnCalls, ReadError, ReadResultExt, Readers, RpcSender, SetChange, SyncCodec, SyncEvent,
        SyncField, SyncMethod, SyncValue, Synchronize, SynchronizeError, Target, TypeSchema,
        VariantSchema, Writers, assert_calls_known, assert_fits_32_bits,
    };
}
