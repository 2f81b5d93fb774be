//! Clients and servers of different builds: the schema is sent once, and the next connection begins by it.

use std::time::Duration;

use syncvar::ServerConfig;
use syncvar::join::Builds;
use syncvar::prelude::*;
use syncvar::stats::MessageType;
use syncvar::testing::Conditions;
use syncvar::{ClientState, DisconnectReason};
use syncvar_testing::{drain, token};

mod earlier {
    use syncvar::prelude::*;

    #[derive(NetworkBehaviour, Default)]
    pub(super) struct Hero {
        #[sync_var]
        pub(super) hp: SyncVar<i32>,
        #[sync_var]
        pub(super) name: SyncVar<String>,
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(was = "Hero")]
struct Player {
    #[sync_var]
    armour: SyncVar<u8>,
    #[sync_var(was = "hp")]
    health: SyncVar<i32>,
    #[sync_var]
    name: SyncVar<String>,
}

/// Behaviour that no build of a `Player` can read.
mod foreign {
    use syncvar::prelude::*;

    #[derive(NetworkBehaviour, Default)]
    pub(super) struct Player {
        #[sync_var]
        armour: SyncVar<String>,
        #[sync_var]
        health: SyncVar<Vec<String>>,
        #[sync_var]
        name: SyncVar<String>,
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Player>("player")
}

fn earlier() -> Prefabs {
    Prefabs::new().register::<earlier::Hero>("player")
}

fn config() -> ServerConfig {
    ServerConfig {
        reconnect_grace: Duration::from_secs(5),
        session_tokens: Some(token),
        ..ServerConfig::default()
    }
}

/// Returns a network with a client of an earlier build, and an object that it sees.
fn network() -> (MemoryNetwork, NetId) {
    let mut net = MemoryNetwork::with_config(prefabs, config(), Conditions::default());
    net.connect_client(NetworkClient::new(earlier()));
    let id = net.server.spawn(Player {
        health: 5.into(),
        ..Player::default()
    });
    net.settle();
    (net, id)
}

fn schemas_sent(net: &MemoryNetwork) -> u64 {
    net.server.stats().encoded(MessageType::Schema).messages
}

fn hp(net: &MemoryNetwork, id: NetId) -> i32 {
    let hero = net.client(0).get::<earlier::Hero>(id).expect("an object");
    *hero.hp
}

#[test]
fn client_of_an_earlier_build_plays() {
    let (mut net, id) = network();
    assert_eq!((hp(&net, id), schemas_sent(&net)), (5, 1));
    net.server.get_mut::<Player>(id).unwrap().health.set(7);
    net.settle();
    assert_eq!(hp(&net, id), 7);
}

#[test]
fn next_connection_needs_no_schema() {
    let (mut net, id) = network();
    net.client_mut(0).disconnect("later");
    net.settle();
    assert_eq!(net.client(0).state(), ClientState::Disconnected);
    // The client itself connects again.
    let mut again = MemoryNetwork::with_config(prefabs, config(), Conditions::default());
    again.server.spawn(Player {
        health: 9.into(),
        ..Player::default()
    });
    let client = std::mem::replace(net.client_mut(0), NetworkClient::new(earlier()));
    again.connect_client(client);
    again.settle();
    assert_eq!((hp(&again, id), schemas_sent(&again)), (9, 0));
}

#[test]
fn returning_client_needs_no_schema() {
    let (mut net, id) = network();
    net.cut(0);
    net.server.get_mut::<Player>(id).unwrap().health.set(6);
    net.settle();
    net.reconnect(0);
    net.settle();
    assert!(
        drain(&mut net, 0)
            .iter()
            .any(|event| matches!(event, ClientEvent::Returned { .. }))
    );
    assert_eq!((hp(&net, id), schemas_sent(&net)), (6, 1));
}

#[test]
fn client_returns_to_a_server_of_its_own_build() {
    let (mut net, id) = network();
    net.client_mut(0).disconnect("the server is updated");
    net.settle();
    let mut own = MemoryNetwork::new(earlier);
    own.server.spawn(earlier::Hero {
        hp: 3.into(),
        ..earlier::Hero::default()
    });
    let client = std::mem::replace(net.client_mut(0), NetworkClient::new(earlier()));
    own.connect_client(client);
    own.settle();
    assert_eq!((hp(&own, id), schemas_sent(&own)), (3, 1));
}

#[test]
fn equal_builds_exchange_no_schema() {
    let mut net = MemoryNetwork::pair(prefabs);
    net.settle();
    assert_eq!(schemas_sent(&net), 0);
}

#[test]
fn refusal_has_every_reason() {
    let mut net = MemoryNetwork::new(prefabs);
    let foreign = Prefabs::new().register::<foreign::Player>("player");
    net.connect_client(NetworkClient::new(foreign));
    net.settle();
    let Some(ClientEvent::Refused {
        reason: DisconnectReason::SchemaMismatch(Some(report)),
    }) = net.client_mut(0).poll_event()
    else {
        panic!("no reasons");
    };
    assert_eq!(report.reasons.len(), 2, "{report}");
    assert!(report.reasons[0].contains("armour") && report.reasons[1].contains("health"));
    let refused = std::iter::from_fn(|| net.server.poll_event()).last();
    let reason = DisconnectReason::SchemaMismatch(None);
    assert!(
        matches!(&refused, Some(ServerEvent::Refused { reason: is, .. }) if *is == reason),
        "{refused:?}"
    );
}

#[test]
fn client_of_equal_builds_leaves_a_server_that_would_take_it() {
    let mut net = MemoryNetwork::new(prefabs);
    let config = ClientConfig {
        builds: Builds::Exact,
        ..ClientConfig::default()
    };
    net.connect_client(NetworkClient::with_config(earlier(), config));
    net.settle();
    let event = net.client_mut(0).poll_event();
    assert!(
        matches!(
            event,
            Some(ClientEvent::Refused {
                reason: DisconnectReason::SchemaMismatch(Some(_))
            })
        ),
        "{event:?}"
    );
}
