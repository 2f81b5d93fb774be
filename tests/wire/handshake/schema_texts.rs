//! A server describes its schema to clients of other builds, and to clients without compiled types.

use std::time::Duration;

use syncvar::ServerConfig;
use syncvar::error::PacketError;
use syncvar::join::{Admission, Builds, Decision, SchemaRequests};
use syncvar::prelude::*;
use syncvar::schema::{MAX_SCHEMA_TEXT, Schema};
use syncvar::{DisconnectReason, testing::Conditions};
use syncvar_testing::frame;

use super::server_side::Player;

/// Hash of no schema here.
const OTHER: u64 = 0x1234;

/// Client that consists of its messages, and the server that it talks to.
struct Raw {
    server: NetworkServer,
    connection: ConnectionId,
}

impl Raw {
    fn new(prefabs: Prefabs, config: ServerConfig) -> Self {
        let mut server = NetworkServer::with_config(prefabs, config);
        let connection = server.handle_connect();
        Self { server, connection }
    }

    /// Sends a `Connect` for the framing `Compact`: by the schema of `bytes`, from a build with the schema `own`.
    fn connect(&mut self, bytes: u64, own: u64, build: &str) -> Result<(), PacketError> {
        let length = u16::try_from(build.len()).expect("a short name");
        let payload = [
            &[7][..],
            &bytes.to_le_bytes(),
            &[1],
            &own.to_le_bytes(),
            &length.to_le_bytes(),
            build.as_bytes(),
        ];
        let packet = frame(32, &payload.concat());
        self.server.handle_packet(self.connection, 0, &packet)
    }

    /// Returns the text of the Schema messages of the server, if there are any, and the payload of the last message, if it
    /// has another type.
    fn answer(&mut self) -> (Option<String>, Option<(u8, Vec<u8>)>) {
        let (mut text, mut last, mut is_whole) = (Vec::new(), None, false);
        while let Some(transmit) = self.server.poll_transmit() {
            let packet = transmit.chunks.concat();
            let mut rest = &packet[..];
            while let [low, high, number, 0, tail @ ..] = rest {
                let length = usize::from(u16::from_le_bytes([*low, *high]));
                let (payload, tail) = tail.split_at(length);
                if *number == 21 {
                    assert!(!is_whole, "no part follows the last");
                    assert!(payload.len() <= 60_001);
                    is_whole = payload[0] == 1;
                    text.extend(&payload[1..]);
                } else {
                    last = Some((*number, payload.to_vec()));
                }
                rest = tail;
            }
        }
        let text = is_whole.then(|| String::from_utf8(text).expect("a text"));
        (text, last)
    }

    fn events(&mut self) -> Vec<ServerEvent> {
        std::iter::from_fn(|| self.server.poll_event()).collect()
    }

