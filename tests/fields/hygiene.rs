//! The derives in hostile surroundings: no prelude, shadowed names, denied lints.
#![no_implicit_prelude]
#![deny(
    warnings,
    missing_docs,
    unused,
    unreachable_pub,
    unnameable_types,
    unused_qualifications,
    elided_lifetimes_in_paths,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unused_import_braces,
    variant_size_differences
)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery, clippy::as_conversions)]
#![allow(
    clippy::redundant_pub_crate,
    clippy::missing_const_for_fn,
    clippy::needless_pass_by_value,
    reason = "about the code of this test, not about what is emitted"
)]

use ::std::assert_eq;

/// A module in which every name that an expansion could lean on means something else.
mod shadowed {
    #![allow(dead_code, reason = "they are only in the way")]

    use ::syncvar::SyncVar as Var;

    pub(crate) struct Result;
    pub(crate) struct Option;
    pub(crate) struct Some;
    pub(crate) struct None;
    pub(crate) struct Ok;
    pub(crate) struct Err;
    pub(crate) struct Default;
    pub(crate) struct Clone;
    pub(crate) struct NetworkReader;
    pub(crate) struct NetworkWriter;
    pub(crate) struct ReadError;
    pub(crate) struct Duration;
    pub(crate) struct Vec;
    pub(crate) struct ListChange;
    pub(crate) struct DictionaryChange;
    pub(crate) struct SetChange;
    pub(crate) struct CallContext;
    pub(crate) struct CallError;
    pub(crate) struct CallSchema;
    pub(crate) struct CallTable;
    pub(crate) struct ConnectionId;
    pub(crate) struct OwnCalls;
    pub(crate) struct SyncEvent;
    pub(crate) struct Target;
    pub(crate) trait NetworkCalls {}
    pub(crate) trait NoCalls {}
    pub(crate) trait Hash {}
    pub(crate) trait Eq {}
    pub(crate) trait Ord {}
    pub(crate) trait HookField {}
    pub(crate) trait SyncField {}
    pub(crate) trait NetworkBehaviour {}
    pub(crate) trait SyncValue {}
    pub(crate) trait SyncCodec {}
    pub(crate) trait HasLifecycle {}
    pub(crate) trait HasSynchronize {}
    pub(crate) trait Synchronize {}
    pub(crate) trait NetworkLifecycle {}
    pub(crate) struct LifecycleCallback;
    pub(crate) struct LifecycleResult;
    pub(crate) struct NetworkContext;
    pub(crate) struct BufferSerializer;
    pub(crate) struct SynchronizeError;
    pub(crate) mod syncvar {}
    pub(crate) mod core {}
    pub(crate) mod std {}

    /// A value whose members are called like the parameters of the methods.
    #[derive(::syncvar::SyncValue, ::std::clone::Clone, ::std::default::Default)]
    pub(crate) struct Names {
        pub(crate) writer: u8,
        pub(crate) reader: u8,
        pub(crate) other: u8,
    }

    /// The same in a variant.
    #[derive(::syncvar::SyncValue, ::std::clone::Clone)]
    pub(crate) enum Variants {
        Named { writer: u8, reader: u8, v0: u8 },
        Unnamed(u8),
        Unit,
    }

    /// Fields called like the variables of the methods, and raw identifiers.
    #[derive(::syncvar::NetworkBehaviour, ::std::default::Default)]
    #[network_behaviour(send_interval = 0, lifecycle, synchronize)]
    pub(crate) struct Behaviour {
        #[sync_var(hook = r#match)]
        pub(crate) previous: Var<u8>,
        #[sync_var(hook = on_base)]
        pub(crate) base: ::syncvar::SyncVar<u8>,
        #[sync_var]
        pub(crate) dirty_bits: ::syncvar::SyncVar<Names>,
        #[sync_var]
        pub(crate) writer: ::syncvar::SyncVar<u8>,
        #[sync_var]
        pub(crate) r#type: ::syncvar::SyncVar<u8>,
        #[sync_var(hook = on_change, batch_hook = on_changes)]
        pub(crate) change: ::syncvar::SyncList<u8>,
        #[sync_var(batch_hook = on_names)]
        pub(crate) changes: ::syncvar::SyncDictionary<u8, Names>,
        #[sync_var]
        pub(crate) reader: ::syncvar::SyncHashSet<u8>,
        #[sync_var(hook = on_order)]
        pub(crate) marker: ::syncvar::SyncSortedSet<u8>,
        pub(crate) seen: u8,
        pub(crate) told: u8,
    }

