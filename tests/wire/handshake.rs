//! Both ends compare their schemas, and if these differ, the refusal names each difference.

mod builds;
mod parts;
mod schema_texts;

use syncvar::join::Builds;
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{DisconnectReason, values::NetworkHash128};
use syncvar_testing::client;

mod server_side {
    use syncvar::prelude::*;

    #[derive(NetworkBehaviour, Default)]
    pub(crate) struct Player {
        #[sync_var]
        health: SyncVar<i32>,
        #[sync_var]
        name: SyncVar<String>,
    }

    #[derive(SyncValue, Clone, Default)]
    pub(crate) struct Buff {
        id: u32,
        timer: f32,
    }

    #[derive(NetworkBehaviour, Default)]
    pub(crate) struct Effects {
        #[sync_var]
        buff: SyncVar<Buff>,
    }
}

mod client_side {
    use syncvar::prelude::*;

    #[derive(NetworkBehaviour, Default)]
    pub(crate) struct Player {
        #[sync_var]
        health: SyncVar<i32>,
        #[sync_var]
        title: SyncVar<String>,
    }

    #[derive(SyncValue, Clone, Default)]
    pub(crate) struct Buff {
        id: u32,
        timer: f64,
    }

    #[derive(NetworkBehaviour, Default)]
    pub(crate) struct Effects {
        #[sync_var]
        buff: SyncVar<Buff>,
    }
}

/// Connects a client with one registry to a server with another; returns what it is told.
fn connect(
    server: fn() -> Prefabs,
    client: fn() -> Prefabs,
) -> (Vec<ClientEvent>, Vec<ServerEvent>) {
    let mut net = MemoryNetwork::new(server);
    let config = ClientConfig {
        builds: Builds::Exact,
        ..ClientConfig::default()
    };
    let index = net.connect_client(NetworkClient::with_config(client(), config));
    net.settle();
    assert_eq!(
        net.server.connections().count(),
        usize::from(net.client(index).is_connected())
    );
    let events = syncvar_testing::events(net.client_mut(index)).collect();
    (
        events,
        std::iter::from_fn(|| net.server.poll_event()).collect(),
    )
}

/// Returns the reasons why a client that plays with equal builds only leaves a server.
fn reasons(server: fn() -> Prefabs, client: fn() -> Prefabs) -> Vec<String> {
    let (client, server) = connect(server, client);
    let [
        ClientEvent::Refused {
            reason: DisconnectReason::SchemaMismatch(Some(report)),
        },
    ] = &client[..]
    else {
        panic!("{client:?}");
    };
    assert!(
        matches!(&server[..], [ServerEvent::Refused { .. }]),
        "{server:?}"
    );
    report.reasons.clone()
}

#[test]
fn registry_order_does_not_matter() {
    let one = || {
        Prefabs::new()
            .register::<server_side::Player>("a")
            .register::<server_side::Effects>("b")
    };
    let other = || {
        Prefabs::new()
            .register::<server_side::Effects>("b")
            .register::<server_side::Player>("a")
    };
    let (client, server) = connect(one, other);
    assert_eq!(client, [ClientEvent::Connected, ClientEvent::Ready]);
    let connection = ConnectionId(1);
    assert_eq!(
        server,
        [
            ServerEvent::Connected { connection },
            ServerEvent::Ready { connection }
        ]
    );
}

