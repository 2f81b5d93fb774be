//! Bases, and how many fields there can be.

use syncvar::NetworkBehaviour;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;

use crate::derive::send;

#[test]
fn base_comes_first_at_any_position_named_or_not() {
    #[derive(NetworkBehaviour, Default)]
    struct Creature {
        #[sync_var]
        speed: SyncVar<u8>,
    }

    #[derive(NetworkBehaviour, Default)]
    struct Orc(#[sync_var] SyncVar<u8>, #[network_behaviour(base)] Creature);

    #[derive(NetworkBehaviour, Default)]
    struct Chief {
        #[sync_var]
        rank: SyncVar<u8>,
        #[network_behaviour(base)]
        orc: Orc,
    }

    /// A level that adds nothing.
    #[derive(NetworkBehaviour, Default)]
    struct King(#[network_behaviour(base)] Chief);

    let (mut king, mut replica) = (King::default(), King::default());
    king.0.orc.1.speed.set(1);
    king.0.orc.0.set(2);
    king.0.rank.set(3);
    assert_eq!(king.sync_var_dirty_bits(), 0b111);
    assert_eq!(send(&mut king, &mut replica), "070107020703");
    let names: Vec<_> = King::SCHEMA.field_names(u64::MAX).collect();
    assert_eq!(names, ["speed", "0", "rank"]);
}

#[test]
fn a_generic_behaviour_can_have_a_generic_base() {
    #[derive(NetworkBehaviour, Default)]
    struct Base<T> {
        #[sync_var(hook = on_value)]
        value: SyncVar<T>,
        before: Option<T>,
    }

    impl<T> Base<T> {
        fn on_value(&mut self, previous: T) {
            self.before = Some(previous);
        }
    }

    #[derive(NetworkBehaviour, Default)]
    struct Derived<T> {
        #[network_behaviour(base)]
        base: Base<T>,
        #[sync_var]
        own: SyncVar<T>,
    }

    let (mut derived, mut replica) = (Derived::<u8>::default(), Derived::<u8>::default());
    derived.base.value.set(5);
    derived.own.set(6);
    assert_eq!(derived.sync_var_dirty_bits(), 0b11);
    assert_eq!(send(&mut derived, &mut replica), "03050306");
    assert_eq!((*replica.own, replica.base.before), (6, Some(0)));
}

#[test]
fn hooked_field_may_have_any_name_beside_a_base() {
    #[derive(NetworkBehaviour, Default)]
    struct Parent {
        #[sync_var(hook = on_change)]
        base: SyncVar<u8>,
        before: u8,
    }

    impl Parent {
        fn on_change(&mut self, previous: u8) {
            self.before = previous + 1;
        }
    }

    #[derive(NetworkBehaviour, Default)]
    struct Child<T> {
        #[network_behaviour(base)]
        parent: Parent,
        #[sync_var(hook = on_change)]
        base: SyncVar<u8>,
        #[sync_var(hook = on_marker)]
        marker: SyncVar<T>,
        before: u8,
    }

    impl<T> Child<T> {
        fn on_change(&mut self, previous: u8) {
            self.before += previous + 10;
        }

        fn on_marker(&mut self, _previous: T) {
            self.before += 100;
        }
    }

    let (mut child, mut replica) = (Child::<u8>::default(), Child::<u8>::default());
    child.parent.base.set(1);
    child.base.set(2);
    child.marker.set(3);
    assert_eq!(send(&mut child, &mut replica), "0701070203");
    assert_eq!((replica.parent.before, replica.before), (1, 110));
}

/// With and without hooks: neither shows the type of the base to the world.
mod public {
    use syncvar::prelude::*;

    #[derive(NetworkBehaviour, Default)]
    struct Creature {
        #[sync_var(hook = on_speed)]
        speed: SyncVar<Speed>,
    }

    #[derive(SyncValue, Clone, Copy, Default)]
    struct Speed(u8);

    impl Creature {
        fn on_speed(&mut self, previous: Speed) {
            self.speed.0 += previous.0;
        }
    }

    #[derive(NetworkBehaviour, Default)]
    pub(crate) struct Orc {
        #[network_behaviour(base)]
        creature: Creature,
    }

    #[derive(NetworkBehaviour, Default)]
    pub(crate) struct Chief {
        #[network_behaviour(base)]
        creature: Creature,
        #[sync_var(hook = on_speed)]
        speed: SyncVar<Speed>,
    }

    impl Chief {
        fn on_speed(&mut self, previous: Speed) {
            self.speed.0 += previous.0;
        }
    }
}

#[test]
fn base_may_be_more_private_than_its_derived_class() {
    let prefabs = Prefabs::new()
        .register::<public::Orc>("orc")
        .register::<public::Chief>("chief");
    assert_ne!(prefabs.asset_id("orc"), prefabs.asset_id("chief"));
}

/// A behaviour with these fields, after those of a base if there is one.
macro_rules! behaviour {
    ($name:ident: $([$base:ident])? $($field:ident)*) => {
        #[derive(NetworkBehaviour, Default)]
        struct $name {
            $(#[network_behaviour(base)] base: $base,)?
            $(#[sync_var] $field: SyncVar<u8>,)*
        }
    };
}

#[test]
fn base_value_and_codec_may_be_types_of_a_macro() {
    #[derive(SyncValue, Clone, Default)]
    struct Stats {
        strength: u8,
    }

    macro_rules! warrior {
        ($name:ident: $base:ty, $value:ty, $codec:ty) => {
            #[derive(NetworkBehaviour, Default)]
            struct $name {
                #[network_behaviour(base)]
                base: $base,
                #[sync_var]
                stats: SyncVar<$value>,
                #[sync_var]
                items: SyncList<[$value; 2]>,
                #[sync_var(with = $codec)]
                rage: SyncVar<i32>,
            }
        };
    }

    behaviour! { Mob: hp }
    warrior! { Orc: Mob, Stats, syncvar::codec::ZigZag }

    let (mut orc, mut replica) = (Orc::default(), Orc::default());
    orc.base.hp.set(7);
    orc.stats.strength = 3;
    orc.rage.set(-1);
    send(&mut orc, &mut replica);
    assert_eq!(*replica.base.hp, 7);
    assert_eq!((replica.stats.strength, *replica.rage), (3, -1));
    assert!(replica.items.is_empty());
}

#[test]
fn exactly_64_fields_are_accepted() {
    behaviour! { Full:
        a0 a1 a2 a3 a4 a5 a6 a7 b0 b1 b2 b3 b4 b5 b6 b7 c0 c1 c2 c3 c4 c5 c6 c7 d0 d1 d2 d3 d4 d5 d6 d7
        e0 e1 e2 e3 e4 e5 e6 e7 f0 f1 f2 f3 f4 f5 f6 f7 g0 g1 g2 g3 g4 g5 g6 g7 h0 h1 h2 h3 h4 h5 h6 h7
    }

    let (mut full, mut replica) = (Full::default(), Full::default());
    full.h7.set(9);
    assert_eq!(full.sync_var_dirty_bits(), 1 << 63);
    full.set_dirty_bit(u64::MAX);
    assert_eq!(full.sync_var_dirty_bits(), u64::MAX);
    send(&mut full, &mut replica);
    assert_eq!((*replica.h7, Full::SCHEMA.field_count()), (9, 64));
}

#[test]
fn exactly_64_fields_are_accepted_when_a_base_has_40_of_them() {
    behaviour! { Base:
        a0 a1 a2 a3 a4 a5 a6 a7 b0 b1 b2 b3 b4 b5 b6 b7 c0 c1 c2 c3 c4 c5 c6 c7 d0 d1 d2 d3 d4 d5 d6 d7
        e0 e1 e2 e3 e4 e5 e6 e7
    }
    behaviour! { Derived: [Base]
        f0 f1 f2 f3 f4 f5 f6 f7 g0 g1 g2 g3 g4 g5 g6 g7 h0 h1 h2 h3 h4 h5 h6 h7
    }

    let (mut derived, mut replica) = (Derived::default(), Derived::default());
    derived.base.a0.set(8);
    derived.h7.set(9);
    assert_eq!(derived.sync_var_dirty_bits(), 1 << 63 | 1);
    send(&mut derived, &mut replica);
    assert_eq!((*replica.base.a0, *replica.h7), (8, 9));
}
