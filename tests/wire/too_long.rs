//! A text or collection above a limit stops its field, and the other fields travel on.

use syncvar::prelude::*;

/// Limit of a string, in bytes.
const LIMIT: usize = 32_767;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.0)]
struct Scribe {
    #[sync_var(hook = on_text)]
    text: SyncVar<String>,
    #[sync_var]
    pages: SyncVar<u32>,
    #[sync_var]
    lines: SyncList<String>,
    #[sync_var]
    numbers: SyncList<u32>,
    #[sync_var]
    front: SyncVar<Vec<u8>>,
    #[sync_var]
    back: SyncVar<Vec<u8>>,
    seen: u32,
}

impl Scribe {
    fn on_text(&mut self, _previous: String) {
        self.seen += 1;
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.0)]
struct Letter {
    #[sync_var(write = owner)]
    text: SyncVar<String>,
    #[sync_var(write = owner)]
    sealed: SyncVar<u32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.0)]
struct Secret {
    #[sync_var]
    open: SyncVar<String>,
    #[sync_var(read = owner)]
    key: SyncVar<u32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<(Scribe, Secret)>("scribe")
        .register::<Scribe>("one")
        .register::<Letter>("letter")
}

fn networks() -> [MemoryNetwork; 2] {
    syncvar_testing::networks_of_both_framings(prefabs)
}

fn failures(net: &mut MemoryNetwork) -> Vec<String> {
    let events = std::iter::from_fn(|| net.server.poll_event());
    let failures = events.filter_map(|event| match event {
        ServerEvent::SerializeFailed {
            object,
            behaviour,
            field,
            ..
        } => Some(format!("{object} {} {}", behaviour?, field?)),
        _ => None,
    });
    failures.collect()
}

fn long() -> String {
    "n".repeat(LIMIT + 1)
}

#[test]
fn a_long_text_keeps_its_last_sent_value() {
    for mut net in networks() {
        let id = net.server.spawn(Scribe::default());
        net.settle();
        net.server
            .get_mut::<Scribe>(id)
            .unwrap()
            .text
            .set("short".into());
        net.settle();
        failures(&mut net);
        net.server.get_mut::<Scribe>(id).unwrap().text.set(long());
        for page in 1..4 {
            let mut scribe = net.server.get_mut::<Scribe>(id).unwrap();
            scribe.pages.set(page);
            scribe.lines.push("line".into());
            drop(scribe);
            net.settle();
            let there = net.client(0).get::<Scribe>(id).unwrap();
            assert_eq!((there.text.as_str(), *there.pages), ("short", page));
            assert_eq!(there.lines.len(), page as usize);
        }
        assert_eq!(failures(&mut net), ["#1 Scribe text"], "reported once");
        net.server
            .get_mut::<Scribe>(id)
            .unwrap()
            .text
            .set("again".into());
        net.settle();
        let there = net.client(0).get::<Scribe>(id).unwrap();
        assert_eq!((there.text.as_str(), there.seen), ("again", 2));
        net.server.get_mut::<Scribe>(id).unwrap().text.set(long());
        net.settle();
        assert_eq!(failures(&mut net), ["#1 Scribe text"], "and once more");
    }
}

#[test]
fn a_long_element_stops_its_collection_alone() {
    for mut net in networks() {
        let id = net.server.spawn(Scribe::default());
        net.settle();
        let mut scribe = net.server.get_mut::<Scribe>(id).unwrap();
        scribe.lines.push("first".into());
        scribe.lines.push(long());
        scribe.pages.set(7);
        drop(scribe);
        net.settle();
        let there = net.client(0).get::<Scribe>(id).unwrap();
        assert_eq!((there.lines.len(), *there.pages), (0, 7));
        assert_eq!(failures(&mut net), ["#1 Scribe lines"]);
        net.connect();
        net.settle();
        let mut scribe = net.server.get_mut::<Scribe>(id).unwrap();
        scribe.lines.remove(1);
        scribe.lines.push("second".into());
        drop(scribe);
        net.settle();
        for scribe in net.replicas::<Scribe>(id) {
            assert_eq!(scribe.unwrap().lines.to_vec(), ["first", "second"]);
        }
    }
}