#[test]
fn a_refusal_names_each_field() {
    let found = reasons(
        || {
            Prefabs::new()
                .register::<server_side::Player>("player")
                .register::<server_side::Effects>("effects")
        },
        || {
            Prefabs::new()
                .register::<client_side::Player>("player")
                .register::<client_side::Effects>("effects")
        },
    );
    let expected = [
        "prefab `effects`, behaviour `Effects`, field `buff`: `Buff { id: u32, timer: f32 }` of the server is \
         converted to `Buff { id: u32, timer: f64 }`",
        "prefab `player`, behaviour `Player`, field `name`: only the server has it",
        "prefab `player`, behaviour `Player`, field `title`: only the client has it",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_refusal_names_missing_prefabs_and_behaviours() {
    let one = || Prefabs::new().register::<server_side::Player>("player");
    let two = || {
        Prefabs::new()
            .register::<server_side::Player>("player")
            .register::<server_side::Effects>("effects")
    };
    assert_eq!(
        reasons(two, one),
        ["prefab `effects`: only the server has it"]
    );
    assert_eq!(
        reasons(one, two),
        ["prefab `effects`: only the client has it"]
    );
    let both = || Prefabs::new().register::<(server_side::Player, server_side::Effects)>("player");
    assert_eq!(
        reasons(both, one),
        ["prefab `player`, behaviour `Effects`: only the server has it"]
    );
}

#[test]
fn the_order_of_the_behaviours_is_part_of_the_agreement() {
    let found = reasons(
        || Prefabs::new().register::<(server_side::Player, server_side::Effects)>("both"),
        || Prefabs::new().register::<(server_side::Effects, server_side::Player)>("both"),
    );
    assert!(found[0].contains("the order of behaviours"), "{found:?}");
}

#[test]
fn the_channel_is_part_of_the_agreement() {
    #[derive(NetworkBehaviour, Default)]
    struct Lamp {
        #[sync_var]
        lit: SyncVar<bool>,
    }
    mod other {
        use syncvar::prelude::*;

        #[derive(NetworkBehaviour, Default)]
        #[network_behaviour(channel = 1)]
        pub(crate) struct Lamp {
            #[sync_var]
            lit: SyncVar<bool>,
        }
    }
    let found = reasons(
        || Prefabs::new().register::<Lamp>("lamp"),
        || Prefabs::new().register::<other::Lamp>("lamp"),
    );
    assert_eq!(
        found,
        [
            "prefab `lamp`, behaviour `Lamp`: its place or its rules differ, and those of the server apply"
        ]
    );
}

/// Equal names with exchanged asset ids would make each object as the other prefab.
#[test]
fn the_asset_id_is_part_of_the_agreement() {
    fn registry(player: &str, effects: &str) -> Prefabs {
        let (player, effects) = (
            NetworkHash128::parse(player),
            NetworkHash128::parse(effects),
        );
        Prefabs::new()
            .register_asset("player", player, server_side::Player::default)
            .register_asset("effects", effects, server_side::Effects::default)
    }
    let server = || registry("a1", "b2");
    let client = || registry("b2", "a1");
    assert_ne!(server().schema_hash(), client().schema_hash());
    let found = reasons(server, client);
    assert!(found[0].contains("asset ids"), "{found:?}");
    let (client, _) = connect(server, server);
    assert_eq!(client, [ClientEvent::Connected, ClientEvent::Ready]);
}

#[test]
fn asset_ids_are_the_same_in_every_build() {
    let prefabs = Prefabs::new().register::<server_side::Player>("player");
    let id = prefabs.asset_id("player").unwrap();
    assert_eq!(id.to_string(), format!("{:032x}", fnv1a_128(b"player")));
    assert_eq!(
        prefabs.schema_hash(),
        Prefabs::new()
            .register::<server_side::Player>("player")
            .schema_hash()
    );

    /// FNV-1a of 128 bits, by its definition.
    fn fnv1a_128(bytes: &[u8]) -> u128 {
        let offset_basis = 144_066_263_297_769_815_596_495_629_667_062_367_629;
        let prime = 309_485_009_821_345_068_724_781_371;
        bytes.iter().fold(offset_basis, |hash: u128, byte| {
            (hash ^ u128::from(*byte)).wrapping_mul(prime)
        })
    }
}

/// Whoever leaves, with a goodbye or without: the link is down when it has arrived, on both ends.
#[test]
fn a_link_that_one_side_has_left_is_down_on_both_ends() {
    let asked = |text: &str| DisconnectReason::Requested(text.into());
    let lost = DisconnectReason::ConnectionLost;
    leaves(
        |net| net.server.disconnect(net.connection(0), "kicked"),
        &asked("kicked"),
    );
    leaves(|net| net.client_mut(0).disconnect("bye"), &asked("bye"));
    leaves(|net| net.server.handle_disconnect(net.connection(0)), &lost);
    leaves(|net| net.client_mut(0).handle_disconnect(), &lost);

    /// The first of two clients is parted from the server, and both are told this.
    fn leaves(part: impl FnOnce(&mut MemoryNetwork), told: &DisconnectReason) {
        let prefabs = || Prefabs::new().register::<server_side::Player>("player");
        let link = Conditions {
            delay: std::time::Duration::from_millis(120),
            ..Conditions::default()
        };
        let mut net = MemoryNetwork::with_config(prefabs, ServerConfig::default(), link);
        let (gone, stays) = (net.connect(), net.connect());
        let id = net.server.spawn(server_side::Player::default());
        net.settle();
        part(&mut net);
        net.settle();

        assert!(!net.is_connected(gone) && net.is_connected(stays));
        assert!(!net.client(gone).is_connected());
        let connections: Vec<_> = net.server.connections().collect();
        assert_eq!(connections, [net.connection(stays)]);
        assert_eq!(net.replicas::<server_side::Player>(id).count(), 1);

        let at_client = syncvar_testing::events(net.client_mut(gone)).last();
        let reason = told.clone();
        assert_eq!(at_client, Some(ClientEvent::Disconnected { reason }));
        let at_server = std::iter::from_fn(|| net.server.poll_event()).last();
        let expected = ServerEvent::Disconnected {
            connection: net.connection(gone),
            reason: told.clone(),
            owned: vec![],
        };
        assert_eq!(at_server, Some(expected));
    }
}

#[test]
#[should_panic(expected = "a prefab named `player` is already registered")]
fn a_name_registered_twice_is_refused() {
    let _ = Prefabs::new()
        .register::<server_side::Player>("player")
        .register::<server_side::Effects>("player");
}

#[test]
#[should_panic(
    expected = "no prefab is registered with the behaviours [\"Player\"]: call `Prefabs::register`"
)]
fn spawning_what_is_not_registered_says_what_to_do() {
    NetworkServer::new(Prefabs::new()).spawn(server_side::Player::default());
}

