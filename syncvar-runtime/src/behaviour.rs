//! `NetworkBehaviour`: the trait that the derive implements.

mod any;
mod assign;
mod callback;
mod check;
pub mod context;
mod fields;
mod frame;
pub mod hook;
mod identity;
mod info;
mod inherited;
pub mod lifecycle;
mod lineage;
mod optional;
pub mod synchronize;
mod visitors;
mod visits;

pub(crate) use any::PresencePlace;
pub use any::{AnyBehaviour, InnerBehaviour};
pub use assign::{Assign, Taken};
pub use callback::OnFrame;
pub use check::{AnyCheck, Check, CheckFunction, CheckWrites, WithTime};
pub(crate) use context::WithoutSiblings;
pub use context::{CallContext, NetworkContext, NetworkSide, Panicked, Siblings, contain};
pub use fields::BehaviourFields;
pub use frame::{
    Frame, FrameCall, FrameRequests, FrameRole, FrameTime, MessageTime, NetworkFrame, SyncSettings,
};
pub use identity::{BehaviourRow, NetworkIdentity};
pub use info::{Arrival, BehaviourInfo, Delivery, Presence};
pub(crate) use inherited::{accepts, handle_call, on_lifecycle, show, synchronize};
pub use lifecycle::{
    CallbackFailure, HasLifecycle, LifecycleCallback, LifecycleResult, NetworkLifecycle,
};
pub use optional::{Optional, PreviousOptional};
pub use synchronize::{
    BufferSerializer, HasSynchronize, NetworkSerializable, Serializable, Synchronize,
    SynchronizeError, SynchronizeFailure,
};

use std::any::TypeId;

use crate::schema::{BehaviourClass, BehaviourSchema, CallSchema, CallTable, ChangedFields};
use crate::{NetId, NetworkReader, NetworkWriter, ReadResult, SyncField};

