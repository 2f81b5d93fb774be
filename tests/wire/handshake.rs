//! Both ends prove that they agree, and if they do not, the refusal names the first difference.

use syncvar::join::SchemaRequests;
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{DisconnectReason, ServerConfig, schema::SchemaDifference, values::NetworkHash128};
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
    let index = net.connect_client(NetworkClient::new(client()));
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

fn difference(server: fn() -> Prefabs, client: fn() -> Prefabs) -> SchemaDifference {
    let (client, server) = connect(server, client);
    let [
        ClientEvent::Refused {
            reason: DisconnectReason::SchemaMismatch(Some(difference)),
        },
    ] = &client[..]
    else {
        panic!("{client:?}");
    };
    assert!(
        matches!(&server[..], [ServerEvent::Refused { .. }]),
        "{server:?}"
    );
    SchemaDifference::clone(difference)
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
fn a_refusal_names_behaviour_and_field() {
    let found = difference(
        || Prefabs::new().register::<server_side::Player>("player"),
        || Prefabs::new().register::<client_side::Player>("player"),
    );
    assert_eq!(
        found.to_string(),
        "prefab `player`, behaviour `Player`, field `name`: the server has `name: String`, \
         this client has `title: String`"
    );
}

#[test]
fn a_refusal_looks_into_the_structs_that_fields_hold() {
    let found = difference(
        || Prefabs::new().register::<server_side::Effects>("effects"),
        || Prefabs::new().register::<client_side::Effects>("effects"),
    );
    assert_eq!(found.field.as_deref(), Some("buff"));
    assert_eq!(found.server, "`buff: Buff { id: u32, timer: f32 }`");
    assert_eq!(found.client, "`buff: Buff { id: u32, timer: f64 }`");
}

#[test]
fn a_refusal_names_missing_prefabs_and_behaviours() {
    let one = || Prefabs::new().register::<server_side::Player>("player");
    let two = || {
        Prefabs::new()
            .register::<server_side::Player>("player")
            .register::<server_side::Effects>("effects")
    };
    let missing = difference(two, one).to_string();
    assert_eq!(
        missing,
        "prefab `effects`: the server has it, this client has no such prefab"
    );
    let missing = difference(one, two).to_string();
    assert_eq!(
        missing,
        "prefab `effects`: the server has no such prefab, this client has it"
    );
    let both = || Prefabs::new().register::<(server_side::Player, server_side::Effects)>("player");
    let missing = difference(both, one).to_string();
    assert_eq!(
        missing,
        "prefab `player`, behaviour `Effects`: the server has it, this client has no such behaviour"
    );
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
    let found = difference(
        || Prefabs::new().register::<Lamp>("lamp"),
        || Prefabs::new().register::<other::Lamp>("lamp"),
    );
    assert_eq!(
        found.to_string(),
        "prefab `lamp`, behaviour `Lamp`: the server has it on channel 0, this client has it on channel 1"
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
    let found = difference(server, client);
    assert_eq!(
        (found.behaviour.as_ref(), found.field.as_ref()),
        (None, None)
    );
    assert_eq!(
        found.to_string(),
        "prefab `effects`: the server has asset id 000000000000000000000000000000b2, \
         this client has asset id 000000000000000000000000000000a1"
    );
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
        let connect = [&[version][..], &schema_hash, &[1]].concat();
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
            &[&[version][..], &[0; 8], &[1], &[0; 9], &[30, 0]].concat(),
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
    let answer = syncvar_testing::frame(32, b"\x06\0\0\0\0\0\0\0\0\x01more");
    client.handle_packet(0, &answer).unwrap();
    let reason = DisconnectReason::VersionMismatch;
    assert_eq!(client.poll_event(), Some(ClientEvent::Refused { reason }));

    let mut client = connecting(syncvar::Framing::Compact);
    let answer = b"\x05\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0";
    let error = client.handle_packet(0, &syncvar_testing::frame(32, answer));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("ticks in a second"), "{error}");

    let mut client = connecting(syncvar::Framing::Unet);
    let answer = syncvar_testing::frame(32, b"\x05\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\x1e\0");
    let error = client.handle_packet(0, &answer).unwrap_err();
    assert!(error.to_string().contains("not asked for"), "{error}");
    assert_eq!(client.poll_event(), None);
}

/// Asks a server for its schema; returns its answer.
fn learn(server: &mut NetworkServer, connection: ConnectionId) -> Vec<u8> {
    let request = [0, 0, 34, 0];
    let handled = server.handle_packet(connection, 0, &request);
    handled.expect("a client without types asks once");
    let mut answer = Vec::new();
    while let Some(transmit) = server.poll_transmit() {
        answer.extend(transmit.chunks.concat());
    }
    answer
}

#[test]
fn client_without_types_learns_the_schema_and_joins() {
    let prefabs = || Prefabs::new().register::<server_side::Player>("player");
    let mut server = NetworkServer::new(prefabs());
    let connection = server.handle_connect();
    let answer = learn(&mut server, connection);
    let hash = prefabs().schema_hash().to_le_bytes();
    // One behaviour without a base, with two fields and no calls, and two channels.
    let classes = [&[13, 0, 34, 0][..], &hash, &[2, 0, 1, 1, 2]].concat();
    assert_eq!(answer.strip_suffix(&classes[..]).map(|it| it[2]), Some(21));

    let connect = [&[10, 0, 32, 0, 5][..], &hash, &[1]].concat();
    server.handle_packet(connection, 0, &connect).unwrap();
    server.update(std::time::Duration::from_secs(1));
    assert_eq!(
        server.poll_event(),
        Some(ServerEvent::Connected { connection })
    );
}

#[test]
fn classes_count_fields_by_class_and_mark_late_calls() {
    #[derive(NetworkBehaviour, Default)]
    struct Base {
        #[sync_var]
        a: SyncVar<u8>,
    }

    #[derive(NetworkBehaviour, Default)]
    struct Derived {
        #[network_behaviour(base)]
        base: Base,
        #[sync_var]
        b: SyncVar<u8>,
        #[sync_var]
        c: SyncVar<u8>,
    }

    #[network_calls]
    impl Derived {
        #[client_rpc]
        fn at_once(&mut self) {}
        #[client_rpc(after_state)]
        fn behind_the_state(&mut self) {}
    }

    let prefabs = Prefabs::new().register::<Optional<Derived>>("one");
    let mut server = NetworkServer::new(prefabs);
    let connection = server.handle_connect();
    let answer = learn(&mut server, connection);
    assert!(answer.ends_with(&[3, 1, 2, 1, 0, 1]), "{answer:?}");
}

#[test]
fn server_keeps_its_schema_to_itself_on_demand() {
    let config = ServerConfig {
        schema_requests: SchemaRequests::Refuse,
        ..ServerConfig::default()
    };
    let prefabs = || Prefabs::new().register::<server_side::Player>("player");
    let mut server = NetworkServer::with_config(prefabs(), config.clone());
    let connection = server.handle_connect();
    let answer = learn(&mut server, connection);
    let text = String::from_utf8_lossy(&answer);
    assert!(
        !text.contains("player") && !text.contains("health"),
        "{text}"
    );
    let refused = std::iter::from_fn(|| server.poll_event()).last();
    let is_denied = |reason: &DisconnectReason| matches!(reason, DisconnectReason::Denied(_));
    let Some(ServerEvent::Refused { reason, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert!(is_denied(&reason) && server.poll_close() == Some(connection));
    // By a wrong hash.
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    let client = Prefabs::new().register::<client_side::Player>("player");
    let index = net.connect_client(NetworkClient::new(client));
    net.settle();
    let reason = DisconnectReason::SchemaMismatch(None);
    let refused = ClientEvent::Refused { reason };
    assert_eq!(net.client_mut(index).poll_event(), Some(refused));
    net.connect();
    net.settle();
    assert!(
        net.client(1).is_connected(),
        "an equal schema needs no description"
    );
}

#[test]
fn schema_is_told_once_and_only_before_connect() {
    let prefabs = || Prefabs::new().register::<server_side::Player>("player");
    let mut server = NetworkServer::new(prefabs());
    let connection = server.handle_connect();
    learn(&mut server, connection);
    let request = [0, 0, 34, 0];
    assert!(server.handle_packet(connection, 0, &request).is_err());
    assert!(server.poll_transmit().is_none());

    let surplus = server.handle_connect();
    let handled = server.handle_packet(surplus, 0, &[1, 0, 34, 0, 7]);
    assert!(handled.is_err(), "a request has no payload");

    let mut net = MemoryNetwork::new(prefabs);
    net.connect_client(NetworkClient::new(prefabs()));
    net.settle();
    let joined = ConnectionId(1);
    assert!(
        net.server
            .handle_packet(joined, 0, &[0, 0, 0, 0, 34, 0])
            .is_err()
    );
}
