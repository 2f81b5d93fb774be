//! `Optional`: a behaviour that objects may lack.

use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use super::any::{InnerBehaviour, InnerMut, PresencePlace};
use super::info::{BehaviourInfo, Presence};
use super::{
    Assign, BehaviourFields, FieldVisitor, LifecycleCallback, NetworkBehaviour, NetworkContext,
    on_lifecycle,
};
use crate::schema::{BehaviourSchema, FieldBit, FieldSchema, Inherits};
use crate::{
    DeserializeContext, NetworkReader, NetworkWriter, ReadResult, ReadResultExt, SyncField, SyncVar,
};

/// A behaviour that comes and goes on a spawned object. It has a place in the prefab's tuple, and is
/// absent by default.
///
/// ```
/// use syncvar::{behaviour::Optional, prelude::*};
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Player {
///     #[sync_var]
///     health: SyncVar<i32>,
/// }
///
/// #[derive(NetworkBehaviour, Default)]
/// struct Burning {
///     #[sync_var]
///     until: SyncVar<u32>,
/// }
///
/// type Burns = Optional<Burning>;
/// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<(Player, Burns)>("player"));
/// let id = net.server.spawn((Player::default(), Burns::default()));
/// net.settle();
/// assert!(net.client(0).get::<Burns>(id).unwrap().is_none());
///
/// net.server.get_mut::<Burns>(id).unwrap().set(Some(Burning { until: 30.into() }));
/// net.settle();
/// // While it is present, it is reached by its own type, too.
/// assert_eq!(net.client(0).get::<Burning>(id).unwrap().until, 30);
///
/// net.server.get_mut::<Burns>(id).unwrap().take();
/// net.settle();
/// assert!(net.client(0).get::<Burns>(id).unwrap().is_none());
/// ```
///
/// # On clients
///
/// * `ClientEvent::Changed` names the field `present`, and the fields of a new behaviour.
/// * The hooks of a new behaviour run for the fields that differ from its default.
/// * [`NetworkLifecycle`](crate::NetworkLifecycle): the spawn callbacks run for a new behaviour, before
///   its hooks, and `on_network_despawn` for a removed behaviour. On the server and on a host, `set` and `take`
///   run no callback.
/// * Calls to an absent behaviour are dropped.
/// * A removal and a return within one update are a change of the fields.
/// * A field that the owner writes keeps the owner's value on the owner's client after a return within one update, or before
///   the client has learned of the removal. The next write of the owner ends the difference.
///
/// # Limits
///
/// `B` has at most 63 fields, no data of [`Synchronize`](crate::Synchronize), which travels with the snapshot of
/// an object only, and no layout of its own. Otherwise the registration does not
/// compile. Mirror's components cannot come and go: its prefabs refuse the type.
///
/// A new behaviour is sent with all fields at once, regardless of their intervals and thresholds, and with those
/// marked `initial_only`.
pub struct Optional<B> {
    value: Option<B>,
    /// `value.is_some()`, as known to the observers.
    present: SyncVar<bool>,
}

/// Previous values of an [`Optional`], for its hooks.
pub struct PreviousOptional<B: NetworkBehaviour> {
    /// Previous values of the behaviour.
    pub behaviour: B::Previous,
    /// Set if the behaviour is new.
    pub added: bool,
    /// The removed behaviour. Boxed, because each object has the memory for the previous values.
    pub removed: Option<Box<B>>,
}

impl<B: NetworkBehaviour> Optional<B> {
    /// Constant of the field `present`.
    pub const PRESENT: FieldBit<Self> = FieldBit::new(B::SCHEMA.bit_after(0));

    /// Adds, replaces or removes the behaviour. In a present behaviour only fields that differ become dirty, as
    /// by [`Assign::assign`].
    pub fn set(&mut self, value: Option<B>) {
        match (&mut self.value, value) {
            (Some(present), Some(value)) => present.assign(value),
            (None, Some(mut value)) => {
                // Clients begin with the default.
                value.set_dirty_bit(u64::MAX);
                self.value = Some(value);
                *self.present = true;
            }
            (_, None) => drop(self.take()),
        }
    }

    /// Removes and returns the behaviour.
    pub fn take(&mut self) -> Option<B> {
        if self.value.is_some() {
            *self.present = false;
        }
        self.value.take()
    }

    /// Returns the behaviour for writing.
    pub fn as_mut(&mut self) -> Option<&mut B> {
        self.value.as_mut()
    }
}

impl<B: NetworkBehaviour + Default> Optional<B> {
    const INNER: InnerBehaviour = InnerBehaviour {
        id: TypeId::of::<B>(),
        get: |optional| {
            let value = optional.downcast_ref::<Self>()?.value.as_ref()?;
            Some(value)
        },
        get_mut: |optional| {
            let Self { value, present } = optional.downcast_mut()?;
            Some(InnerMut {
                behaviour: value.as_mut()?,
                presence: PresencePlace {
                    place: present.place_mut()?,
                    bit: Self::PRESENT.bit(),
                },
            })
        },
        add: |optional| {
            if let Some(optional) = optional.downcast_mut::<Self>() {
                optional.set(Some(B::default()));
            }
        },
    };
}

impl<B> Optional<B> {
    /// An absent behaviour.
    pub(crate) const ABSENT: Self = Self {
        value: None,
        present: SyncVar::new(false),
    };
}

impl<B> Deref for Optional<B> {
    type Target = Option<B>;

    fn deref(&self) -> &Option<B> {
        &self.value
    }
}

impl<B> Default for Optional<B> {
    fn default() -> Self {
        Self::from(None)
    }
}

impl<B> From<Option<B>> for Optional<B> {
    fn from(value: Option<B>) -> Self {
        let present = SyncVar::new(value.is_some());
        Self { value, present }
    }
}

impl<B: Clone> Clone for Optional<B> {
    fn clone(&self) -> Self {
        Self::from(self.value.clone())
    }
}

impl<B: PartialEq> PartialEq for Optional<B> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<B: fmt::Debug> fmt::Debug for Optional<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<B: NetworkBehaviour> Default for PreviousOptional<B> {
    fn default() -> Self {
        Self {
            behaviour: B::Previous::default(),
            added: false,
            removed: None,
        }
    }
}

impl<B: NetworkBehaviour> fmt::Debug for PreviousOptional<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreviousOptional")
            .field("added", &self.added)
            .field("removed", &self.removed.is_some())
            .finish_non_exhaustive()
    }
}

