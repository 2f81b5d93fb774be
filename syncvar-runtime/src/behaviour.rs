//! `NetworkBehaviour`: what the derive implements, and what is called on it.

pub mod context;
mod identity;
pub mod lifecycle;
pub mod synchronize;

pub use context::{CallContext, NetworkContext, NetworkSide, Panicked, Siblings, contain};
pub use identity::{BehaviourRow, NetworkIdentity};
pub use lifecycle::{
    CallbackFailure, HasLifecycle, LifecycleCallback, LifecycleResult, NetworkLifecycle,
};
pub use synchronize::{
    BufferSerializer, HasSynchronize, NetworkSerializable, Serializable, Synchronize,
    SynchronizeError, SynchronizeFailure,
};

use std::any::Any;
use std::any::TypeId;
use std::time::Duration;

use crate::schema::{BehaviourSchema, CallSchema, CallTable, ChangedFields};
use crate::{
    Encoding, NetId, NetworkReader, NetworkWriter, ReadError, ReadErrorKind, WriteErrorKind,
};

/// How the changes of a component travel in Mirror's protocol: its `SyncMethod`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncMethod {
    /// Each change once, on the reliable channel.
    #[default]
    Reliable,
    /// Unreliably, again and again, until a whole state that goes out reliably once a second (a baseline)
    /// has them: for what changes all the time, where the latest value matters and not each of them.
    Hybrid,
}

/// What is wrong with a behaviour that was written by hand and not for Mirror.
const NO_FIELDS: &str =
    "this behaviour has no `write_fields` and `read_fields`, which Mirror's full states need";