/// T64: a server lets in who speaks its own version; any other is told so, whatever else it says, and
/// a client takes an answer of its own version only. Two versions never guess at each other's bytes.
#[test]
fn each_version_speaks_to_itself_only() {
    let mut client = NetworkClient::new(syncvar_testing::prefabs());
    client.handle_connect();
    let connect = client.poll_transmit().unwrap().bytes;
    // Behind the header of 4 bytes.
    let ours = connect[4];
    let schema_hash = syncvar_testing::prefabs().schema_hash().to_le_bytes();
    for version in [0, ours - 1, ours, ours + 1, 240] {
        let mut server = NetworkServer::new(syncvar_testing::prefabs());
        let connection = server.handle_connect();
        let connect = [&[version][..], &schema_hash, &[1], &schema_hash, &[0, 0]].concat();
        let packet = syncvar_testing::frame(32, &connect);
        server.handle_packet(connection, 0, &packet).unwrap();
        let events = std::iter::from_fn(|| server.poll_event());
        let refused = events.filter(|event| {
            let reason = DisconnectReason::VersionMismatch;
            matches!(event, ServerEvent::Refused { reason: is, .. } if *is == reason)
        });
        assert_eq!(refused.count(), usize::from(version != ours), "{version}");
        let answer = server.poll_transmit().unwrap().to_bytes();

        let mut client = NetworkClient::new(syncvar_testing::prefabs());
        client.handle_connect();
        let packet = syncvar_testing::frame(
            32,
            &[&[version][..], &[0; 8], &[1], &[0; 9], &[30, 0, 2, 0, 1]].concat(),
        );
        client.handle_packet(0, &packet).unwrap();
        assert_eq!(client.is_connected(), version == ours, "{version}");
        // What the server says is understood by whoever is refused.
        let mut client = NetworkClient::new(syncvar_testing::prefabs());
        client.handle_connect();
        client.handle_packet(0, &answer).unwrap();
        assert_eq!(client.is_connected(), version == ours, "{version}");
    }
}

/// A server of another version would have said so; one that has not noticed is left all the same.
#[test]
fn unknown_version_is_refused_and_unrequested_framing_an_error() {
    let connecting = |dialect| {
        let mut client = client(syncvar_testing::prefabs(), dialect);
        client.handle_connect();
        client
    };
    let mut client = connecting(syncvar::Framing::Compact);
    let answer = syncvar_testing::frame(32, b"\x08\0\0\0\0\0\0\0\0\x01more");
    client.handle_packet(0, &answer).unwrap();
    let reason = DisconnectReason::VersionMismatch;
    assert_eq!(client.poll_event(), Some(ClientEvent::Refused { reason }));

    let mut client = connecting(syncvar::Framing::Compact);
    let answer = b"\x07\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0";
    let error = client.handle_packet(0, &syncvar_testing::frame(32, answer));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("ticks in a second"), "{error}");

    let mut client = connecting(syncvar::Framing::Unet);
    let answer = syncvar_testing::frame(
        32,
        b"\x07\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\x1e\0\x01\0",
    );
    let error = client.handle_packet(0, &answer).unwrap_err();
    assert!(error.to_string().contains("not asked for"), "{error}");
    assert_eq!(client.poll_event(), None);
}