impl<B> Inherits<B> for Optional<B> {}

impl<B: NetworkBehaviour + Default> NetworkBehaviour for Optional<B> {
    type Previous = PreviousOptional<B>;

    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: OptionalName::<B>::NAME,
        base: Some(&B::SCHEMA),
        fields: &[FieldSchema::of::<SyncVar<bool>>("present")],
    };

    const INFO: BehaviourInfo = {
        assert!(
            !B::INFO.has_synchronize() && !B::INFO.own_layout,
            "a behaviour with `synchronize` or a layout of its own cannot be optional"
        );
        let info = BehaviourInfo {
            calls: crate::schema::CallTable::NONE,
            context_hooks: B::INFO.context_hooks || B::INFO.has_lifecycle(),
            presence: Presence::Optional,
            inner: Some(&Self::INNER),
            ..BehaviourInfo::DEFAULT
        };
        info.after(&B::INFO).settings_of(&B::INFO)
    };

    fn sync_var_dirty_bits(&self) -> u64 {
        let mut dirty_bits = { &self.value }.as_ref().map_or(0, B::sync_var_dirty_bits);
        self.present
            .collect_dirty(Self::PRESENT.bit(), &mut dirty_bits);
        dirty_bits
    }

    fn visit(&mut self, previous: &mut Self::Previous, visitor: &mut impl FieldVisitor) {
        if let Some(value) = &mut self.value {
            value.visit_as_base(&mut previous.behaviour, visitor);
        }
        let present = SyncField::access(&mut self.present);
        visitor.field(Self::PRESENT.bit(), "Optional.present", present);
    }

    fn align(&mut self, from: &Self, fields: u64) -> u64 {
        if fields & Self::PRESENT.bit() == 0 || self.value.is_some() == from.value.is_some() {
            return 0;
        }
        self.set(from.value.as_ref().map(|_| B::default()));
        self.sync_var_dirty_bits()
    }

    fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
        if initial_state {
            self.present.write_full(writer.at("Optional.present"));
            if let Some(value) = &mut self.value {
                value.on_serialize(writer, true);
            }
            return true;
        }
        let dirty_bits = writer.fields() & self.sync_var_dirty_bits();
        writer.write_dirty_bits(dirty_bits);
        if dirty_bits & Self::PRESENT != 0 {
            self.present.write_delta(writer.at("Optional.present"));
        }
        match &mut self.value {
            Some(value) if dirty_bits & Self::SCHEMA.own_bits() != dirty_bits => {
                value.on_serialize(writer, false);
            }
            _ => {}
        }
        dirty_bits != 0
    }

    fn on_deserialize(
        &mut self,
        reader: &mut NetworkReader<'_>,
        initial_state: bool,
    ) -> ReadResult<Self::Previous> {
        if reader.context().unused {
            let context = DeserializeContext {
                unused: false,
                ..*reader.context()
            };
            let mut unused = Self::default();
            let read =
                |reader: &mut NetworkReader<'_>| unused.on_deserialize(reader, initial_state);
            reader.with_context(context, read)?;
            return Ok(PreviousOptional::default());
        }
        let dirty_bits = if initial_state {
            Self::PRESENT.bit()
        } else {
            reader.read_dirty_bits_of::<Self>().at(B::SCHEMA.name)?
        };
        if dirty_bits & Self::PRESENT != 0 {
            self.present.read_full(reader).at("Optional.present")?;
        }
        let mut previous = PreviousOptional::default();
        let follows = if initial_state {
            *self.present
        } else {
            dirty_bits & Self::SCHEMA.own_bits() != dirty_bits
        };
        // The owner's fields of a behaviour that the server has removed meanwhile.
        let is_late = reader.context().fields & Self::PRESENT.bit() == 0;
        previous.added = self.value.is_none() && !is_late && (follows || *self.present);
        let mut unused = None;
        let value = if is_late && self.value.is_none() {
            &mut unused
        } else {
            &mut self.value
        };
        if follows {
            let value = value.get_or_insert_default();
            previous.behaviour = value.on_deserialize(reader, initial_state)?;
        } else if previous.added {
            value.get_or_insert_default();
        }
        if dirty_bits & Self::PRESENT != 0 && !*self.present {
            previous.removed = self.value.take().map(Box::new);
        }
        Ok(previous)
    }

    fn call_hooks(&mut self, previous: Self::Previous, ctx: &mut NetworkContext<'_>) {
        if let Some(mut removed) = previous.removed {
            run_lifecycle(&mut *removed, &[LifecycleCallback::Despawn], ctx);
        }
        if let Some(value) = &mut self.value {
            if previous.added {
                run_lifecycle(value, &LifecycleCallback::SPAWN, ctx);
            }
            value.call_hooks(previous.behaviour, ctx);
        }
    }
}