/// A piece of an object's state that is kept the same on every client.
///
/// `#[derive(NetworkBehaviour)]` is the usual way; the expansion is plain code that you can read
/// with `cargo expand`. Write the trait by hand where a behaviour needs what the derive does not
/// offer; it is then a full citizen:
///
/// ```
/// use syncvar::*;
///
/// /// Collects shots and sends them three at a time.
/// #[derive(Default)]
/// struct Volley {
///     /// The shots that every observer has.
///     shots: Vec<u32>,
///     /// The shots that wait to be sent.
///     waiting: Vec<u32>,
///     dirty_bits: u64,
/// }
///
/// impl Volley {
///     fn fire(&mut self, shot: u32) {
///         self.waiting.push(shot);
///         self.set_dirty_bit(1);
///     }
/// }
///
/// impl NetworkBehaviour for Volley {
///     type Previous = ();
///     const SCHEMA: BehaviourSchema = BehaviourSchema {
///         name: "Volley",
///         base: None,
///         fields: &[FieldSchema { name: "shots", schema: <Vec<u32> as SyncValue>::SCHEMA }],
///     };
///
///     fn sync_var_dirty_bits(&self) -> u64 {
///         self.dirty_bits
///     }
///     fn set_dirty_bit(&mut self, dirty_bits: u64) {
///         self.dirty_bits |= dirty_bits & Self::SCHEMA.dirty_bits();
///     }
///     fn clear_all_dirty_bits(&mut self) {
///         self.dirty_bits = 0;
///         self.shots.append(&mut self.waiting);
///     }
///     fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
///         if initial_state {
///             // Not those that wait: they will be sent to everyone.
///             writer.write(&self.shots);
///             return true;
///         }
///         // `false` leaves the dirty bits: the shots wait until there are three.
///         let ready = self.waiting.len() >= 3;
///         writer.write_dirty_bits(if ready { self.dirty_bits } else { 0 });
///         if ready {
///             writer.write(&self.waiting);
///         }
///         ready
///     }
///     fn on_deserialize(
///         &mut self,
///         reader: &mut NetworkReader<'_>,
///         initial_state: bool,
///     ) -> Result<(), ReadError> {
///         if initial_state {
///             self.shots = reader.read()?;
///         } else if reader.read_dirty_bits_of::<Self>()? != 0 {
///             self.shots.extend(reader.read::<Vec<u32>>()?);
///         }
///         Ok(())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a behaviour",
    label = "this type does not implement `NetworkBehaviour`",
    note = "write `#[derive(NetworkBehaviour)]` above the struct"
)]
pub trait NetworkBehaviour: Send + Sync + 'static {
    /// What [`on_deserialize`](Self::on_deserialize) hands to
    /// [`call_hooks`](Self::call_hooks): the previous values of the fields that have a hook; `()`
    /// where none has. Also what [`before_change`](Self::before_change) remembers.
    type Previous: Send + Sync + 'static;

    /// Name, fields, their types and order: compared at connect.
    const SCHEMA: BehaviourSchema;

    /// The shortest time between two updates of this behaviour; zero: every server update.
    const SEND_INTERVAL: Duration = Duration::from_millis(100);

    /// The channel its updates travel on.
    const CHANNEL: u8 = 0;

    /// How its changes travel in Mirror's protocol, where the prefab does not say it. The other encodings do
    /// not ask: there it is [`CHANNEL`](Self::CHANNEL).
    const SYNC_METHOD: SyncMethod = SyncMethod::Reliable;

    /// Whether changes that a client has missed are made good by sending the fields again, as they
    /// are then: [`set_dirty_bit`](Self::set_dirty_bit), and what
    /// [`on_serialize`](Self::on_serialize) then writes as a change. That is so where changes are
    /// values, and not where they are operations or differences. A connection with a
    /// `Budget` is sent the full state instead where it is not.
    const RESENDABLE: bool = false;

    /// Whether [`on_lifecycle`](Self::on_lifecycle) is called. If it is not, the life of its object
    /// costs nothing.
    const LIFECYCLE: bool = false;

    /// Whether the bytes of the [`Mirror`](crate::Encoding::Mirror) encoding are made of the two sections
    /// that Mirror's own `OnSerialize` writes: the collections, and then the other fields of each class.
    /// [`write_fields`](Self::write_fields) writes the full state of them then, and
    /// [`on_serialize`](Self::on_serialize) the changes, once for the collections and once for the other
    /// fields: it writes those of [`NetworkWriter::fields`], and
    /// [`write_dirty_bits`](NetworkWriter::write_dirty_bits) once for each class.
    ///
    /// Where this is `false`, every byte is decided by one call of [`on_serialize`](Self::on_serialize) and
    /// [`on_deserialize`](Self::on_deserialize), as by a component of Mirror's that overrides
    /// `OnSerialize`. Such a behaviour can put its bytes around those of another one by
    /// [`NetworkWriter::write_sections`]; it is no base of a derived one. What `on_deserialize` returns goes
    /// to [`call_hooks`](Self::call_hooks), with a full state too.
    ///
    /// ```
    /// use syncvar::*;
    ///
    /// /// Sends a check number behind what another behaviour sends.
    /// struct Checked<B: NetworkBehaviour>(B);
    ///
    /// impl<B: NetworkBehaviour> NetworkBehaviour for Checked<B> {
    ///     type Previous = SectionHooks<B>;
    ///     const SCHEMA: BehaviourSchema = B::SCHEMA;
    ///     const SECTIONS: bool = false;
    ///
    ///     fn sync_var_dirty_bits(&self) -> u64 {
    ///         self.0.sync_var_dirty_bits()
    ///     }
    ///     fn set_dirty_bit(&mut self, dirty_bits: u64) {
    ///         self.0.set_dirty_bit(dirty_bits);
    ///     }
    ///     fn clear_all_dirty_bits(&mut self) {
    ///         self.0.clear_all_dirty_bits();
    ///     }
    ///     fn set_observed(&mut self, observed: bool) {
    ///         self.0.set_observed(observed);
    ///     }
    ///     fn set_verbatim(&mut self, verbatim: bool, promised: usize) {
    ///         self.0.set_verbatim(verbatim, promised);
    ///     }
    ///     fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
    ///         let written = writer.write_sections(&mut self.0, initial_state);
    ///         writer.write_u16(0xbeef);
    ///         written
    ///     }
    ///     fn on_deserialize(
    ///         &mut self,
    ///         reader: &mut NetworkReader<'_>,
    ///         initial_state: bool,
    ///     ) -> Result<SectionHooks<B>, ReadError> {
    ///         let hooks = reader.read_sections(&mut self.0, initial_state)?;
    ///         match reader.read_u16()? {
    ///             0xbeef => Ok(hooks),
    ///             _ => Err(reader.error(ReadErrorKind::Custom("not the check number"))),
    ///         }
    ///     }
    ///     fn call_hooks(&mut self, previous: SectionHooks<B>) {
    ///         previous.call(&mut self.0);
    ///     }
    /// }
    /// ```
    const SECTIONS: bool = true;

    /// The fields marked `initial_hook`, as dirty bits. Their hooks are told of what they are when a client
    /// meets an object, if they are not what its prefab makes them: see
    /// [`remember_for_hooks`](Self::remember_for_hooks).
    const INITIAL_HOOKS: u64 = 0;

    /// Whether [`synchronize`](Self::synchronize) is called; both ends compare it at connect.
    const SYNCHRONIZE: bool = false;

    /// The remote calls that it has, those of its bases first: see `#[network_calls]`. None, unless
    /// the derive finds some.
    const CALLS: CallTable = CallTable::of::<Self>(&[]);

    /// Bit *i* is set when field *i* has a change to send, the fields of bases first.
    fn sync_var_dirty_bits(&self) -> u64;

    /// Makes every field dirty whose bit is set: its value will be sent again. A bit that belongs
    /// to no field is ignored.
    fn set_dirty_bit(&mut self, dirty_bits: u64);

    /// Counts every change as made: all who observe the object have it, or nobody observes it.
    fn clear_all_dirty_bits(&mut self);

    /// As [`clear_all_dirty_bits`](Self::clear_all_dirty_bits), for the fields whose bits are set. What
    /// others have to send must stay pending. By default these are set dirty once more, so that they
    /// are sent whole; the derive does better.
    fn clear_dirty_bits(&mut self, dirty_bits: u64) {
        let pending = self.sync_var_dirty_bits() & !dirty_bits;
        self.clear_all_dirty_bits();
        if pending != 0 {
            self.set_dirty_bit(pending);
        }
    }

    /// Makes those fields dirty that were made since the last
    /// [`clear_all_dirty_bits`](Self::clear_all_dirty_bits): they have taken the place of others, as
    /// in `player.health = 5.into()`. The server calls it when it gets the behaviour back. A behaviour
    /// written by hand that holds [`SyncField`](crate::SyncField)s passes it on to each of them.
    fn notice_replacements(&mut self) {}

    /// Whether anybody observes the object, as far as the server knows: see
    /// [`SyncField::set_observed`](crate::SyncField::set_observed). A behaviour written by hand that
    /// holds [`SyncField`](crate::SyncField)s passes it on to each of them.
    fn set_observed(&mut self, observed: bool) {
        let _ = observed;
    }

    /// Whether collections keep every operation as it was made, one after another, instead of what they
    /// come to: Mirror's protocol sends them so. Full states have promised `promised` operations at most
    /// that have not been sent yet. A behaviour written by hand that holds
    /// [`SyncField`](crate::SyncField)s passes it on to each of them.
    fn set_verbatim(&mut self, verbatim: bool, promised: usize) {
        let _ = (verbatim, promised);
    }

    /// Remembers those clean fields of which a write is not always a change to send: a value that
    /// travels in steps has to move by one. The server calls it before it lends the behaviour for
    /// writing, and passes what is returned to [`withdraw_changes`](Self::withdraw_changes).
    ///
    /// The derive writes both methods where a field has a [codec](crate::SyncCodec); a behaviour
    /// without such fields has nothing to remember.
    fn before_change(&self) -> Option<Self::Previous> {
        None
    }

    /// Makes those fields clean again that have become dirty since
    /// [`before_change`](Self::before_change) and are, as they travel, what they were then. The
    /// server calls it when it gets the behaviour back, after
    /// [`notice_replacements`](Self::notice_replacements). A field that was told to be dirty, by
    /// [`set_dirty_bit`](Self::set_dirty_bit), stays so.
    fn withdraw_changes(&mut self, before: Self::Previous) {
        drop(before);
    }

    /// Writes the fields whose bits are set, each as it is in a full state, the fields of bases first. Bits
    /// that belong to no field are ignored.
    ///
    /// In the `Mirror` encoding full states are written so. A server and a client of this crate use it to
    /// see whether a field has changed that the owner of the object may write, or that has a threshold, and
    /// to put back what it was. So a behaviour written by hand has to write all its fields in order to be
    /// used with Mirror, unless it has no [`SECTIONS`](Self::SECTIONS); otherwise those with
    /// [`FieldRules`](crate::FieldRules) like these are enough.
    fn write_fields(&self, writer: &mut NetworkWriter, fields: u64) {
        if writer.encoding() == Encoding::Mirror && fields & Self::SCHEMA.dirty_bits() != 0 {
            writer.fail(WriteErrorKind::Custom(NO_FIELDS));
        }
    }

    /// Reads what [`write_fields`](Self::write_fields) wrote for the same fields. No field is dirty
    /// because of it.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit.
    fn read_fields(
        &mut self,
        reader: &mut NetworkReader<'_>,
        fields: u64,
    ) -> Result<(), ReadError> {
        if reader.encoding() == Encoding::Mirror && fields & Self::SCHEMA.dirty_bits() != 0 {
            return Err(reader.error(ReadErrorKind::Custom(NO_FIELDS)));
        }
        Ok(())
    }

    /// Whether a field with a [threshold](crate::FieldRules::threshold) is so different from what was
    /// last sent that it is to be sent; `last_sent` has what [`write_fields`](Self::write_fields) wrote
    /// then.
    fn is_beyond_threshold(&self, last_sent: &mut NetworkReader<'_>, field: u64) -> bool {
        let _ = (last_sent, field);
        true
    }

    /// Writes the whole state (`initial_state`), or the dirty mask and the changed fields.
    ///
    /// A behaviour that has [`FieldRules`](crate::FieldRules) in its schema writes, of the fields that
    /// are dirty, only those in [`NetworkWriter::fields`], and of a full state only what its reader may
    /// have: it begins with [`NetworkWriter::write_for_owner`]. So does, as to changes, a behaviour that has
    /// collections and is used with Mirror, where a full state is not written by this: see
    /// [`SECTIONS`](Self::SECTIONS).
    ///
    /// With `initial_state` it writes what those who already observe have, so that the changes that
    /// follow are right for everyone. Before a full state the server has the changes written,
    /// without waiting for the send interval: those for which this returns `true` are in the full
    /// state too. Those for which it returns `false` stay pending, and must not be in it: whoever
    /// is given them with the full state would be given them again. (The collections of this library
    /// may be in it as they are: one that has something pending then is sent whole the next time.)
    /// Before the first full state of an object, which nobody observes, everything pending is
    /// cleared. What is returned with `initial_state` does not count.
    ///
    /// Without it, this is called for every behaviour of an object and channel that has a change
    /// to send. Returning `true` clears the dirty bits; `false` leaves them, and if no behaviour of
    /// the object returns `true`, nothing is sent. If another one does, what was written here
    /// travels with it, and must read as no change.
    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool;

    /// Reads what [`on_serialize`](Self::on_serialize) wrote, and returns what the hooks will need.
    ///
    /// A full state replaces what is there: a client that could not read an object is sent it
    /// again. Reading the mask of a change by
    /// [`read_dirty_bits_of`](NetworkReader::read_dirty_bits_of) or
    /// [`read_dirty_bits`](NetworkReader::read_dirty_bits) is what makes
    /// `ClientEvent::Changed`: a behaviour that reads its changes in
    /// another way gives no such event.
    ///
    /// # Errors
    ///
    /// When the bytes do not fit; the client then asks for the whole object again.
    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> Result<Self::Previous, ReadError>;

    /// Something has happened to the object. `#[network_behaviour(lifecycle)]` passes it on to
    /// [`NetworkLifecycle`], by [`LifecycleCallback::call`]; a behaviour
    /// written by hand may do that too, or look at the callback itself. Only called where
    /// [`LIFECYCLE`](Self::LIFECYCLE) is `true`.
    ///
    /// # Errors
    ///
    /// Whatever went wrong; it is reported, and changes nothing else.
    fn on_lifecycle(
        &mut self,
        callback: LifecycleCallback,
        ctx: &mut NetworkContext<'_>,
    ) -> LifecycleResult {
        let _ = (callback, ctx);
        Ok(())
    }

    /// Writes or reads data beside the fields, with the full state of the object.
    /// `#[network_behaviour(synchronize)]` passes it on to [`Synchronize`]; a
    /// behaviour written by hand may do that too. Only called where
    /// [`SYNCHRONIZE`](Self::SYNCHRONIZE) is `true`.
    ///
    /// # Errors
    ///
    /// As [`Synchronize::on_synchronize`].
    fn synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        let _ = serializer;
        Ok(())
    }

    /// Calls the hooks of the fields that have changed. Runs after all behaviours of the object
    /// have been read; for an initial state only those that
    /// [`INITIAL_HOOKS`](Self::INITIAL_HOOKS) has. A panic is reported as
    /// `ClientEvent::HookFailed`, where `Previous` is not empty.
    fn call_hooks(&mut self, previous: Self::Previous) {
        drop(previous);
    }

    /// What these fields are now, those of them that have a hook. What is returned goes to
    /// [`changed_since`](Self::changed_since).
    ///
    /// A server with a local client calls it before it lends the behaviour for writing, once between two
    /// updates: see `NetworkServer::connect_local`. A client calls it
    /// for [`INITIAL_HOOKS`](Self::INITIAL_HOOKS), on an object just as its prefab makes it, when it has the
    /// first state of such an object, and calls the hooks of those that are different then, before
    /// `ClientEvent::Spawned`. In the `Mirror` encoding it is called before
    /// each full state is read.
    ///
    /// The derive writes both methods where a field has a hook. A behaviour written by hand has no hooks
    /// in these places unless it has them too.
    fn remember_for_hooks(&self, fields: u64) -> Option<Self::Previous> {
        let _ = fields;
        None
    }

    /// Makes of what was remembered what [`call_hooks`](Self::call_hooks) is to be given: the previous
    /// values of those fields that are different now. Returns their bits; if there are none, no hook is
    /// called.
    fn changed_since(&self, previous: &mut Self::Previous) -> u64 {
        let _ = previous;
        0
    }

    /// Reads the arguments of one of [`CALLS`](Self::CALLS), and calls it.
    ///
    /// # Errors
    ///
    /// When there is no such call, the arguments cannot be read, or bytes are left over: nothing is
    /// called then.
    fn handle_call(
        &mut self,
        call: u32,
        reader: &mut NetworkReader<'_>,
        context: &mut CallContext<'_>,
    ) -> Result<(), ReadError> {
        let _ = context;
        Err(reader.unknown_call(call))
    }
}