    impl Behaviour {
        fn r#match(&mut self, previous: u8) {
            self.seen = previous;
        }

        fn on_base(&mut self, previous: u8) {
            self.seen += previous;
        }

        const fn on_change(&mut self, _change: &::syncvar::fields::ListChange<u8>) {
            self.told += 1;
        }

        const fn on_changes(&mut self, _changes: &[::syncvar::fields::ListChange<u8>]) {
            self.told *= 2;
        }

        const fn on_names(&mut self, _changes: &[::syncvar::fields::DictionaryChange<u8, Names>]) {
            self.told += 10;
        }

        const fn on_order(&mut self, _change: &::syncvar::fields::SetChange<u8>) {
            self.told += 100;
        }

        /// Methods of the same names as the trait's do not get in the way.
        pub(crate) fn on_serialize(&self) -> u8 {
            self.seen
        }

        /// Nor does a constant of the trait's.
        pub(crate) const SCHEMA: u8 = 1;

        pub(crate) const LIFECYCLE: u8 = 2;

        pub(crate) fn sync_var_dirty_bits(&self) -> u8 {
            self.seen
        }

        pub(crate) fn synchronize(&self) -> u8 {
            self.seen
        }

        pub(crate) fn on_synchronize(&self) -> u8 {
            self.seen
        }

        pub(crate) fn on_lifecycle(&self) -> u8 {
            self.seen
        }
    }

    impl ::syncvar::NetworkLifecycle for Behaviour {
        fn on_network_spawn(
            &mut self,
            _ctx: &mut ::syncvar::NetworkContext<'_>,
        ) -> ::syncvar::LifecycleResult {
            self.told = 50;
            ::std::result::Result::Ok(())
        }
    }

    impl ::syncvar::behaviour::Synchronize for Behaviour {
        fn on_synchronize(
            &mut self,
            serializer: &mut ::syncvar::behaviour::BufferSerializer<'_, '_>,
        ) -> ::std::result::Result<(), ::syncvar::error::SynchronizeError> {
            serializer.serialize_value(&mut self.seen)
        }
    }

    /// Calls whose arguments are called like the variables of the methods.
    #[::syncvar::network_calls]
    impl Behaviour {
        /// A command.
        #[command(requires_ownership = false)]
        pub(crate) fn r#loop(
            &mut self,
            context: &::syncvar::CallContext<'_>,
            reader: u8,
            writer: Names,
            call: u8,
        ) {
            if context.is_server() {
                self.seen = reader + writer.writer + call;
            }
        }

        /// A call.
        #[client_rpc]
        pub(crate) fn run(&mut self, sender: u8, writer: u8, r#type: u8) {
            self.told = sender + writer + r#type;
        }

        /// A call of one.
        #[target_rpc]
        pub(crate) fn aim(&mut self, connection: u8, call: u8) {
            self.told = connection + call;
        }

        /// An event.
        #[sync_event]
        pub(crate) fn r#move(reader: u8, writer: ::syncvar::NetId);
    }
}

/// A public behaviour in a crate that wants everything documented.
#[derive(::syncvar::NetworkBehaviour, ::std::default::Default, ::std::fmt::Debug)]
pub struct Documented {
    /// A field with a hook.
    #[sync_var(hook = on_value)]
    pub value: ::syncvar::SyncVar<u8>,
    /// A collection with both hooks.
    #[sync_var(hook = on_item, batch_hook = on_items)]
    pub items: ::syncvar::SyncList<u8>,
}

impl Documented {
    const fn on_item(&mut self, change: &::syncvar::fields::ListChange<u8>) {
        let _ = (self, change);
    }

    const fn on_items(&mut self, changes: &[::syncvar::fields::ListChange<u8>]) {
        let _ = (self, changes);
    }

    const fn on_value(&mut self, previous: u8) {
        let _ = (self, previous);
    }
}

