//! What is too long for the messages of UNet, and not for those of `Compact`, with clients of both.

use syncvar::Framing;
use syncvar::prelude::*;
use syncvar_testing::client;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Diary {
    #[sync_var]
    items: SyncList<u32>,
    #[sync_var]
    tags: SyncHashSet<String>,
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Diary>("diary")
}

fn join(net: &mut MemoryNetwork, dialect: Framing) -> usize {
    net.connect_client(client(prefabs(), dialect))
}

/// A client of each dialect that sees the object.
fn world() -> (MemoryNetwork, NetId) {
    let mut net = MemoryNetwork::new(prefabs);
    join(&mut net, Framing::Compact);
    join(&mut net, Framing::Unet);
    let id = net.server.spawn(Diary::default());
    net.settle();
    (net, id)
}

/// These clients have what the server has, and none was ever told nonsense.
fn assert_equal(net: &mut MemoryNetwork, id: NetId, clients: &[usize]) {
    for client in clients {
        while let Some(event) = net.client_mut(*client).poll_event() {
            let poisoned = matches!(event, ClientEvent::Poisoned { .. });
            assert!(!poisoned, "{client}: {event:?}");
        }
        let expected = net.server.get::<Diary>(id).unwrap();
        let diary = net.client(*client).get::<Diary>(id).unwrap();
        assert!(diary.items == expected.items, "{client}");
        assert_eq!(diary.tags, expected.tags, "{client}");
    }
}

/// Those who have it are sent its changes, each once; those who join in UNet's dialect have to wait until
/// it has become shorter.
#[test]
fn oversized_list_continues_for_observers_and_delays_others() {
    let (mut net, id) = world();
    for thousand in 0..40 {
        let mut diary = net.server.get_mut::<Diary>(id).unwrap();
        let numbers = (0..1000).map(|item| 1_000_000 * thousand + item);
        diary.items.extend(numbers);
        diary.tags.insert(thousand.to_string());
        drop(diary);
        net.step();
    }
    assert_equal(&mut net, id, &[0, 1]);
    assert_eq!(net.server.get::<Diary>(id).unwrap().items.len(), 40_000);
    let late = join(&mut net, Framing::Unet);
    for step in 0..5 {
        let mut diary = net.server.get_mut::<Diary>(id).unwrap();
        diary.items.remove(step);
        diary.tags.insert(format!("{step}x"));
        drop(diary);
        net.step();
    }
    assert_equal(&mut net, id, &[0, 1]);
    assert!(net.client(late).get::<Diary>(id).is_none());
    net.server.get_mut::<Diary>(id).unwrap().items.truncate(100);
    net.settle();
    assert_equal(&mut net, id, &[0, 1, late]);
}

/// The whole has no form for UNet, but has one in `Compact`: an operation beside it comes once to both,
/// whatever waits meanwhile and whoever joins.
#[test]
fn value_writable_in_one_encoding_arrives_once() {
    for late in [Framing::Unet, Framing::Compact] {
        let (mut net, id) = world();
        let mut diary = net.server.get_mut::<Diary>(id).unwrap();
        diary.items = (0..70_000).collect();
        diary.tags.insert("once".into());
        drop(diary);
        for step in 0..3 {
            net.step();
            let mut diary = net.server.get_mut::<Diary>(id).unwrap();
            diary.tags.insert(step.to_string());
            diary.items.push(step);
        }
        let late = join(&mut net, late);
        for _ in 0..5 {
            net.step();
        }
        net.server.get_mut::<Diary>(id).unwrap().items.truncate(100);
        net.settle();
        assert_equal(&mut net, id, &[0, 1, late]);
    }
}
