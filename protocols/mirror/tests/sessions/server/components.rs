//! Components beyond the 64 of an object.

use std::panic::catch_unwind;

use syncvar::behaviour::BehaviourList;
use syncvar::mirror::message::{EntityStateMessage, NetworkMessage};
use syncvar::mirror::{
    AssetId, Component, MirrorClient, MirrorPrefab, MirrorPrefabs, MirrorServer,
    MirrorServerConfig, SpawnPolicy, SyncDirection,
};
use syncvar::prelude::*;
use syncvar_testing::mirror::{MirrorNetwork, bytes};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.0)]
struct Part {
    #[sync_var]
    number: SyncVar<u32>,
}

fn parts(count: usize) -> BehaviourList {
    (0..count).fold(BehaviourList::new(), |list, _| list.with(Part::default()))
}

#[test]
fn more_than_64_components_are_refused_with_a_sentence() {
    for count in [65, 256] {
        let made = catch_unwind(|| parts(count)).expect_err("too many");
        let text = made.downcast_ref::<&str>().expect("a sentence");
        assert_eq!(*text, "an object has at most 64 behaviours");
    }
}

/// A command for component 255, and a state with all 64 bits that holds one component.
#[test]
fn absent_components_of_a_client_are_refused() {
    let config = MirrorServerConfig {
        spawn_policy: SpawnPolicy::WhenReady,
        ..MirrorServerConfig::default()
    };
    let server = MirrorServer::with_config(prefabs(), config);
    let mut net = MirrorNetwork::new(server, || MirrorClient::new(prefabs()));
    let (connection, id) = net.join(parts(64));
    let command = syncvar::mirror::message::CommandMessage {
        net_id: id,
        component_index: 255,
        function_hash: 1,
        payload: None,
    };
    net.say(connection, &[&bytes(&command)])
        .expect("refused, not malformed");
    assert_eq!(net.server.stats().refused_commands.unknown_call, 1);
    let mut payload = syncvar::wire::NetworkWriter::with_encoding(syncvar::wire::Encoding::Mirror);
    payload.write_var_u64(u64::MAX);
    payload.write_bytes(&[9, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
    let state = EntityStateMessage {
        net_id: id,
        payload: Some(payload.as_bytes()),
    };
    let error = net
        .say(connection, &[&bytes(&state)])
        .expect_err("cut short");
    assert!(
        error.to_string().contains(EntityStateMessage::NAME),
        "{error}"
    );
    assert!(!net.server.is_connected(connection));

    fn prefabs() -> MirrorPrefabs {
        let mut prefab = MirrorPrefab::new("machine", AssetId(64));
        for index in 0..64 {
            let component = Component::new().sync_direction(SyncDirection::ClientToServer);
            prefab = prefab.component(index, component);
        }
        MirrorPrefabs::new().register_with(prefab, || parts(64))
    }
}