#[test]
fn a_snapshot_leaves_a_long_text_empty() {
    for mut net in networks() {
        let scribe = Scribe {
            text: long().into(),
            pages: 3.into(),
            ..Scribe::default()
        };
        let id = net.server.spawn(scribe);
        net.settle();
        net.connect();
        net.settle();
        for scribe in net.replicas::<Scribe>(id) {
            let scribe = scribe.unwrap();
            assert_eq!((scribe.text.as_str(), *scribe.pages), ("", 3));
        }
        assert_eq!(failures(&mut net), ["#1 Scribe text"; 2], "per snapshot");
        net.server.get_mut::<Scribe>(id).unwrap().text.truncate(5);
        net.settle();
        for scribe in net.replicas::<Scribe>(id) {
            assert_eq!(scribe.unwrap().text, *"nnnnn");
        }
    }
}

/// A list of 20 000 numbers of five bytes exceeds the 65 535 bytes of a UNet message.
#[test]
fn a_list_beyond_a_message_stops_alone() {
    let [_, mut net] = networks();
    let id = net.server.spawn(Scribe::default());
    net.settle();
    let mut scribe = net.server.get_mut::<Scribe>(id).unwrap();
    scribe.numbers.extend(vec![u32::MAX; 20_000]);
    scribe.pages.set(1);
    drop(scribe);
    net.settle();
    assert_eq!(failures(&mut net), ["#1 Scribe numbers"]);
    net.connect();
    net.server.get_mut::<Scribe>(id).unwrap().pages.set(2);
    net.settle();
    for scribe in net.replicas::<Scribe>(id) {
        let scribe = scribe.expect("the object goes on");
        assert_eq!((scribe.numbers.len(), *scribe.pages), (0, 2));
    }
    assert!(failures(&mut net).is_empty(), "reported once");
    let mut scribe = net.server.get_mut::<Scribe>(id).unwrap();
    scribe.numbers.truncate(10_000);
    drop(scribe);
    net.settle();
    for scribe in net.replicas::<Scribe>(id) {
        assert_eq!(scribe.unwrap().numbers.to_vec(), vec![u32::MAX; 10_000]);
    }
}

#[test]
fn fields_that_exceed_a_message_together_arrive_apart() {
    let [_, mut net] = networks();
    let id = net.server.spawn(Scribe::default());
    net.settle();
    let mut scribe = net.server.get_mut::<Scribe>(id).unwrap();
    scribe.front.set(vec![1; 40_000]);
    scribe.back.set(vec![2; 50_000]);
    scribe.pages.set(3);
    drop(scribe);
    net.step();
    net.connect();
    net.settle();
    for scribe in net.replicas::<Scribe>(id) {
        let scribe = scribe.unwrap();
        assert_eq!((scribe.front.len(), scribe.back.len()), (40_000, 50_000));
        assert_eq!(scribe.pages, 3);
    }
    assert!(failures(&mut net).is_empty());
}

#[test]
fn host_keeps_a_long_text_that_no_client_gets() {
    let [mut net, _] = networks();
    net.server.connect_local();
    let id = net.server.spawn(Scribe::default());
    net.settle();
    let mut scribe = net.server.get_mut::<Scribe>(id).unwrap();
    scribe.text.set(long());
    scribe.pages.set(6);
    drop(scribe);
    net.settle();
    let host = net.server.get::<Scribe>(id).unwrap();
    assert_eq!((host.text.len(), host.seen), (LIMIT + 1, 1));
    let there = net.client(0).get::<Scribe>(id).unwrap();
    assert_eq!((there.text.as_str(), *there.pages, there.seen), ("", 6, 0));
    assert_eq!(failures(&mut net), ["#1 Scribe text"]);
}

