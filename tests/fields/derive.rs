//! What the derives accept, and that it behaves. What they refuse is in `ui`.

mod bases;
mod collection_hooks;
mod collections;
mod hooks;
mod values;

use std::fmt::Debug;

use syncvar::NetworkBehaviour;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::{
    behaviour::FieldVisitor,
    schema::{BehaviourSchema, FieldSchema},
};
use syncvar_testing::{Door, apply, written};

/// Sends what has changed in one behaviour to another, and calls its hooks; returns the bytes.
fn send<B: NetworkBehaviour>(from: &mut B, to: &mut B) -> String {
    let (bytes, _) = written(from, false);
    from.clear_all_dirty_bits();
    assert_eq!(apply(to, &bytes, false), bytes.len() / 2);
    bytes
}

/// Two behaviours of which each has what the other has, so that what collections send is operations.
fn twins<B: NetworkBehaviour + Default>() -> (B, B) {
    let (mut behaviour, replica) = (B::default(), B::default());
    behaviour.clear_all_dirty_bits();
    (behaviour, replica)
}

#[test]
fn tuple_struct_is_a_behaviour_with_hooks() {
    #[derive(NetworkBehaviour, Default)]
    struct Health(
        #[sync_var] SyncVar<i32>,
        i32,
        #[sync_var(hook = on_maximum)] SyncVar<i32>,
    );

    impl Health {
        fn on_maximum(&mut self, previous: i32) {
            self.1 = previous + 1;
        }
    }

    let (mut health, mut replica) = (Health::default(), Health::default());
    health.2.set(7);
    assert_eq!(send(&mut health, &mut replica), "0207");
    assert_eq!((*replica.2, replica.1), (7, 1));
    let names: Vec<_> = Health::SCHEMA
        .fields
        .iter()
        .map(|field| field.name)
        .collect();
    assert_eq!(names, ["0", "2"]);
}

#[test]
fn fieldless_struct_is_a_behaviour_without_bytes() {
    #[derive(NetworkBehaviour, Default)]
    struct Marker;

    let mut marker = Marker;
    marker.set_dirty_bit(u64::MAX);
    assert_eq!(marker.sync_var_dirty_bits(), 0);
    assert_eq!(written(&mut marker, true), (String::new(), false));
}

#[test]
fn a_generic_behaviour_keeps_its_bounds_and_gets_those_it_needs() {
    #[derive(NetworkBehaviour, Default)]
    struct Slot<T: PartialOrd + Default>
    where
        Vec<T>: Debug,
    {
        #[sync_var(hook = on_item)]
        item: SyncVar<T>,
        #[sync_var]
        history: SyncVar<Vec<T>>,
        grew: bool,
    }

    impl<T: PartialOrd + Default> Slot<T>
    where
        Vec<T>: Debug,
    {
        #[expect(
            clippy::needless_pass_by_value,
            reason = "a hook is given the previous value"
        )]
        fn on_item(&mut self, previous: T) {
            self.grew = self.item > previous;
        }
    }

    let (mut slot, mut replica) = (Slot::<u8>::default(), Slot::<u8>::default());
    slot.item.set(3);
    slot.history.push(2);
    assert_eq!(send(&mut slot, &mut replica), "0303010002");
    assert!(replica.grew && *replica.history == [2]);
}

#[test]
#[expect(unused_qualifications, reason = "a path is one of the ways")]
fn a_field_can_be_written_by_path_by_alias_or_by_a_macro() {
    type Health = SyncVar<i32>;

    macro_rules! behaviour {
        ($name:ident { $($field:ident: $ty:ty,)* }) => {
            #[derive(NetworkBehaviour, Default)]
            struct $name {
                $(#[sync_var(hook = on_change)] $field: $ty,)*
                changes: u32,
            }
        };
    }

    behaviour!(Player {
        path: syncvar::SyncVar<i32>,
        absolute: ::syncvar::SyncVar<i32>,
        alias: Health,
        in_macro: SyncVar<i32>,
    });

    impl Player {
        fn on_change(&mut self, _previous: i32) {
            self.changes += 1;
        }
    }

    let (mut player, mut replica) = (Player::default(), Player::default());
    player.path.set(1);
    player.absolute.set(2);
    player.alias.set(3);
    player.in_macro.set(4);
    assert_eq!(send(&mut player, &mut replica), "0f01020304");
    assert_eq!(replica.changes, 4);
}

#[test]
fn raw_identifier_is_named_without_its_prefix() {
    #[derive(SyncValue, Clone, Default)]
    struct r#Final {
        r#move: u8,
    }

    #[derive(NetworkBehaviour, Default)]
    struct r#Match {
        #[sync_var(hook = r#loop)]
        r#type: SyncVar<r#Final>,
        looped: bool,
    }

    impl r#Match {
        fn r#loop(&mut self, _previous: r#Final) {
            self.looped = true;
        }
    }

    let (mut behaviour, mut replica) = (r#Match::default(), r#Match::default());
    behaviour.r#type.r#move = 4;
    assert_eq!(send(&mut behaviour, &mut replica), "0104");
    assert!(replica.looped && replica.r#type.r#move == 4);
    assert_eq!(
        (r#Match::SCHEMA.name, r#Match::SCHEMA.fields[0].name),
        ("Match", "type")
    );
}

#[test]
fn settings_can_stand_in_one_attribute_or_in_several() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(channel = 1)]
    #[network_behaviour(send_interval = 2)]
    struct Slow;

    assert_eq!(
        (Slow::INFO.channel, Slow::INFO.send_interval.as_secs()),
        (1, 2)
    );
}

