//! A former owner: fields that it may no longer read.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{ClientConfig, Framing};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Purse {
    #[sync_var(read = owner, hook = on_gold)]
    gold: SyncVar<u32>,
    #[sync_var(read = owner, hook = on_item)]
    items: SyncList<u32>,
    #[sync_var(read = owner)]
    note: SyncVar<String>,
    #[sync_var(hook = on_level)]
    level: SyncVar<u32>,
    log: Vec<String>,
}

impl Purse {
    fn on_gold(&mut self, previous: u32, ctx: &mut NetworkContext<'_>) {
        let owner = if ctx.is_owner() { "owner" } else { "other" };
        self.log
            .push(format!("{owner}: {previous} -> {}", self.gold));
    }

    fn on_item(&mut self, change: &ListChange<u32>) {
        self.log.push(format!("{change:?}"));
    }

    fn on_level(&mut self, _previous: u32) {
        self.log.push("level".into());
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register_with("purse", || Purse {
        gold: 1.into(),
        ..Purse::default()
    })
}

fn owned_purse(framing: Framing) -> (MemoryNetwork, NetId) {
    let config = ClientConfig {
        framing,
        ..ClientConfig::default()
    };
    let mut net = MemoryNetwork::new(prefabs);
    net.connect_client(NetworkClient::with_config(prefabs(), config));
    net.settle();
    let purse = Purse {
        gold: 1.into(),
        ..Purse::default()
    };
    let id = net.server.spawn(purse);
    let owner = Some(net.connection(0));
    net.server.set_owner(id, owner).unwrap();
    net.settle();
    let mut purse = net.server.get_mut::<Purse>(id).unwrap();
    purse.gold.set(70);
    purse.items.push(4);
    purse.level.set(2);
    drop(purse);
    net.settle();
    net.client_mut(0).get_mut::<Purse>(id).unwrap().log.clear();
    while net.client_mut(0).poll_event().is_some() {}
    (net, id)
}

#[test]
fn former_owner_loses_the_values_of_private_fields() {
    for framing in [Framing::Unet, Framing::Compact] {
        let (mut net, id) = owned_purse(framing);
        net.server.set_owner(id, None).unwrap();
        net.settle();
        let purse = net.client(0).get::<Purse>(id).unwrap();
        assert_eq!((*purse.gold, purse.items.len(), *purse.level), (1, 0, 2));
        assert_eq!(purse.log.len(), 2, "{:?}", purse.log);
        assert_eq!(purse.log[0], "other: 70 -> 1");
        let events: Vec<_> = syncvar_testing::events(net.client_mut(0)).collect();
        let owned = false;
        assert_eq!(events[0], ClientEvent::OwnerChanged { object: id, owned });
        let changed = events[1].changed::<Purse>().unwrap();
        assert!(changed.names().eq(["gold", "items"]), "{events:?}");
        assert_eq!(events.len(), 2, "{events:?}");
        let server = net.server.get::<Purse>(id).unwrap();
        assert_eq!((*server.gold, server.items.len()), (70, 1));
    }
}

#[test]
fn regained_object_has_the_present_values() {
    for framing in [Framing::Unet, Framing::Compact] {
        let (mut net, id) = owned_purse(framing);
        let owner = Some(net.connection(0));
        net.server.set_owner(id, None).unwrap();
        net.settle();
        net.server.get_mut::<Purse>(id).unwrap().gold.set(90);
        net.settle();
        assert_eq!(net.client(0).get::<Purse>(id).unwrap().gold, 1);
        net.server.set_owner(id, owner).unwrap();
        net.settle();
        let purse = net.client(0).get::<Purse>(id).unwrap();
        assert_eq!((*purse.gold, purse.items.to_vec()), (90, vec![4]));
    }
}

#[test]
fn host_shares_the_values_of_the_server() {
    let mut server = NetworkServer::new(prefabs());
    let me = server.connect_local();
    let id = server.spawn(Purse::default());
    server.set_owner(id, Some(me)).unwrap();
    server.get_mut::<Purse>(id).unwrap().gold.set(70);
    server.update(Duration::from_millis(50));
    server.set_owner(id, None).unwrap();
    server.update(Duration::from_millis(100));
    let local = server.local_client().unwrap();
    assert_eq!(local.get::<Purse>(id).unwrap().gold, 70);
}