/// What the derive writes around a field marked `#[network_behaviour(base)]`.
impl NetworkWriter {
    /// What is written next is the base of a class with these dirty bits: UNet repeats the whole
    /// mask, that of the derived class, at every level. Returns what
    /// [`leave_base`](Self::leave_base) wants.
    pub fn enter_base(&mut self, dirty_bits: u64) -> u64 {
        self.replace_derived_bits(|outer| outer | dirty_bits)
    }

    /// The base has been written.
    pub fn leave_base(&mut self, outer: u64) {
        self.replace_derived_bits(|_| outer);
    }
}

impl NetworkReader<'_> {
    /// The dirty mask of a behaviour; see [`read_dirty_bits`](Self::read_dirty_bits).
    ///
    /// # Errors
    ///
    /// When the message ends too early, and when a bit belongs to no field of `B`.
    pub fn read_dirty_bits_of<B: NetworkBehaviour>(&mut self) -> Result<u64, ReadError> {
        self.read_dirty_bits(const { B::SCHEMA.dirty_bits() })
    }

    /// What is read next is the base of `D`, in whose mask the bits of `D` may stand too. Returns
    /// what [`leave_base`](Self::leave_base) wants.
    pub fn enter_base<D: NetworkBehaviour>(&mut self) -> u64 {
        self.replace_derived_bits(|outer| outer | const { D::SCHEMA.dirty_bits() })
    }

    /// The base has been read.
    pub fn leave_base(&mut self, outer: u64) {
        self.replace_derived_bits(|_| outer);
    }
}

/// A behaviour, for finding out its type.
pub trait AnyBehaviour: Any + Send + Sync {}

impl<B: NetworkBehaviour> AnyBehaviour for B {}

impl CallTable {
    /// The calls of a behaviour without a base.
    pub const fn of<B: NetworkBehaviour + ?Sized>(own: &'static [CallSchema]) -> Self {
        Self::new(TypeId::of::<B>(), B::SCHEMA.name, own)
    }
}

/// A hook that panicked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HookFailure {
    /// The object.
    pub object: NetId,
    /// The fields of the behaviour that have been received; the hook is that of one of them. On a host,
    /// those that have changed.
    pub fields: ChangedFields,
    /// What the panic said.
    pub message: String,
}

impl HookFailure {
    /// A panic with this message, which is logged too.
    pub fn new(object: NetId, fields: ChangedFields, message: String) -> Self {
        tracing::error!(%object, behaviour = fields.behaviour(), message, "a hook panicked");
        Self {
            object,
            fields,
            message,
        }
    }
}
