//! Dictionaries and sets.

use syncvar::prelude::*;
use syncvar::{
    ClientConfig, Framing, ServerConfig,
    testing::Conditions,
    wire::{Encoding, ReadErrorKind},
};

use crate::collections::{Bag, apply, delta, world};

fn told(net: &mut MemoryNetwork, id: NetId) -> Vec<String> {
    net.settle();
    let server = net.server.get::<Bag>(id).unwrap().state();
    let mut client = net.client_mut(0).get_mut::<Bag>(id).unwrap();
    assert_eq!(client.state(), server);
    std::mem::take(&mut client.told)
}

/// CHECKLIST M5, M7: every way of writing to a dictionary is noticed, and told with key, previous and
/// new value.
#[test]
fn dictionary_reports_the_change_of_each_key() {
    for dialect in [Framing::Unet, Framing::Compact] {
        let bag = Bag {
            ammo: [("bow".into(), 5), ("gun".into(), 1), ("axe".into(), 1)].into(),
            ..Bag::default()
        };
        let (mut net, id) = world(dialect, bag);
        {
            let ammo = &mut net.server.get_mut::<Bag>(id).unwrap().ammo;
            assert_eq!(ammo.insert("rod".into(), 3), None);
            assert_eq!(ammo.remove("gun"), Some(1));
            *ammo.get_mut("bow").unwrap() -= 1;
            *ammo.entry("rod".into()).or_insert(100) += 1;
            ammo.entry("bow".into()).and_modify(|count| *count -= 1);
            *ammo.get_mut("axe").unwrap() += 0;
        }
        let expected = [
            r#"Add { key: "rod", value: 4 }"#,
            r#"Remove { key: "gun", previous: 1 }"#,
            r#"Set { key: "bow", previous: 5, value: 3 }"#,
            "3 ammo",
        ];
        assert_eq!(told(&mut net, id), expected);
        net.server.get_mut::<Bag>(id).unwrap().ammo.clear();
        let told = told(&mut net, id);
        assert!(told[0].starts_with("Clear { previous: [") && told[1] == "1 ammo");
    }
}

/// CHECKLIST M5, M8.
#[test]
fn sets_hold_each_value_once_and_report_changes() {
    let bag = Bag {
        tags: ["old".into()].into(),
        scores: [30, 10, 20].into(),
        ..Bag::default()
    };
    let (mut net, id) = world(Framing::Compact, bag);
    {
        let mut bag = net.server.get_mut::<Bag>(id).unwrap();
        assert!(bag.tags.insert("new".into()));
        assert!(!bag.tags.insert("old".into()));
        assert!(bag.tags.remove("old"));
        assert!(bag.scores.insert(15) && !bag.scores.insert(10));
        assert_eq!(bag.scores.pop_last(), Some(30));
    }
    let expected = [
        r#"Add { value: "new" }"#,
        r#"Remove { value: "old" }"#,
        "Add { value: 15 }",
        "Remove { value: 30 }",
    ];
    assert_eq!(told(&mut net, id), expected);
    let client = net.client(0).get::<Bag>(id).unwrap();
    assert!(client.scores.iter().eq(&[10, 15, 20]), "in order");
}

/// CHECKLIST N11, N12: what is there keeps its memory, and its members that do not travel.
#[test]
fn elements_and_values_are_read_in_place() {
    #[derive(SyncValue, Clone, Debug, PartialEq, Default)]
    struct Buff {
        id: u32,
        name: String,
        #[sync_value(skip)]
        icon: u8,
    }
    fn buff(id: u32, name: &str, icon: u8) -> Buff {
        let name = name.into();
        Buff { id, name, icon }
    }
    let mut list = SyncList::from([buff(1, "one", 0), buff(2, "two", 0)]);
    let mut map = SyncDictionary::from([(1, buff(1, "one", 0))]);
    list.clear_dirty();
    map.clear_dirty();
    let mut replica_list = SyncList::from([buff(1, "one", 7), buff(2, "two", 8)]);
    let mut replica_map = SyncDictionary::from([(1, buff(1, "one", 9))]);
    let places = [
        replica_list[0].name.as_ptr(),
        replica_list[1].name.as_ptr(),
        replica_map[&1].name.as_ptr(),
    ];
    for whole in [false, true] {
        list.get_mut(1).unwrap().name = "TWO".into();
        map.get_mut(&1).unwrap().name = "ONE".into();
        if whole {
            list.set_dirty();
            map.set_dirty();
        }
        let dialect = Encoding::Compact;
        apply(&mut replica_list, &delta(&list, dialect), dialect);
        apply(&mut replica_map, &delta(&map, dialect), dialect);
        assert_eq!(replica_list, [buff(1, "one", 7), buff(2, "TWO", 8)]);
        assert_eq!(replica_map[&1], buff(1, "ONE", 9));
        let now = [
            replica_list[0].name.as_ptr(),
            replica_list[1].name.as_ptr(),
            replica_map[&1].name.as_ptr(),
        ];
        assert_eq!(now, places, "whole: {whole}");
    }
}

