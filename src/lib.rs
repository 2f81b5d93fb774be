#![doc = include_str!("../README.md")]
#![warn(clippy::print_stdout)]

#[cfg(feature = "derive")]
pub use syncvar_derive::{
    NetworkBehaviour, SyncValue, client_rpc, command, network_calls, sync_event, target_rpc,
};
#[cfg(feature = "tcp")]
pub use syncvar_tcp as tcp;

#[cfg(feature = "serde")]
pub use syncvar_runtime::Postcard;
pub use syncvar_runtime::{
    Area, BehaviourList, BehaviourMut, BehaviourSchema, BehaviourSet, BehaviourStats, Behaviours,
    Bits, Budget, CallArguments, CallContext, CallError, CallFailure, CallKind, CallSchema,
    CallTable, ChangedFields, Channel, ClientConfig, ClientEvent, ClientPacket, ClientState, Color,
    Color32, CommandRefusal, CommandSender, ConnectionId, Counter, Decimal, Dialect,
    DictionaryChange, DisconnectReason, ElementMut, Everyone, FieldSchema, Fixed, FixedString,
    FixedString32, FixedString64, FixedString128, FixedString512, FixedString4096,
    FixedStringTooLong, Floats, GroupTags, Half, HashKey, HookField, InterestChange,
    InterestChanges, InterestManagement, Link, ListChange, ListError, ListHash, ListOperation,
    MAX_BYTES, MAX_STRING_BYTES, MAX_SYNC_VARS, Matrix4x4, MemberSchema, MemoryNetwork,
    MessageStart, MessageType, NetId, NetworkBehaviour, NetworkCalls, NetworkClient,
    NetworkContext, NetworkHash128, NetworkIdentity, NetworkReader, NetworkSceneId, NetworkServer,
    NetworkWriter, PacketError, Plane, Prefabs, Quantized, Quaternion, Ray, ReadError,
    ReadErrorKind, ReadResultExt, ReceivedEvent, Rect, RefusedCommands, RpcSender,
    SchemaDifference, ServerConfig, ServerEvent, SetChange, SmallestThree, SortKey, SpatialGrid,
    SpawnError, SpawnFailure, SpawnOptions, Stats, SyncCodec, SyncDictionary, SyncEvent, SyncField,
    SyncHashSet, SyncList, SyncListMessage, SyncSortedSet, SyncValue, SyncVar, Tag, Target,
    Transmit, TypeSchema, ValueMut, VariantSchema, Vector2, Vector3, Vector4, WriteError,
    WriteErrorKind, ZigZag, dictionary, hash_set,
};

/// What most programs need: `use syncvar::prelude::*;`.
pub mod prelude {
    #[cfg(feature = "derive")]
    pub use syncvar_derive::{
        NetworkBehaviour, SyncValue, client_rpc, command, network_calls, sync_event, target_rpc,
    };
    pub use syncvar_runtime::{
        CallContext, ClientEvent, ConnectionId, DictionaryChange, FixedString, FixedString32,
        FixedString64, FixedString128, FixedString512, FixedString4096, ListChange, MemoryNetwork,
        NetId, NetworkBehaviour, NetworkClient, NetworkServer, Prefabs, ServerEvent, SetChange,
        SpawnOptions, SyncDictionary, SyncHashSet, SyncList, SyncSortedSet, SyncValue, SyncVar,
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
        BehaviourSchema, CallContext, CallError, CallSchema, CallTable, CommandSender,
        ConnectionId, DictionaryChange, FieldSchema, HookField, ListChange, MemberSchema,
        NetworkBehaviour, NetworkCalls, NetworkReader, NetworkWriter, NoCalls, OwnCalls, ReadError,
        ReadResultExt, RpcSender, SetChange, SyncCodec, SyncEvent, SyncField, SyncValue, Target,
        TypeSchema, VariantSchema, assert_calls_known, assert_fits_32_bits,
    };
}