/// Fields that an owner changes together arrive together, or not at all.
#[test]
fn an_owners_write_with_a_long_text_is_refused_as_a_whole() {
    let [mut net, _] = networks();
    let id = net.server.spawn(Letter::default());
    net.server.set_owner(id, Some(net.connection(0))).unwrap();
    net.settle();
    let client = net.client_mut(0);
    while client.poll_event().is_some() {}
    let mut letter = client.get_mut::<Letter>(id).unwrap();
    letter.text.set(long());
    letter.sealed.set(1);
    drop(letter);
    net.settle();
    let client = net.client_mut(0);
    let events = std::iter::from_fn(|| client.poll_event());
    let refused = events.filter_map(|event| match event {
        ClientEvent::WriteRefused { fields, .. } => Some(fields.names().collect()),
        _ => None,
    });
    assert_eq!(refused.collect::<Vec<Vec<_>>>(), [["text", "sealed"]]);
    let ends = [net.client(0).get::<Letter>(id), net.server.get(id)];
    for letter in ends {
        let letter = letter.unwrap();
        assert_eq!((letter.text.as_str(), *letter.sealed), ("", 0));
    }
}

/// The snapshot behind a refusal replaces the refused values alone.
#[test]
fn writes_behind_a_refused_write_survive_its_snapshot() {
    let [mut net, _] = networks();
    let id = net.server.spawn(Letter::default());
    net.server.set_owner(id, Some(net.connection(0))).unwrap();
    net.settle();
    let client = net.client_mut(0);
    client.get_mut::<Letter>(id).unwrap().text.set(long());
    net.step();
    let is_refused = |event: ClientEvent| matches!(event, ClientEvent::WriteRefused { .. });
    let client = net.client_mut(0);
    assert!(std::iter::from_fn(|| client.poll_event()).any(is_refused));
    client.get_mut::<Letter>(id).unwrap().sealed.set(2);
    net.settle();
    for letter in [net.client(0).get::<Letter>(id), net.server.get(id)] {
        let letter = letter.unwrap();
        assert_eq!((letter.text.as_str(), *letter.sealed), ("", 2));
    }
}

#[test]
fn restricted_fields_of_the_object_travel_on() {
    let [mut net, _] = networks();
    let id = net.server.spawn((Scribe::default(), Secret::default()));
    net.server.set_owner(id, Some(net.connection(0))).unwrap();
    net.settle();
    let mut secret = net.server.get_mut::<Secret>(id).unwrap();
    secret.open.set(long());
    secret.key.set(9);
    drop(secret);
    net.server.get_mut::<Scribe>(id).unwrap().pages.set(2);
    net.settle();
    let client = net.client(0);
    assert_eq!(client.get::<Secret>(id).unwrap().key, 9);
    assert_eq!(client.get::<Scribe>(id).unwrap().pages, 2);
    assert_eq!(failures(&mut net), ["#1 Secret open"]);
    net.server.get_mut::<Secret>(id).unwrap().open.clear();
    net.server.get_mut::<Secret>(id).unwrap().open.push('o');
    net.settle();
    assert_eq!(net.client(0).get::<Secret>(id).unwrap().open, *"o");
}

#[test]
fn a_limited_connection_gets_the_other_fields_too() {
    let [mut net, _] = networks();
    let id = net.server.spawn(Scribe::default());
    net.settle();
    let budget = syncvar::Budget::new(10_000);
    net.server
        .set_budget(net.connection(0), Some(budget))
        .unwrap();
    let mut scribe = net.server.get_mut::<Scribe>(id).unwrap();
    scribe.text.set(long());
    scribe.pages.set(5);
    drop(scribe);
    net.settle();
    let there = net.client(0).get::<Scribe>(id).unwrap();
    assert_eq!((there.text.as_str(), *there.pages), ("", 5));
    net.server
        .get_mut::<Scribe>(id)
        .unwrap()
        .text
        .set("fits".into());
    net.settle();
    assert_eq!(net.client(0).get::<Scribe>(id).unwrap().text, *"fits");
}

#[test]
fn a_hidden_object_with_a_long_text_can_be_shown() {
    let [mut net, _] = networks();
    let id = net.server.spawn(Scribe::default());
    net.settle();
    net.server.hide(id, net.connection(0)).unwrap();
    let mut scribe = net.server.get_mut::<Scribe>(id).unwrap();
    scribe.text.set(long());
    scribe.pages.set(4);
    drop(scribe);
    net.settle();
    net.server.show(id, net.connection(0)).unwrap();
    net.settle();
    let there = net.client(0).get::<Scribe>(id).unwrap();
    assert_eq!((there.text.as_str(), *there.pages), ("", 4));
}