#[test]
fn a_behaviour_written_by_hand_stands_beside_a_derived_one() {
    #[derive(Default)]
    struct Pulse(SyncVar<u8>);

    impl NetworkBehaviour for Pulse {
        type Previous = ();
        const SCHEMA: BehaviourSchema = BehaviourSchema {
            name: "Pulse",
            base: None,
            fields: &[FieldSchema::of::<SyncVar<u8>>("0")],
        };

        fn sync_var_dirty_bits(&self) -> u64 {
            self.0.is_dirty().into()
        }
        fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
            visitor.field(1, "Pulse.0", &mut self.0);
        }
    }

    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<(Door, Pulse)>("bell"));
    let id = net.server.spawn((Door::default(), Pulse::default()));
    net.settle();
    net.server.get_mut::<Pulse>(id).unwrap().0.set(7);
    net.server.get_mut::<Door>(id).unwrap().open.set(true);
    net.settle();
    let client = net.client(0);
    assert_eq!(client.get::<Pulse>(id).unwrap().0, 7);
    assert!(*client.get::<Door>(id).unwrap().open);
}

#[test]
fn another_object_is_referred_to_by_its_id() {
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Turret {
        #[sync_var(hook = on_target)]
        target: SyncVar<Option<NetId>>,
        lost: Option<NetId>,
    }

    impl Turret {
        fn on_target(&mut self, previous: Option<NetId>) {
            self.lost = previous;
        }
    }

    let prefabs = || {
        Prefabs::new()
            .register::<Turret>("turret")
            .register::<Door>("door")
    };
    let mut net = MemoryNetwork::pair(prefabs);
    let door = net.server.spawn(Door::default());
    let turret = net.server.spawn(Turret {
        target: Some(door).into(),
        ..Turret::default()
    });
    net.settle();
    let client = net.client(0);
    let target = client
        .get::<Turret>(turret)
        .unwrap()
        .target
        .expect("it has one");
    assert!(client.get::<Door>(target).is_some());
    net.server
        .get_mut::<Turret>(turret)
        .unwrap()
        .target
        .set(None);
    net.settle();
    assert_eq!(
        net.client(0).get::<Turret>(turret).unwrap().lost,
        Some(door)
    );
}

/// Attributes of the user's own that are about names cover what is emitted as well.
mod quiet {
    #![deny(warnings)]
    #![allow(dead_code, reason = "it compiles without a warning, and that is all")]

    use syncvar::prelude::*;

    #[derive(NetworkBehaviour, Default)]
    #[expect(
        non_camel_case_types,
        non_snake_case,
        reason = "as another language has it"
    )]
    pub(crate) struct player_state {
        #[sync_var(hook = on_health)]
        pub(crate) Health: SyncVar<u8>,
    }

    impl player_state {
        fn on_health(&mut self, previous: u8) {
            self.Health.set(previous);
        }
    }

    #[derive(NetworkBehaviour, Default)]
    #[deprecated]
    pub(crate) struct Old {
        #[sync_var(hook = on_health)]
        health: SyncVar<u8>,
        #[deprecated]
        #[sync_var]
        older: SyncVar<u8>,
    }

    #[expect(deprecated, reason = "as it is")]
    impl Old {
        fn on_health(&mut self, previous: u8) {
            self.health.set(previous);
        }
    }

    #[derive(SyncValue, Clone, Default)]
    #[deprecated]
    struct OldValue {
        #[deprecated]
        value: u8,
        #[deprecated]
        #[sync_value(skip)]
        seen: bool,
    }
}

#[test]
fn odd_names_and_deprecated_types_bring_no_warnings() {
    let mut state = quiet::player_state::default();
    state.Health.set(1);
    assert_eq!(written(&mut state, false), ("0101".into(), true));
}