/// Fields with a codec called like the variables of the methods, and a base.
#[derive(::syncvar::NetworkBehaviour, ::std::default::Default)]
pub struct Encoded {
    /// A base that has none.
    #[network_behaviour(base)]
    pub documented: Documented,
    /// Like a parameter.
    #[sync_var(with = ::syncvar::codec::Half)]
    pub before: ::syncvar::SyncVar<f32>,
    /// Like a variable, and with a hook.
    #[sync_var(with = ::syncvar::codec::Bits<3>, hook = on_base)]
    pub base: ::syncvar::SyncVar<u8>,
    /// A raw identifier.
    #[sync_var(with = ::syncvar::codec::ZigZag)]
    pub r#match: ::syncvar::SyncVar<i8>,
    /// What the hook was told.
    pub seen: u8,
}

impl Encoded {
    const fn on_base(&mut self, previous: u8) {
        self.seen = previous + 1;
    }
}

/// A generic behaviour with a hook and a parameter that no field mentions.
#[derive(::syncvar::NetworkBehaviour, ::std::default::Default)]
#[network_behaviour(lifecycle)]
struct Generic<T: ::std::default::Default, U, const N: usize>
where
    U: ::std::marker::Send + ::std::marker::Sync + ::std::default::Default + 'static,
{
    #[sync_var(hook = on_value)]
    value: ::syncvar::SyncVar<::std::vec::Vec<T>>,
    #[sync_var(hook = on_item)]
    items: ::syncvar::SyncList<T>,
    marker: ::std::marker::PhantomData<U>,
    calls: usize,
}

impl<T: ::std::default::Default, U, const N: usize> Generic<T, U, N>
where
    U: ::std::marker::Send + ::std::marker::Sync + ::std::default::Default + 'static,
{
    fn on_value(&mut self, previous: ::std::vec::Vec<T>) {
        self.calls += N + ::std::vec::Vec::len(&previous);
    }

    const fn on_item(&mut self, _change: &::syncvar::fields::ListChange<T>) {
        self.calls *= 2;
    }
}

impl<T: ::syncvar::SyncValue + ::std::default::Default, U, const N: usize>
    ::syncvar::NetworkLifecycle for Generic<T, U, N>
where
    U: ::std::marker::Send + ::std::marker::Sync + ::std::default::Default + 'static,
{
    fn on_network_spawn(
        &mut self,
        _ctx: &mut ::syncvar::NetworkContext<'_>,
    ) -> ::syncvar::LifecycleResult {
        self.calls = N;
        ::std::result::Result::Ok(())
    }
}

/// What a behaviour writes, read by another of its kind.
fn carry<B: ::syncvar::NetworkBehaviour>(from: &mut B, to: &mut B) {
    let mut writer = ::syncvar::wire::NetworkWriter::new();
    ::syncvar::NetworkBehaviour::on_serialize(from, &mut writer, false);
    let mut reader = ::syncvar::wire::NetworkReader::new(writer.as_bytes());
    if let ::std::result::Result::Ok(previous) =
        ::syncvar::NetworkBehaviour::on_deserialize(to, &mut reader, false)
    {
        ::syncvar::NetworkContext::detached(|ctx| {
            ::syncvar::NetworkBehaviour::call_hooks(to, previous, ctx);
        });
    }
    assert_eq!(reader.remaining(), 0);
}

#[::std::prelude::v1::test]
fn names_of_the_users_own_do_not_get_in_the_way() {
    let mut behaviour = <shadowed::Behaviour as ::std::default::Default>::default();
    behaviour.previous.set(5);
    behaviour.dirty_bits.writer = 7;
    behaviour.r#type.set(9);
    behaviour.change.push(1);
    behaviour.change.push(2);
    behaviour
        .changes
        .insert(3, <shadowed::Names as ::std::default::Default>::default());
    behaviour.reader.insert(4);
    behaviour.marker.insert(5);
    let mut replica = shadowed::Behaviour {
        seen: 3,
        ..::std::default::Default::default()
    };
    carry(&mut behaviour, &mut replica);
    assert_eq!(
        (
            *replica.previous,
            replica.dirty_bits.writer,
            *replica.r#type
        ),
        (5, 7, 9)
    );
    assert_eq!((replica.change[1], replica.changes[&3].other), (2, 0));
    ::std::assert!(replica.reader.contains(&4) && replica.marker.contains(&5));
    assert_eq!(replica.told, 114, "each hook was called, in order");
    assert_eq!(
        replica.on_serialize(),
        0,
        "the hook was given the previous value"
    );
    assert_eq!(
        replica.sync_var_dirty_bits() + shadowed::Behaviour::SCHEMA,
        1
    );
}

