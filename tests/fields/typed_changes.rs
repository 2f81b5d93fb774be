//! Typed changes: constants of fields, and events of one behaviour type.

use syncvar::FieldBit;
use syncvar::NetworkBehaviour;
use syncvar::prelude::*;

mod game {
    use syncvar::SyncValue;
    use syncvar::prelude::*;

    #[derive(NetworkBehaviour, Default)]
    pub(crate) struct Creature {
        #[sync_var]
        pub health: SyncVar<i32>,
    }

    #[derive(NetworkBehaviour, Default)]
    pub(crate) struct Hero {
        #[network_behaviour(base)]
        pub creature: Creature,
        #[sync_var]
        pub r#type: SyncVar<u8>,
        #[sync_var(constant = INVENTORY)]
        pub(crate) bag: SyncList<u32>,
        /// A name that the trait `NetworkBehaviour` has too.
        #[sync_var]
        pub(super) schema: SyncVar<bool>,
    }

    impl Hero {
        /// Largest number of items, with the name of a field's constant without `constant = ...`.
        pub(crate) const BAG: usize = 8;
    }

    #[derive(NetworkBehaviour, Default)]
    pub(crate) struct King(
        #[network_behaviour(base)] pub Hero,
        #[sync_var] pub SyncVar<u8>,
    );

    #[derive(NetworkBehaviour, Default)]
    pub(crate) struct Lid<T: SyncValue + Default>(#[sync_var] pub SyncVar<T>);

    #[derive(NetworkBehaviour, Default)]
    pub(crate) struct Chest<T: SyncValue + Default> {
        #[network_behaviour(base)]
        pub inner: Lid<T>,
        #[sync_var]
        pub locked: SyncVar<bool>,
    }
}

use game::{Chest, Creature, Hero, King, Lid};

#[test]
fn constants_have_the_bits_of_their_fields() {
    let bits = [
        Creature::HEALTH.bit(),
        Hero::TYPE.bit(),
        Hero::INVENTORY.bit(),
        Hero::SCHEMA.bit(),
        King::FIELD_1.bit(),
        Lid::<u8>::FIELD_0.bit(),
        Chest::<u8>::LOCKED.bit(),
    ];
    assert_eq!(bits, [1, 2, 4, 8, 16, 1, 2]);
    let mut hero = Hero::default();
    hero.bag.push(u32::try_from(Hero::BAG).unwrap());
    let dirty_bits = hero.sync_var_dirty_bits();
    assert!(dirty_bits & Hero::INVENTORY != 0 && dirty_bits & Hero::TYPE == 0);
}

#[test]
fn changes_of_one_type_name_their_fields() {
    let prefabs = || {
        Prefabs::new()
            .register::<Hero>("hero")
            .register::<(King, Chest<u8>)>("king")
    };
    let mut net = MemoryNetwork::pair(prefabs);
    let hero = net.server.spawn(Hero::default());
    let king = net.server.spawn((King::default(), Chest::<u8>::default()));
    net.settle();
    let _ = changes::<Hero>(&mut net);
    net.server.get_mut::<Hero>(hero).unwrap().schema.set(true);
    net.server.get_mut::<King>(king).unwrap().0.creature.health -= 1;
    net.server
        .get_mut::<Chest<u8>>(king)
        .unwrap()
        .locked
        .set(true);
    net.settle();
    assert_eq!(changes::<Hero>(&mut net), [(hero, vec!["schema"])]);

    fn changes<B: NetworkBehaviour>(net: &mut MemoryNetwork) -> Vec<(NetId, Vec<&'static str>)> {
        let events: Vec<_> = syncvar_testing::events(net.client_mut(0)).collect();
        let changes = events.iter().filter_map(ClientEvent::changed::<B>);
        changes
            .map(|changed| (changed.object(), changed.names().collect()))
            .collect()
    }
}

#[test]
fn constants_of_a_base_ask_about_the_derived_class() {
    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<(King, Chest<u8>)>("king"));
    let king = net.server.spawn((King::default(), Chest::<u8>::default()));
    net.settle();
    while net.client_mut(0).poll_event().is_some() {}
    net.server.get_mut::<King>(king).unwrap().0.creature.health -= 1;
    net.server
        .get_mut::<Chest<u8>>(king)
        .unwrap()
        .inner
        .0
        .set(3);
    net.settle();
    let events: Vec<_> = syncvar_testing::events(net.client_mut(0)).collect();
    let [of_king] = events
        .iter()
        .filter_map(ClientEvent::changed::<King>)
        .collect::<Vec<_>>()[..]
    else {
        panic!("{events:?}");
    };
    assert!(of_king.contains(Creature::HEALTH));
    assert!(!of_king.contains(Hero::TYPE) && !of_king.contains(King::FIELD_1));
    let mut of_chest = events.iter().filter_map(ClientEvent::changed::<Chest<u8>>);
    assert!(of_chest.next().unwrap().contains(Lid::<u8>::FIELD_0));
    assert!(
        !events
            .iter()
            .any(|event| event.changed::<Creature>().is_some())
    );
}

#[test]
fn behaviour_by_hand_declares_its_constants() {
    const OPEN: FieldBit<Hero> = FieldBit::new(8);
    assert_eq!(OPEN, Hero::SCHEMA);
    assert_eq!(format!("{OPEN:?}"), "FieldBit(0x8)");
}