fn run_lifecycle<B: NetworkBehaviour>(
    behaviour: &mut B,
    callbacks: &[LifecycleCallback],
    ctx: &mut NetworkContext<'_>,
) {
    for callback in callbacks {
        if let Err(error) = on_lifecycle(behaviour, *callback, ctx) {
            let (object, behaviour) = (ctx.net_id(), B::SCHEMA.name);
            tracing::error!(%object, behaviour, %callback, %error, "a callback failed");
        }
    }
}

/// Name of an optional behaviour in its schema, such as `Optional<Burning>`.
struct OptionalName<B>(PhantomData<B>);

impl<B: NetworkBehaviour> OptionalName<B> {
    const PREFIX: &'static [u8] = b"Optional<";
    const LENGTH: usize = Self::PREFIX.len() + B::SCHEMA.name.len() + 1;
    /// Longer names are cut.
    const BYTES: [u8; 256] = {
        let mut bytes = [b'>'; 256];
        let name = B::SCHEMA.name.as_bytes();
        let mut index = 0;
        while index < Self::PREFIX.len() + name.len() && index < bytes.len() {
            bytes[index] = match index.checked_sub(Self::PREFIX.len()) {
                Some(index) => name[index],
                None => Self::PREFIX[index],
            };
            index += 1;
        }
        bytes
    };
    const NAME: &'static str = match Self::BYTES.split_at_checked(Self::LENGTH) {
        Some((name, _)) => match str::from_utf8(name) {
            Ok(name) => name,
            Err(_) => B::SCHEMA.name,
        },
        None => B::SCHEMA.name,
    };
}
