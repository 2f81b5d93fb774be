//! `BehaviourInfo`: settings and callbacks of a class.

use std::any::Any;
use std::time::Duration;

use super::callback::{Accepts, Callback, HandleCall, OnFrame, OnLifecycle, OnSynchronize, OnView};
use super::{
    CheckWrites, InnerBehaviour, NetworkContext, NetworkFrame, NetworkLifecycle, Synchronize,
};
use crate::motion::Shown;
use crate::schema::CallTable;

/// Delivery of the changes of a behaviour, for protocols with both kinds. Protocols with one kind send them on
/// [`BehaviourInfo::channel`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// Once each, on the reliable channel.
    #[default]
    Reliable,
    /// Unreliably and repeatedly, until a reliable snapshot (a baseline, once a second) contains them:
    /// for values that change all the time, where only the latest one matters.
    Hybrid,
}

/// Moment at which a client applies the changes of a behaviour that arrive by datagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrival {
    /// Together with the other changes of the tick.
    #[default]
    WithTick,
    /// At once, while other packets of the tick are missing.
    AtOnce,
}

/// Presence of a behaviour on its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// From the spawn to the despawn.
    Always,
    /// The behaviour comes and goes: see [`Optional`](super::Optional).
    Optional,
}

/// Settings, remote calls and callbacks of a behaviour, built from [`DEFAULT`](Self::DEFAULT).
///
/// ```
/// use std::time::Duration;
/// use syncvar::behaviour::BehaviourInfo;
///
/// const INFO: BehaviourInfo = BehaviourInfo::DEFAULT
///     .send_interval(Duration::ZERO)
///     .channel(1);
/// assert_eq!(INFO.channel, 1);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BehaviourInfo {
    /// Shortest time between two updates of the behaviour; zero: every server update.
    pub send_interval: Duration,
    /// Set if the behaviour has an interval; otherwise the end has: `ServerConfig::send_interval`.
    pub(crate) has_interval: bool,
    /// Channel of its updates.
    pub channel: u8,
    /// Number of frames that repeat a change on an unreliable channel, 0 or 1.
    pub redundancy: u8,
    /// Delivery of its changes.
    pub delivery: Delivery,
    /// Moment at which a client applies its changes.
    pub arrival: Arrival,
    /// Set if the class decides every byte, in every protocol: see [`own_layout`](Self::own_layout()).
    pub own_layout: bool,
    /// Set if a hook of the class or a base takes a context: see
    /// [`context_hooks`](Self::context_hooks()).
    pub context_hooks: bool,
    /// Remote calls, with the calls of the bases first.
    pub calls: CallTable,
    /// Former names of the behaviour, newest first.
    pub was: &'static [&'static str],
    /// Presence on the object.
    pub presence: Presence,
    /// Access to the behaviour within an [`Optional`](super::Optional).
    pub(crate) inner: Option<&'static InnerBehaviour>,
    pub(crate) handle_call: HandleCall,
    /// Checks of the class without its bases.
    pub(super) accepts: Option<Accepts>,
    pub(super) on_lifecycle: Callback<OnLifecycle>,
    pub(super) on_synchronize: Callback<OnSynchronize>,
    pub(crate) on_frame: Option<OnFrame>,
    /// Hooks at the view time of the class without its bases.
    pub(super) on_view: Option<OnView>,
}

impl BehaviourInfo {
    /// Updates at the interval of the end, 0.1 s by default, on channel 0, without calls and callbacks.
    pub const DEFAULT: Self = Self {
        send_interval: Duration::from_millis(100),
        has_interval: false,
        channel: 0,
        redundancy: 0,
        delivery: Delivery::Reliable,
        arrival: Arrival::WithTick,
        own_layout: false,
        context_hooks: false,
        calls: CallTable::NONE,
        was: &[],
        presence: Presence::Always,
        inner: None,
        handle_call: |_, call, reader, _| Err(reader.unknown_call(call)),
        accepts: None,
        on_lifecycle: Callback::None,
        on_synchronize: Callback::None,
        on_frame: None,
        on_view: None,
    };