/// A part of an object's state that every client keeps equal to the server's.
///
/// `#[derive(NetworkBehaviour)]` implements it in plain code, which `cargo expand` shows. Implement
/// the trait by hand for a behaviour that the derive does not offer. The four required items are
/// enough:
///
/// ```
/// use syncvar::{NetworkBehaviour, prelude::*, behaviour::FieldVisitor, schema::{BehaviourSchema, FieldSchema}};
///
/// struct Quiver {
///     arrows: SyncList<u8>,
/// }
///
/// impl NetworkBehaviour for Quiver {
///     type Previous = ();
///     const SCHEMA: BehaviourSchema = BehaviourSchema {
///         name: "Quiver",
///         base: None,
///         fields: &[FieldSchema::of::<SyncList<u8>>("arrows")],
///     };
///     fn sync_var_dirty_bits(&self) -> u64 {
///         u64::from(self.arrows.is_dirty())
///     }
///     fn visit(&mut self, _: &mut (), visitor: &mut impl FieldVisitor) {
///         visitor.field(1, "Quiver.arrows", &mut self.arrows);
///     }
/// }
/// ```
///
/// A class with its own format overrides [`on_serialize`](Self::on_serialize) and
/// [`on_deserialize`](Self::on_deserialize), always both:
///
/// ```
/// use syncvar::{NetworkBehaviour, SyncField, SyncValue, prelude::*, behaviour::FieldVisitor, schema::{BehaviourSchema, FieldSchema, TypeSchema}, wire::{NetworkReader, NetworkWriter, ReadError}};
///
/// /// Sends its shots three at a time.
/// #[derive(Default)]
/// struct Volley {
///     shots: Shots,
/// }
///
/// #[derive(Default)]
/// struct Shots {
///     /// Shots that every observer has.
///     sent: Vec<u32>,
///     /// Shots that the next delta sends.
///     pending: Vec<u32>,
///     forced: bool,
/// }
///
/// impl SyncField for Shots {
///     const SCHEMA: TypeSchema = <Vec<u32> as SyncValue>::SCHEMA;
///
///     fn is_dirty(&self) -> bool {
///         self.forced || !self.pending.is_empty()
///     }
///     fn set_dirty(&mut self) {
///         self.forced = true;
///     }
///     fn clear_dirty(&mut self) {
///         self.forced = false;
///         self.sent.append(&mut self.pending);
///     }
///     fn write_full(&self, writer: &mut NetworkWriter) {
///         // Without the pending shots: a delta will send them to every observer.
///         writer.write(&self.sent);
///     }
///     fn write_delta(&self, writer: &mut NetworkWriter) {
///         writer.write(&self.pending);
///     }
///     fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
///         self.sent = reader.read()?;
///         Ok(())
///     }
///     fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
///         self.sent.extend(reader.read::<Vec<u32>>()?);
///         Ok(())
///     }
/// }
///
/// impl NetworkBehaviour for Volley {
///     type Previous = ();
///     const SCHEMA: BehaviourSchema = BehaviourSchema {
///         name: "Volley",
///         base: None,
///         fields: &[FieldSchema::of::<Shots>("shots")],
///     };
///     fn sync_var_dirty_bits(&self) -> u64 {
///         u64::from(self.shots.is_dirty())
///     }
///     fn visit(&mut self, _: &mut (), visitor: &mut impl FieldVisitor) {
///         visitor.field(1, "Volley.shots", &mut self.shots);
///     }
///     fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
///         if initial_state {
///             self.shots.write_full(writer);
///             return true;
///         }
///         // `false` keeps the dirty bit: the shots wait until there are three.
///         let ready = self.shots.pending.len() >= 3;
///         writer.write_dirty_bits(u64::from(ready));
///         if ready {
///             self.shots.write_delta(writer);
///         }
///         ready
///     }
///     fn on_deserialize(
///         &mut self,
///         reader: &mut NetworkReader<'_>,
///         initial_state: bool,
///     ) -> Result<(), ReadError> {
///         if initial_state {
///             self.shots.read_full(reader)
///         } else if reader.read_dirty_bits_of::<Self>()? != 0 {
///             self.shots.read_delta(reader)
///         } else {
///             Ok(())
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a behaviour",
    label = "this type does not implement `NetworkBehaviour`",
    note = "write `#[derive(NetworkBehaviour)]` above the struct"
)]
pub trait NetworkBehaviour: Sized + Send + Sync + 'static {
    /// Previous values of the fields with a hook or a codec, and of the base; `()` without any.
    type Previous: Default + Send + Sync + 'static;

    /// Name, base and fields: types, policies, [`resendable`](crate::FieldSchema::resendable),
    /// [`initial_hook`](crate::FieldSchema::initial_hook). Both ends compare it at connect.
    const SCHEMA: BehaviourSchema;

    /// Settings, remote calls, lifecycle and synchronisation callbacks.
    const INFO: BehaviourInfo = BehaviourInfo::DEFAULT;

    /// Returns bit *i* for a field *i* with a change to send, the fields of bases first.
    fn sync_var_dirty_bits(&self) -> u64;

    /// Shows the base, and then each field with its dirty bit and its name, to a visitor.
    ///
    /// [`BehaviourFields`] and the default methods reach the fields through it. A field that it
    /// omits stays dirty for ever.
    fn visit(&mut self, previous: &mut Self::Previous, visitor: &mut impl FieldVisitor);

    /// Shows itself to a visitor as the base of a derived behaviour.
    #[inline]
    fn visit_as_base(&mut self, previous: &mut Self::Previous, visitor: &mut impl FieldVisitor) {
        visitor.base(self, previous);
    }

    /// Makes fields come or go, so that [`visit`](Self::visit) shows the fields of a given value of the
    /// class. Returns the bits that became dirty. [`Assign`] calls it with the fields to take over, before
    /// it takes them one by one. Only a class whose fields come and go needs it, as [`Optional`].
    fn align(&mut self, from: &Self, fields: u64) -> u64 {
        let _ = (from, fields);
        0
    }

    /// Writes the snapshot (`initial_state`), or the dirty mask and the changed fields.
    ///
    /// A delta writes only the dirty fields in [`NetworkWriter::fields`]. The snapshot of a class
    /// with fields for some readers only begins with [`NetworkWriter::write_for_owner`].
    ///
    /// A snapshot holds the state of the present observers, so that later deltas are right for all.
    /// The server sends pending deltas before it writes a snapshot, regardless of the send interval.
    /// If that delta returns `true`, its changes are in the snapshot; if it returns `false`, they stay
    /// pending and must not be in the snapshot, or the new observer would receive them twice. (A
    /// collection of this library is exempt: with pending operations it is sent whole next.) An
    /// object without observers clears its pending changes first. The result of a snapshot is
    /// ignored.
    ///
    /// A delta is written for each behaviour of an object and channel that has a change to send.
    /// `true` clears the dirty bits, `false` keeps them. If all behaviours return `false`, the object
    /// sends no message; otherwise the bytes of such a behaviour travel too, and must read as no
    /// change.
    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        visits::serialize(self, writer, initial_state)
    }

    /// Reads the bytes of [`on_serialize`](Self::on_serialize); returns the previous values for the
    /// hooks.
    ///
    /// A snapshot replaces the present state: a client that failed to read an object receives its
    /// snapshot again. `ClientEvent::Changed` names the fields of the
    /// masks that [`read_dirty_bits_of`](NetworkReader::read_dirty_bits_of) has read.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit; the client then requests the snapshot.
    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> ReadResult<Self::Previous> {
        visits::deserialize(self, reader, initial_state)
    }

    /// Calls the hooks of the changed fields, after all behaviours of the object have been read.
    ///
    /// For a snapshot only the hooks marked
    /// [`initial_hook`](crate::FieldSchema::initial_hook) run. A panic becomes
    /// `ClientEvent::HookFailed`, unless `Previous` is empty.
    ///
    /// The context is [detached](NetworkContext::detached) unless [`INFO`](Self::INFO) has
    /// [`context_hooks`](BehaviourInfo::context_hooks()).
    fn call_hooks(&mut self, previous: Self::Previous, ctx: &mut NetworkContext<'_>) {
        let _ = (previous, ctx);
    }
}

