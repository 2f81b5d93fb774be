//! A behaviour by hand with collections, which implements the required items only.

use syncvar::NetworkBehaviour;
use syncvar::behaviour::BehaviourFields;
use syncvar::prelude::*;
use syncvar::{
    Budget, Framing,
    behaviour::FieldVisitor,
    fields::OperationLog,
    schema::{BehaviourSchema, FieldPolicy, FieldSchema, Readers},
    wire::{Encoding, NetworkReader, NetworkWriter},
};
use syncvar_testing::client;

/// Arrows for all observers, and poisoned ones that only the owner sees.
#[derive(Default)]
struct Quiver {
    arrows: SyncList<u8>,
    poisoned: SyncList<u8>,
}

impl NetworkBehaviour for Quiver {
    type Previous = ();
    const SCHEMA: BehaviourSchema = BehaviourSchema {
        name: "Quiver",
        base: None,
        fields: &[
            FieldSchema::of::<SyncList<u8>>("arrows"),
            FieldSchema::of::<SyncList<u8>>("poisoned").policy(FieldPolicy {
                readers: Readers::Owner,
                ..FieldPolicy::DEFAULT
            }),
        ],
    };

    fn sync_var_dirty_bits(&self) -> u64 {
        u64::from(self.arrows.is_dirty()) | u64::from(self.poisoned.is_dirty()) << 1
    }
    fn visit(&mut self, (): &mut (), visitor: &mut impl FieldVisitor) {
        visitor.field(1, "Quiver.arrows", &mut self.arrows);
        visitor.field(2, "Quiver.poisoned", &mut self.poisoned);
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Quiver>("quiver")
}

/// Arrows and poisoned arrows of a replica.
fn arrows(net: &MemoryNetwork, client: usize, id: NetId) -> (Vec<u8>, Vec<u8>) {
    let quiver = net.client(client).get::<Quiver>(id).unwrap();
    (quiver.arrows.to_vec(), quiver.poisoned.to_vec())
}

fn push(net: &mut MemoryNetwork, id: NetId, arrow: u8) {
    let mut quiver = net.server.get_mut::<Quiver>(id).unwrap();
    quiver.arrows.push(arrow);
    quiver.poisoned.push(arrow + 100);
}

#[test]
fn snapshots_and_deltas_arrive_in_every_encoding() {
    for encoding in [Encoding::Unet, Encoding::Compact, Encoding::Mirror] {
        let mut quiver = Quiver::default();
        if encoding == Encoding::Mirror {
            quiver.set_log(OperationLog::Full { pending: 0 });
        }
        quiver.arrows.extend([1, 2]);
        quiver.clear_all_dirty_bits();
        quiver.set_observed(true);
        let mut replica = Quiver::default();
        for initial_state in [true, false, false] {
            let mut writer = NetworkWriter::with_encoding(encoding);
            assert!(writer.write_layout(&mut quiver, initial_state));
            quiver.clear_all_dirty_bits();
            let mut reader = NetworkReader::with_encoding(writer.as_bytes(), encoding);
            let hooks = reader.read_layout(&mut replica, initial_state).unwrap();
            NetworkContext::detached(|ctx| hooks.call(&mut replica, ctx));
            reader.finish().unwrap();
            assert_eq!(replica.arrows, *quiver.arrows, "{encoding:?}");
            quiver.arrows.push(3);
            quiver.poisoned.push(4);
        }
        assert_eq!(replica.poisoned, [4, 4]);
    }
}

#[test]
fn an_owner_alone_receives_its_fields_in_both_framings() {
    for framing in [Framing::Unet, Framing::Compact] {
        let mut net = MemoryNetwork::new(prefabs);
        for _ in 0..2 {
            net.connect_client(client(prefabs(), framing));
        }
        let id = net.server.spawn(Quiver::default());
        let owner = net.connection(0);
        net.server.set_owner(id, Some(owner)).unwrap();
        push(&mut net, id, 1);
        net.settle();
        push(&mut net, id, 2);
        net.settle();
        assert_eq!(arrows(&net, 0, id), (vec![1, 2], vec![101, 102]));
        assert_eq!(arrows(&net, 1, id), (vec![1, 2], vec![]));
    }
}

#[test]
fn a_replaced_list_arrives_whole() {
    let mut net = MemoryNetwork::pair(prefabs);
    let id = net.server.spawn(Quiver::default());
    push(&mut net, id, 1);
    net.settle();
    net.server.get_mut::<Quiver>(id).unwrap().arrows = SyncList::from([7, 8]);
    net.settle();
    assert_eq!(arrows(&net, 0, id).0, [7, 8]);
}

#[test]
fn a_host_reports_its_changes() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.server.connect_local();
    let id = net.server.spawn(Quiver::default());
    net.settle();
    while net.server.poll_local_event().is_some() {}
    push(&mut net, id, 1);
    net.settle();
    let event = net.server.poll_local_event();
    let Some(ClientEvent::Changed { object, fields, .. }) = event else {
        panic!("{event:?}");
    };
    assert_eq!((object, fields.names().next()), (id, Some("arrows")));
    assert_eq!(arrows(&net, 0, id).0, [1]);
}

#[test]
fn a_budget_delays_changes_and_loses_none() {
    let mut net = MemoryNetwork::pair(prefabs);
    let ids = [(); 20].map(|()| net.server.spawn(Quiver::default()));
    net.settle();
    let connection = net.connection(0);
    net.server
        .set_budget(connection, Some(Budget::new(200)))
        .unwrap();
    for arrow in 0..5 {
        for id in ids {
            push(&mut net, id, arrow);
        }
        net.step();
    }
    for _ in 0..400 {
        net.step();
    }
    for id in ids {
        assert_eq!(arrows(&net, 0, id).0, [0, 1, 2, 3, 4]);
    }
}