    /// Inherits calls, lifecycle, synchronisation and context of the hooks of the base; not the settings.
    ///
    /// # Panics
    ///
    /// When a call of the base has the same UNet hash as a call of this class. Constants are built
    /// with it, so this is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn after(mut self, base: &'static Self) -> Self {
        self.calls = self.calls.after(&base.calls);
        self.context_hooks |= base.context_hooks;
        if !self.on_lifecycle.exists() && base.on_lifecycle.exists() {
            self.on_lifecycle = Callback::Inherited;
        }
        if !self.on_synchronize.exists() && base.on_synchronize.exists() {
            self.on_synchronize = Callback::Inherited;
        }
        self
    }

    /// Takes over former names, interval, channel, redundancy, delivery and arrival.
    pub(super) const fn settings_of(mut self, other: &Self) -> Self {
        self.was = other.was;
        self.send_interval = other.send_interval;
        self.has_interval = other.has_interval;
        self.channel = other.channel;
        self.redundancy = other.redundancy;
        self.delivery = other.delivery;
        self.arrival = other.arrival;
        self
    }

    /// Sets the former names of the behaviour, newest first: `#[network_behaviour(was = "Hero")]`.
    #[must_use]
    pub const fn was(mut self, names: &'static [&'static str]) -> Self {
        self.was = names;
        self
    }

    /// Sets the shortest time between two updates.
    #[must_use]
    pub const fn send_interval(mut self, send_interval: Duration) -> Self {
        self.send_interval = send_interval;
        self.has_interval = true;
        self
    }

    /// Sets the channel of the updates.
    #[must_use]
    pub const fn channel(mut self, channel: u8) -> Self {
        self.channel = channel;
        self
    }

    /// Sets the number of later frames that repeat a change: 1 sends it twice, at the cost of its bytes, so
    /// that a single loss delays no value by a round trip. Without effect on a reliable channel.
    ///
    /// # Panics
    ///
    /// With a number above 1. Constants are built with it, so this is a compile error.
    #[must_use]
    #[track_caller]
    pub const fn redundancy(mut self, frames: u8) -> Self {
        assert!(frames <= 1, "a change is repeated in at most one frame");
        self.redundancy = frames;
        self
    }

    /// Sets the delivery to [`Delivery::Hybrid`].
    #[must_use]
    pub const fn hybrid(mut self) -> Self {
        self.delivery = Delivery::Hybrid;
        self
    }

    /// Sets the arrival to [`Arrival::AtOnce`]: `#[network_behaviour(gather = false)]`. Without effect on changes that
    /// travel on a stream.
    #[must_use]
    pub const fn ungathered(mut self) -> Self {
        self.arrival = Arrival::AtOnce;
        self
    }

    /// Lets the class decide every byte, in every protocol, by one call of `on_serialize` and of
    /// `on_deserialize`, like a Mirror component that overrides `OnSerialize`.
    ///
    /// Otherwise a protocol may divide the fields: Mirror writes the collections and then the remaining
    /// fields of every class. `on_serialize` then runs once for each part, with its fields in
    /// [`NetworkWriter::fields`](crate::NetworkWriter::fields), and snapshots consist of
    /// [`write_fields`](crate::BehaviourFields::write_fields).
    ///
    /// Such a class is no base of a derived class. Its hooks also run for a snapshot. It can wrap the
    /// layout of an inner behaviour:
    ///
    /// ```
    /// use syncvar::{NetworkBehaviour, prelude::*, behaviour::{BehaviourInfo, FieldVisitor, LayoutHooks}, schema::BehaviourSchema, wire::{NetworkReader, NetworkWriter, ReadError, ReadErrorKind}};
    ///
    /// /// Sends a check number behind the bytes of another behaviour.
    /// struct Checked<B: NetworkBehaviour>(B);
    ///
    /// impl<B: NetworkBehaviour> NetworkBehaviour for Checked<B> {
    ///     type Previous = LayoutHooks<B>;
    ///     const SCHEMA: BehaviourSchema = B::SCHEMA;
    ///     const INFO: BehaviourInfo = BehaviourInfo::DEFAULT
    ///         .own_layout()
    ///         .context_hooks(B::INFO.context_hooks);
    ///
    ///     fn sync_var_dirty_bits(&self) -> u64 {
    ///         self.0.sync_var_dirty_bits()
    ///     }
    ///     fn visit(
    ///         &mut self,
    ///         previous: &mut LayoutHooks<B>,
    ///         visitor: &mut impl FieldVisitor,
    ///     ) {
    ///         self.0.visit(previous.values_mut(), visitor);
    ///     }
    ///     fn on_serialize(&mut self, writer: &mut NetworkWriter, initial_state: bool) -> bool {
    ///         let written = writer.write_layout(&mut self.0, initial_state);
    ///         writer.write_u16(0xbeef);
    ///         written
    ///     }
    ///     fn on_deserialize(
    ///         &mut self,
    ///         reader: &mut NetworkReader<'_>,
    ///         initial_state: bool,
    ///     ) -> Result<LayoutHooks<B>, ReadError> {
    ///         let hooks = reader.read_layout(&mut self.0, initial_state)?;
    ///         match reader.read_u16()? {
    ///             0xbeef => Ok(hooks),
    ///             _ => Err(reader.error(ReadErrorKind::Custom("not the check number"))),
    ///         }
    ///     }
    ///     fn call_hooks(&mut self, previous: LayoutHooks<B>, ctx: &mut NetworkContext<'_>) {
    ///         previous.call(&mut self.0, ctx);
    ///     }
    /// }
    /// ```
    #[must_use]
    pub const fn own_layout(mut self) -> Self {
        self.own_layout = true;
        self
    }

    /// Lets [`call_hooks`](crate::NetworkBehaviour::call_hooks) use its context, if `needed`. The object is
    /// checked out while its hooks run. The derive calls it for each hook.
    ///
    /// ```
    /// use syncvar::{NetworkBehaviour, prelude::*, behaviour::{BehaviourInfo, FieldVisitor}, schema::{BehaviourSchema, FieldSchema}};
    ///
    /// /// Remembers the id of its object with each change.
    /// #[derive(Default)]
    /// struct Beacon {
    ///     lit: SyncVar<bool>,
    ///     changed: Vec<NetId>,
    /// }
    ///
    /// impl NetworkBehaviour for Beacon {
    ///     type Previous = ();
    ///     const SCHEMA: BehaviourSchema = BehaviourSchema {
    ///         name: "Beacon",
    ///         base: None,
    ///         fields: &[FieldSchema::of::<SyncVar<bool>>("lit")],
    ///     };
    ///     const INFO: BehaviourInfo = BehaviourInfo::DEFAULT.context_hooks(true);
    ///
    ///     fn sync_var_dirty_bits(&self) -> u64 {
    ///         u64::from(syncvar::SyncField::is_dirty(&self.lit))
    ///     }
    ///     fn visit(&mut self, _: &mut (), visitor: &mut impl FieldVisitor) {
    ///         visitor.field(1, "Beacon.lit", &mut self.lit);
    ///     }
    ///     fn call_hooks(&mut self, _: (), ctx: &mut NetworkContext<'_>) {
    ///         self.changed.push(ctx.net_id());
    ///     }
    /// }
    ///
    /// let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Beacon>("beacon"));
    /// let id = net.server.spawn(Beacon::default());
    /// net.settle();
    /// net.server.get_mut::<Beacon>(id).unwrap().lit.set(true);
    /// net.settle();
    /// assert_eq!(net.client(0).get::<Beacon>(id).unwrap().changed, [id]);
    /// ```
    #[must_use]
    pub const fn context_hooks(mut self, needed: bool) -> Self {
        self.context_hooks |= needed;
        self
    }

    /// Adds the checks of a class. The checks of its bases stay.
    #[must_use]
    pub const fn checks<B: CheckWrites>(mut self) -> Self {
        self.accepts = Some(|behaviour, field, former, elapsed_ticks| {
            let behaviour = behaviour.downcast_ref::<B>();
            behaviour.map_or(Ok(true), |behaviour| {
                behaviour.accepts(field, former, elapsed_ticks)
            })
        });
        self
    }

    /// Adds the hooks of a class at the view time, for its fields with [`FieldSchema::on_view`](crate::FieldSchema::on_view()).
    /// The hooks of its bases stay. Their context is [detached](NetworkContext::detached) without
    /// [`context_hooks`](Self::context_hooks()).
    #[must_use]
    pub const fn on_view(
        mut self,
        hooks: fn(&mut dyn Any, &Shown<'_>, &mut NetworkContext<'_>),
    ) -> Self {
        self.on_view = Some(hooks);
        self
    }

    /// Adds the [`NetworkLifecycle`] of a class. Without it, a class has the lifecycle of its base.
    #[must_use]
    pub const fn lifecycle<B: NetworkLifecycle>(mut self) -> Self {
        self.on_lifecycle = Callback::Own(|behaviour, callback, ctx| {
            let behaviour = behaviour.downcast_mut::<B>();
            behaviour.map_or(Ok(()), |behaviour| callback.call(behaviour, ctx))
        });
        self
    }

    /// Adds the [`Synchronize`] data of a class, which both ends compare at connect. Without it, a
    /// class has the data of its base.
    #[must_use]
    pub const fn synchronize<B: Synchronize>(mut self) -> Self {
        self.on_synchronize = Callback::Own(|behaviour, serializer| {
            let behaviour = behaviour.downcast_mut::<B>();
            behaviour.map_or(Ok(()), |behaviour| behaviour.on_synchronize(serializer))
        });
        self
    }

    /// Adds the [`NetworkFrame`] of a class. A derived class does not inherit it.
    #[must_use]
    pub const fn frame<B: NetworkFrame>(mut self) -> Self {
        self.on_frame = Some(|behaviour, frame| {
            if let Some(behaviour) = behaviour.downcast_mut::<B>() {
                behaviour.on_frame(frame);
            }
        });
        self
    }

    /// Returns whether the class works in each frame.
    pub const fn has_frame(&self) -> bool {
        self.on_frame.is_some()
    }

    /// Returns whether the class or a base has a lifecycle.
    pub const fn has_lifecycle(&self) -> bool {
        self.on_lifecycle.exists()
    }

    /// Returns whether the class or a base has data beside its fields.
    pub const fn has_synchronize(&self) -> bool {
        self.on_synchronize.exists()
    }
}
