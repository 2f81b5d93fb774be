//! Channels that lose packets.

use syncvar::prelude::*;
use syncvar::{
    ServerConfig, SyncField,
    schema::TypeSchema,
    testing::Conditions,
    wire::{NetworkReader, NetworkWriter, ReadError},
};

/// A field of one's own whose changes are differences, beside a list, on a channel that loses packets:
/// what is lost of the list is not missed by what comes next.
#[test]
fn unreliable_channel_sends_lists_whole() {
    #[derive(Default)]
    struct Steps(u32, u32);
    impl SyncField for Steps {
        const SCHEMA: TypeSchema = TypeSchema::Named("Steps");
        fn is_dirty(&self) -> bool {
            self.0 != self.1
        }
        fn set_dirty(&mut self) {}
        fn clear_dirty(&mut self) {
            self.1 = self.0;
        }
        fn write_full(&self, writer: &mut NetworkWriter) {
            writer.write(&self.0);
        }
        fn write_delta(&self, writer: &mut NetworkWriter) {
            writer.write(&(self.0 - self.1));
        }
        fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
            self.0 = reader.read()?;
            Ok(())
        }
        fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
            self.0 += reader.read::<u32>()?;
            Ok(())
        }
    }
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0, channel = 1)]
    struct Walk {
        #[sync_var]
        steps: Steps,
        #[sync_var]
        items: SyncList<u32>,
    }
    let link = Conditions {
        loss: 0.5,
        ..Conditions::default()
    };
    let prefabs = || Prefabs::new().register::<Walk>("walk");
    let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
    net.connect();
    let id = net.server.spawn(Walk::default());
    net.settle();
    let mut equal = 0;
    for item in 0..40 {
        let mut walk = net.server.get_mut::<Walk>(id).unwrap();
        walk.items.push(item);
        walk.steps.0 += 1;
        drop(walk);
        net.settle();
        let server = net.server.get::<Walk>(id).unwrap();
        let client = net.client(0).get::<Walk>(id).unwrap();
        equal += usize::from(client.items == server.items);
        while let Some(event) = net.client_mut(0).poll_event() {
            assert!(!matches!(event, ClientEvent::Poisoned { .. }), "{event:?}");
        }
    }
    assert!(equal > 10, "{equal}");
}