/// An operation on the fields of a behaviour.
pub trait FieldVisitor: Sized {
    /// Visits one field.
    fn field<A: SyncField>(&mut self, bit: u64, name: &'static str, field: A);

    /// Visits the base; by default all its fields.
    #[inline]
    fn base<B: NetworkBehaviour>(&mut self, base: &mut B, previous: &mut B::Previous) {
        base.visit(previous, self);
    }
}

impl NetworkReader<'_> {
    /// Reads the dirty mask of a behaviour; see [`read_dirty_bits`](Self::read_dirty_bits).
    ///
    /// # Errors
    ///
    /// When the message ends too early, and when a bit belongs to no field of `B`.
    pub fn read_dirty_bits_of<B: NetworkBehaviour>(&mut self) -> ReadResult<u64> {
        self.read_dirty_bits(const { B::SCHEMA.dirty_bits() })
    }

    /// Reads the base of `D`, by its `on_deserialize`. Its mask may contain the fields of `D`.
    ///
    /// # Errors
    ///
    /// When `on_deserialize` fails.
    #[inline]
    pub fn read_base<D: NetworkBehaviour, B, P>(
        &mut self,
        base: &mut B,
        initial_state: bool,
        on_deserialize: impl FnOnce(&mut B, &mut Self, bool) -> ReadResult<P>,
    ) -> ReadResult<P> {
        self.with_derived_bits(const { D::SCHEMA.dirty_bits() }, |reader| {
            on_deserialize(base, reader, initial_state)
        })
    }
}

impl CallTable {
    /// Returns the calls of a class without a base.
    pub(crate) const fn of<B: NetworkBehaviour>(own: &'static [CallSchema]) -> Self {
        Self::new(TypeId::of::<B>(), B::SCHEMA.name, own)
    }
}

impl BehaviourClass {
    /// Returns the identity of a behaviour.
    pub const fn of<B: NetworkBehaviour>() -> &'static Self {
        const {
            &Self {
                id: TypeId::of::<B>(),
                schema: B::SCHEMA,
            }
        }
    }
}

/// A hook that panicked.
///
/// ```
/// use syncvar::prelude::*;
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Door {
///     #[sync_var(hook = on_open_changed)]
///     open: SyncVar<bool>,
/// }
///
/// impl Door {
///     fn on_open_changed(&mut self, _previous: bool) {
///         panic!("no sound");
///     }
/// }
///
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Door>("door"));
/// let door = net.server.spawn(Door::default());
/// net.settle();
/// net.server.get_mut::<Door>(door).unwrap().open.set(true);
/// net.settle();
/// let failure = std::iter::from_fn(|| net.client_mut(0).poll_event()).find_map(|event| match event {
///     ClientEvent::HookFailed(failure) => Some(failure),
///     _ => None,
/// });
/// assert_eq!(failure.unwrap().message, "no sound");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HookFailure {
    /// The object.
    pub object: NetId,
    /// Received fields of the behaviour, including the hook's field. On a host, the changed fields.
    pub fields: ChangedFields,
    /// Message of the panic.
    pub message: String,
}

impl HookFailure {
    /// Describes and logs a panic with this message.
    pub fn new(object: NetId, fields: ChangedFields, message: String) -> Self {
        tracing::error!(%object, behaviour = fields.behaviour(), message, "a hook panicked");
        Self {
            object,
            fields,
            message,
        }
    }
}