#[::std::prelude::v1::test]
fn fields_with_a_codec_are_called_what_they_like() {
    let mut encoded = <Encoded as ::std::default::Default>::default();
    encoded.before.set(0.5);
    encoded.base.set(7);
    encoded.r#match.set(-1);
    let mut replica = <Encoded as ::std::default::Default>::default();
    carry(&mut encoded, &mut replica);
    assert_eq!((*replica.base, *replica.r#match, replica.seen), (7, -1, 1));
    ::syncvar::behaviour::BehaviourFields::clear_all_dirty_bits(&mut encoded);
    let before = ::syncvar::behaviour::BehaviourFields::before_change(&mut encoded);
    encoded.before.set(0.500_01);
    encoded.base.set(6);
    if let ::std::option::Option::Some(before) = before {
        ::syncvar::behaviour::BehaviourFields::withdraw_changes(&mut encoded, before);
    }
    let dirty_bits = ::syncvar::NetworkBehaviour::sync_var_dirty_bits(&encoded);
    assert_eq!(
        dirty_bits, 0b1000,
        "two for the base, `before`, and that of `base`"
    );
}

#[::std::prelude::v1::test]
fn a_behaviour_can_be_declared_inside_a_function_and_be_generic() {
    #[derive(::syncvar::SyncValue, ::std::clone::Clone, ::std::default::Default)]
    struct Local(u8);

    let mut generic = <Generic<Local, u8, 10> as ::std::default::Default>::default();
    ::std::vec::Vec::push(&mut generic.value, Local(4));
    generic.items.push(Local(5));
    let mut replica = <Generic<Local, u8, 10> as ::std::default::Default>::default();
    carry(&mut generic, &mut replica);
    assert_eq!((replica.value[0].0, replica.items[0].0), (4, 5));
    assert_eq!(replica.calls, 20);
}

#[::std::prelude::v1::test]
fn variants_may_call_their_members_what_they_like() {
    let named = shadowed::Variants::Named {
        writer: 1,
        reader: 2,
        v0: 3,
    };
    for variant in [
        named,
        shadowed::Variants::Unnamed(4),
        shadowed::Variants::Unit,
    ] {
        let mut writer = ::syncvar::wire::NetworkWriter::new();
        writer.write(&variant);
        let mut reader = ::syncvar::wire::NetworkReader::new(writer.as_bytes());
        let back = reader.read::<shadowed::Variants>();
        let same = back.is_ok_and(|back| ::syncvar::SyncValue::same(&back, &variant));
        ::std::assert!(same);
    }
}

#[::std::prelude::v1::test]
fn callbacks_and_data_are_found_whatever_the_users_own_are_called() {
    type Kind = Generic<u8, (), 3>;
    let prefabs = || {
        ::syncvar::Prefabs::new()
            .register::<shadowed::Behaviour>("behaviour")
            .register::<Kind>("generic")
    };
    let mut net = ::syncvar::testing::MemoryNetwork::pair(prefabs);
    let behaviour = shadowed::Behaviour {
        seen: 9,
        ..::std::default::Default::default()
    };
    let id = net.server.spawn(behaviour);
    let generic = net
        .server
        .spawn(<Kind as ::std::default::Default>::default());
    net.settle();
    let replica = ::std::option::Option::unwrap(net.client(0).get::<shadowed::Behaviour>(id));
    assert_eq!((replica.seen, replica.told), (9, 50));
    assert_eq!(replica.on_lifecycle(), replica.synchronize());
    assert_eq!(replica.on_synchronize(), 9);
    assert_eq!(shadowed::Behaviour::LIFECYCLE, 2);
    let replica = ::std::option::Option::unwrap(net.client(0).get::<Kind>(generic));
    assert_eq!(replica.calls, 3);
}