    /// Returns the reason of the refusal.
    fn refused(&mut self) -> Option<DisconnectReason> {
        self.events().into_iter().find_map(|event| match event {
            ServerEvent::Refused { reason, .. } => Some(reason),
            _ => None,
        })
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Player>("player")
}

fn exact() -> ServerConfig {
    ServerConfig {
        builds: Builds::Exact,
        ..ServerConfig::default()
    }
}

/// Payload of Disconnect 1.
const DIFFERS: (u8, [u8; 3]) = (33, [1, 0, 0]);

fn is_refusal(message: Option<&(u8, Vec<u8>)>) -> bool {
    message == Some(&(DIFFERS.0, DIFFERS.1.to_vec()))
}

#[test]
fn client_of_another_build_joins_by_the_schema_of_the_server() {
    let config = ServerConfig {
        admission: Admission::Decide,
        ..ServerConfig::default()
    };
    let mut raw = Raw::new(prefabs(), config);
    raw.connect(OTHER, OTHER, "1.4.2").expect("a Connect");
    let (text, rest) = raw.answer();
    assert_eq!(rest, None, "the server waits for the resolution");
    let text = text.expect("the schema");
    assert_eq!(Schema::parse(&text), Ok(prefabs().schema()));
    assert_eq!(raw.events(), []);

    let hash = prefabs().schema_hash();
    raw.connect(hash, OTHER, "1.4.2").expect("a Connect");
    let [
        ServerEvent::JoinRequested {
            schema_hash, build, ..
        },
    ] = &raw.events()[..]
    else {
        panic!("no request");
    };
    assert_eq!((*schema_hash, &**build), (OTHER, "1.4.2"));
    raw.server.accept(raw.connection).expect("a request");
    let connected = ServerEvent::Connected {
        connection: raw.connection,
    };
    assert_eq!(raw.events(), [connected]);
}

#[test]
fn client_without_types_learns_the_schema_and_joins() {
    for config in [ServerConfig::default(), exact()] {
        let mut raw = Raw::new(prefabs(), config);
        raw.connect(0, 0, "").expect("a Connect");
        let (text, rest) = raw.answer();
        assert_eq!(text.as_deref(), Some(&**prefabs().schema_text()));
        assert_eq!(rest, None);
        raw.connect(prefabs().schema_hash(), 0, "")
            .expect("a Connect");
        let (_, answer) = raw.answer();
        let (number, answer) = answer.expect("an answer");
        assert_eq!(number, 32);
        // The kinds of the channels are the client's.
        assert!(answer.ends_with(&[2, 0, 1]), "{answer:?}");
    }
}

#[test]
fn schema_is_told_once() {
    for again in [OTHER, OTHER + 1, 0] {
        let mut raw = Raw::new(prefabs(), ServerConfig::default());
        raw.connect(OTHER, OTHER, "").expect("a Connect");
        assert!(raw.answer().0.is_some());
        raw.connect(again, OTHER, "").expect("a Connect");
        let (text, last) = raw.answer();
        assert_eq!(text, None, "{again}");
        assert!(is_refusal(last.as_ref()), "{again}");
        assert_eq!(raw.refused(), Some(DisconnectReason::SchemaMismatch(None)));
        let closed = raw.connect(prefabs().schema_hash(), OTHER, "");
        assert_eq!(closed, Err(PacketError::UnknownConnection(raw.connection)));
    }
}

#[test]
fn server_of_equal_builds_describes_itself_and_refuses() {
    // A client that has resolved the schema still has another build.
    for bytes in [OTHER, prefabs().schema_hash()] {
        let mut raw = Raw::new(prefabs(), exact());
        raw.connect(bytes, OTHER, "").expect("a Connect");
        let (text, last) = raw.answer();
        assert_eq!(text.as_deref(), Some(&**prefabs().schema_text()));
        assert!(is_refusal(last.as_ref()));
        assert_eq!(raw.refused(), Some(DisconnectReason::SchemaMismatch(None)));
    }
    // The first hash is that of the last server; the build is equal.
    let mut raw = Raw::new(prefabs(), exact());
    let hash = prefabs().schema_hash();
    raw.connect(OTHER, hash, "").expect("a Connect");
    let (text, last) = raw.answer();
    assert!(text.is_some() && last.is_none());
    raw.connect(hash, hash, "").expect("a Connect");
    assert!(matches!(raw.events()[..], [ServerEvent::Connected { .. }]));
}

#[test]
fn client_of_another_build_names_the_differences_to_a_server_of_equal_builds() {
    for builds in [Builds::Exact, Builds::Compatible] {
        let mut net = MemoryNetwork::with_config(prefabs, exact(), Conditions::default());
        let config = ClientConfig {
            builds,
            ..ClientConfig::default()
        };
        let other = Prefabs::new().register::<super::client_side::Player>("player");
        let client = net.connect_client(NetworkClient::with_config(other, config));
        net.settle();
        let Some(ClientEvent::Refused {
            reason: DisconnectReason::SchemaMismatch(Some(report)),
        }) = net.client_mut(client).poll_event()
        else {
            panic!("no reasons");
        };
        assert!(report.to_string().contains("field `name`"), "{report}");
    }
}

#[test]
fn server_keeps_its_schema_to_itself_on_demand() {
    let config = ServerConfig {
        schema_requests: SchemaRequests::Refuse,
        ..ServerConfig::default()
    };
    let mut raw = Raw::new(prefabs(), config.clone());
    raw.connect(0, 0, "").expect("a Connect");
    assert_eq!(raw.answer().0, None);
    let reason = raw.refused();
    assert!(
        matches!(reason, Some(DisconnectReason::Denied(_))),
        "{reason:?}"
    );
    assert_eq!(raw.server.poll_close(), Some(raw.connection));

    let mut raw = Raw::new(prefabs(), config.clone());
    raw.connect(OTHER, OTHER, "").expect("a Connect");
    let (text, last) = raw.answer();
    assert_eq!(text, None);
    assert!(is_refusal(last.as_ref()));

    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    let client = Prefabs::new().register::<super::client_side::Player>("player");
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
fn admission_can_refuse_a_build() {
    let mut net = MemoryNetwork::new(prefabs);
    net.server.set_admission(|request| {
        assert_eq!(request.schema_hash, prefabs().schema_hash());
        match request.build {
            "2.0" => Decision::Accept,
            build => Decision::refuse(format!("build {build} is too old")),
        }
    });
    let answers = ["1.9", "2.0"].map(|build| {
        let config = ClientConfig {
            build: build.into(),
            ..ClientConfig::default()
        };
        let client = net.connect_client(NetworkClient::with_config(prefabs(), config));
        net.settle();
        net.client_mut(client).poll_event()
    });
    let [
        Some(ClientEvent::Refused { reason }),
        Some(ClientEvent::Connected),
    ] = answers
    else {
        panic!("{answers:?}");
    };
    assert_eq!(reason.to_string(), "denied: build 1.9 is too old");
}

#[test]
fn name_of_a_build_has_at_most_64_bytes() {
    let mut raw = Raw::new(prefabs(), ServerConfig::default());
    let hash = prefabs().schema_hash();
    let error = raw.connect(hash, hash, &"x".repeat(65)).unwrap_err();
    assert!(error.to_string().contains("65"), "{error}");
    raw.connect(hash, hash, &"x".repeat(64)).expect("a Connect");
    assert!(matches!(
        raw.events()[..],
        [ServerEvent::Connected { .. }, ..] | [_, ServerEvent::Connected { .. }]
    ));

    // A client cuts its name, and no character.
    let mut net = MemoryNetwork::new(prefabs);
    net.server
        .set_admission(|request| request.build == "é".repeat(32));
    let config = ClientConfig {
        build: "é".repeat(33),
        ..ClientConfig::default()
    };
    let client = net.connect_client(NetworkClient::with_config(prefabs(), config));
    net.settle();
    assert!(net.client(client).is_connected());
}

/// Returns a registry with a text of about this length.
fn large(length: usize) -> Prefabs {
    let name = "x".repeat(10_000);
    let count = length / (name.len() + 150);
    (0..count).fold(Prefabs::new(), |prefabs, number| {
        prefabs.register::<Player>(&format!("{name}é{number}"))
    })
}

#[test]
fn long_schema_comes_in_parts() {
    let prefabs = large(300_000);
    let text = prefabs.schema_text().clone();
    assert!(text.len() > 200_000);
    let mut raw = Raw::new(prefabs, ServerConfig::default());
    raw.connect(OTHER, OTHER, "").expect("a Connect");
    assert_eq!(raw.answer(), (Some(String::from(&*text)), None));
}

#[test]
fn schema_above_the_limit_is_sent_to_nobody() {
    let prefabs = large(MAX_SCHEMA_TEXT + 40_000);
    assert!(prefabs.schema_text().len() > MAX_SCHEMA_TEXT);
    let mut raw = Raw::new(prefabs, ServerConfig::default());
    raw.connect(OTHER, OTHER, "").expect("a Connect");
    let (text, last) = raw.answer();
    assert_eq!(text, None);
    assert!(is_refusal(last.as_ref()));
}

#[test]
fn client_joins_a_server_of_its_build_after_a_server_of_no_schema() {
    let mut net = MemoryNetwork::new(prefabs);
    let client = net.connect_client(NetworkClient::new(prefabs()));
    net.settle();
    assert!(net.client(client).is_connected());
    net.server.update(Duration::from_secs(1));
}