/// Operations that get lost must not be missed: what is sent is right without what was sent before.
#[test]
fn lost_collections_are_repaired() {
    /// The channel is unreliable.
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0, channel = 1)]
    struct Trail {
        #[sync_var]
        points: SyncList<u32>,
        #[sync_var]
        names: SyncDictionary<u8, String>,
        #[sync_var]
        flags: SyncHashSet<u8>,
    }

    let link = Conditions {
        loss: 0.5,
        seed: 7,
        ..Conditions::default()
    };
    let prefabs = || Prefabs::new().register::<Trail>("trail");
    let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
    net.connect();
    let id = net.server.spawn(Trail::default());
    net.settle();
    for number in 0..100 {
        let mut trail = net.server.get_mut::<Trail>(id).unwrap();
        trail.points.push(number.into());
        trail.names.insert(number % 10, number.to_string());
        trail.flags.insert(number);
        trail.flags.remove(&number.wrapping_sub(3));
        drop(trail);
        net.settle();
        let server = net.server.get::<Trail>(id).unwrap();
        let client = net.client(0).get::<Trail>(id).unwrap();
        assert_eq!(client.points, server.points);
        assert_eq!(client.names, server.names);
        assert_eq!(client.flags, server.flags);
    }
    let losses = net.server.losses(net.connection(0)).unwrap().unwrap();
    assert!(losses.repaired > 20, "{losses:?}");
    while let Some(event) = net.client_mut(0).poll_event() {
        assert!(!matches!(event, ClientEvent::Poisoned { .. }), "{event:?}");
    }
}

/// What a server may make a client hold is limited, whether it comes at once or bit by bit.
#[test]
fn collection_beyond_a_clients_limit_fails_only_its_object() {
    let mut config = ClientConfig::default();
    config.limits.max_elements = 10;
    let prefabs = || Prefabs::new().register::<Bag>("bag");
    let mut net = MemoryNetwork::new(prefabs);
    net.connect_client(NetworkClient::with_config(prefabs(), config));
    let [small, grows] = [(); 2].map(|()| net.server.spawn(Bag::default()));
    for number in 0..14_u32 {
        let mut bag = net.server.get_mut::<Bag>(grows).unwrap();
        match number % 4 {
            0 => bag.items.extend([number; 4]),
            1 => drop(bag.ammo.insert(number.to_string(), 0)),
            2 => bag.items.insert(0, number),
            _ => drop(bag.scores.insert(number.cast_signed())),
        }
        drop(bag);
        net.server.get_mut::<Bag>(small).unwrap().items.set_dirty();
        net.settle();
    }
    let mut errors = Vec::new();
    while let Some(event) = net.client_mut(0).poll_event() {
        if let ClientEvent::Poisoned { object, error } = event {
            assert_eq!((object, error.field()), (grows, Some("Bag.items")));
            errors.push(error.kind());
        }
    }
    let (count, limit) = (11, 10);
    assert_eq!(errors[0], ReadErrorKind::TooManyElements { count, limit });
    // As soon as it is short enough, all is well again.
    let mut bag = net.server.get_mut::<Bag>(grows).unwrap();
    bag.items.truncate(3);
    drop(bag);
    net.settle();
    net.server.get_mut::<Bag>(grows).unwrap().items.push(1);
    net.settle();
    let server = net.server.get::<Bag>(grows).unwrap();
    let client = net.client(0).get::<Bag>(grows).unwrap();
    assert_eq!(client.state(), server.state());
}

/// A key that was removed and inserted again is last on the server, and in its former place on a client.
#[test]
fn replicas_may_differ_in_the_order_of_a_dictionary() {
    let bag = Bag {
        ammo: [("bow".into(), 5), ("gun".into(), 1), ("axe".into(), 1)].into(),
        ..Bag::default()
    };
    let (mut net, id) = world(Framing::Compact, bag);
    {
        let ammo = &mut net.server.get_mut::<Bag>(id).unwrap().ammo;
        ammo.remove("bow");
        ammo.insert("bow".into(), 6);
    }
    net.settle();
    let keys = |bag: &Bag| bag.ammo.keys().cloned().collect::<Vec<_>>();
    let ours = keys(net.server.get::<Bag>(id).unwrap());
    let theirs = keys(net.client(0).get::<Bag>(id).unwrap());
    assert_ne!(ours, theirs, "the test needs two orders");
    net.assert_replicas_equal();
    let mut replica = net.client_mut(0).get_mut::<Bag>(id).unwrap();
    replica.ammo.insert("gun".into(), 2);
    drop(replica);
    assert_eq!(net.replica_differences().len(), 1, "a value counts");
}
