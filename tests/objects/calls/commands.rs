//! What a command is told about who called it.

use syncvar::prelude::*;

use super::world::{DIALECTS, Unit, network, ran, spawn};

// checklist: T63
#[test]
fn the_sender_is_the_connection_that_the_bytes_came_from() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 3);
        let id = spawn(&mut net, Some(1));
        for client in [2, 0, 1] {
            net.client_mut(client).calls::<Unit>(id).open().unwrap();
            net.step();
        }
        net.client_mut(1).calls::<Unit>(id).fire(9).unwrap();
        net.step();
        let expected = [
            "open by Some(3)",
            "open by Some(1)",
            "open by Some(2)",
            "fire 9 by Some(2)",
        ];
        assert_eq!(ran(&net, id), expected);
    }
}

#[test]
fn a_command_can_despawn_its_own_object() {
    #[derive(NetworkBehaviour, Default)]
    struct Mine;

    #[network_calls]
    impl Mine {
        #[command(requires_ownership = false)]
        fn trigger(&mut self, context: &mut CallContext<'_>) {
            let id = context.net_id();
            let server = context.server().expect("the server");
            server.calls::<Self>(id).gone().expect("it is still there");
            server.despawn(id).unwrap();
            server.spawn(Self);
        }

        #[sync_event]
        fn gone();
    }

    let mut net = MemoryNetwork::pair(|| Prefabs::new().register::<Mine>("mine"));
    let id = net.server.spawn(Mine);
    net.settle();
    net.client_mut(0).calls::<Mine>(id).trigger().unwrap();
    net.settle();
    assert!(net.client(0).identity(id).is_none());
    assert_eq!(net.client(0).object_count(), 1);
    let events = syncvar_testing::events(net.client_mut(0));
    let gone = events
        .filter(|event| matches!(event, ClientEvent::SyncEvent(event) if event.object() == id));
    assert_eq!(gone.count(), 1);
}
