//! Join requests: the server's program decides about a client by its payload.

use std::time::Duration;

use syncvar::error::ObjectError;
use syncvar::join::{Admission, Decision, JoinRequest, Payload, Refusal};
use syncvar::limits::LimitExceeded;
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{DisconnectReason, ServerConfig};
use syncvar_testing::Player;

#[derive(SyncValue, Clone, PartialEq, Debug)]
struct Join {
    name: String,
    build: u32,
}

#[derive(SyncValue, Clone, PartialEq, Debug)]
enum Denied {
    WrongBuild { wanted: u32 },
    Banned,
}

fn network(change: impl FnOnce(&mut ServerConfig)) -> MemoryNetwork {
    let mut config = ServerConfig {
        admission: Admission::Decide,
        ..ServerConfig::default()
    };
    change(&mut config);
    MemoryNetwork::with_config(syncvar_testing::prefabs, config, Conditions::default())
}

fn join(net: &mut MemoryNetwork, payload: Payload) -> usize {
    let mut client = NetworkClient::new(syncvar_testing::prefabs());
    client.set_join_payload(payload);
    net.connect_client(client)
}

fn payload(name: &str, build: u32) -> Payload {
    let name = name.into();
    Payload::of(&Join { name, build }).unwrap()
}

fn last_event(net: &mut MemoryNetwork, client: usize) -> Option<ClientEvent> {
    syncvar_testing::events(net.client_mut(client)).last()
}

#[test]
fn program_decides_by_the_payload() {
    let mut net = network(|_| ());
    let player = net.server.spawn(Player::new(5, "Ann"));
    let new = join(&mut net, payload("ann", 8));
    let old = join(&mut net, payload("bob", 7));
    let without = net.connect();
    net.settle();
    decide(&mut net);
    net.settle();
    assert_eq!(net.client(new).get::<Player>(player).unwrap().health, 5);
    let kept = net.server.join_payload(net.connection(new));
    assert_eq!(kept, Some(&payload("ann", 8)));
    let Some(ClientEvent::Refused {
        reason: DisconnectReason::Denied(refusal),
    }) = last_event(&mut net, old)
    else {
        panic!("not refused");
    };
    assert_eq!(refusal.text, "please update");
    let denied = refusal.payload.decode::<Denied>();
    assert_eq!(denied, Ok(Denied::WrongBuild { wanted: 8 }));
    let reason = DisconnectReason::Denied(Box::new("no name".into()));
    let refused = ClientEvent::Refused { reason };
    assert_eq!(last_event(&mut net, without), Some(refused));
    assert_eq!(net.server.connections().count(), 1);

    /// Accepts build 8 only.
    fn decide(net: &mut MemoryNetwork) {
        while let Some(event) = net.server.poll_event() {
            let ServerEvent::JoinRequested {
                connection,
                payload,
                ..
            } = event
            else {
                continue;
            };
            match payload.decode::<Join>() {
                Ok(Join { build: 8, .. }) => net.server.accept(connection).unwrap(),
                Ok(_) => {
                    let reason = Payload::of(&Denied::WrongBuild { wanted: 8 }).unwrap();
                    let refusal = Refusal::new("please update").with(reason);
                    net.server.refuse(connection, refusal).unwrap();
                }
                Err(_) => net.server.refuse(connection, "no name").unwrap(),
            }
        }
    }
}

#[test]
fn undecided_connection_receives_nothing() {
    let mut net = network(|config| config.limits.join_timeout = Duration::from_secs(2));
    let player = net.server.spawn(Player::new(5, "Ann"));
    let client = join(&mut net, payload("ann", 8));
    net.settle();
    let connection = net.connection(client);
    assert!(!net.server.is_connected(connection) && !net.client(client).is_connected());
    assert_eq!(net.server.stats().sent.messages, 0);
    let unknown = ConnectionId(99);
    let error = Err(ObjectError::NotConnected(unknown));
    assert_eq!(net.server.accept(unknown), error);
    assert_eq!(net.server.refuse(unknown, "no"), error);
    for _ in 0..50 {
        net.step();
    }
    let reason = DisconnectReason::Limit(LimitExceeded::JoinTime);
    let events: Vec<_> = std::iter::from_fn(|| net.server.poll_event()).collect();
    let refused = ServerEvent::Refused { connection, reason };
    assert_eq!(events.last(), Some(&refused));
    assert_eq!(net.server.stats().refused.late_joins, 1);
    assert!(net.server.accept(connection).is_err());
    assert!(net.client(client).get::<Player>(player).is_none());
}

#[test]
fn too_long_payload_closes_the_connection() {
    let mut net = network(|config| config.limits.max_join_payload = 10);
    let short = join(&mut net, Payload::from(vec![0; 10]));
    let long = join(&mut net, Payload::from(vec![0; 11]));
    net.settle();
    let connection = net.connection(short);
    net.server.accept(connection).unwrap();
    net.settle();
    assert!(net.client(short).is_connected());
    let reason = DisconnectReason::Requested("the join payload is too long".into());
    let refused = ClientEvent::Refused { reason };
    assert_eq!(last_event(&mut net, long), Some(refused));
    assert_eq!(net.server.stats().refused.join_payloads, 1);
}

#[test]
fn unet_client_waits_for_the_decision() {
    let mut net = network(|config| config.compare_schemas = false);
    let player = net.server.spawn(Player::new(5, "Ann"));
    let (first, second) = (net.connect(), net.connect());
    net.settle();
    let events: Vec<_> = std::iter::from_fn(|| net.server.poll_event()).collect();
    let requested = [first, second].map(|client| ServerEvent::JoinRequested {
        connection: net.connection(client),
        returning: None,
        payload: Payload::default(),
        schema_hash: 0,
        build: String::new(),
    });
    assert_eq!(events, requested);
    assert!(net.client(first).get::<Player>(player).is_none());
    let [accepted, refused] = [first, second].map(|client| net.connection(client));
    net.server.accept(accepted).unwrap();
    net.server.accept(accepted).unwrap();
    net.server.refuse(refused, "no").unwrap();
    net.settle();
    assert_eq!(net.client(first).get::<Player>(player).unwrap().health, 5);
    assert!(!net.client(second).is_connected());
}

#[test]
fn open_server_keeps_the_payload() {
    let mut net = network(|config| config.admission = Admission::Open);
    let client = join(&mut net, payload("ann", 8));
    net.settle();
    let connection = net.connection(client);
    let kept = net.server.join_payload(connection).unwrap();
    assert_eq!(kept.decode::<Join>().unwrap().name, "ann");
    assert_eq!(kept.decode::<Denied>().ok(), None);
    net.cut(client);
    assert_eq!(net.server.join_payload(connection), None);
    net.reconnect(client);
    net.settle();
    let again = net.server.join_payload(net.connection(client));
    assert_eq!(again, Some(&payload("ann", 8)));
}

/// Accepts build 8, asks the program about build 9.
fn rule(request: &JoinRequest<'_>) -> Decision {
    match request.payload.decode::<Join>() {
        Ok(Join { build: 8, .. }) => Decision::Accept,
        Ok(Join { build: 9, .. }) => Decision::Wait,
        Ok(_) => {
            let reason = Payload::of(&Denied::WrongBuild { wanted: 8 }).unwrap();
            Decision::refuse(Refusal::new("please update").with(reason))
        }
        Err(_) => Decision::refuse("who are you?"),
    }
}

#[test]
fn rule_decides_in_the_place_of_the_setting() {
    for admission in [Admission::Open, Admission::Decide] {
        let mut net = network(|config| config.admission = admission);
        net.server.set_admission(rule);
        let player = net.server.spawn(Player::default());
        let good = join(&mut net, payload("ann", 8));
        let old = join(&mut net, payload("bob", 7));
        let unknown = join(&mut net, Payload::default());
        net.settle();
        assert!(net.client(good).get::<Player>(player).is_some());
        let refused = |net: &mut MemoryNetwork, client| match last_event(net, client) {
            Some(ClientEvent::Refused {
                reason: DisconnectReason::Denied(refusal),
            }) => refusal,
            other => panic!("{other:?}"),
        };
        let refusal = refused(&mut net, old);
        assert_eq!(refusal.text, "please update");
        let reason = refusal.payload.decode::<Denied>();
        assert_eq!(reason, Ok(Denied::WrongBuild { wanted: 8 }));
        assert_eq!(refused(&mut net, unknown).text, "who are you?");
        let mut events = std::iter::from_fn(|| net.server.poll_event());
        assert!(!events.any(|event| matches!(event, ServerEvent::JoinRequested { .. })));
    }
}

#[test]
fn a_rule_may_return_a_bool() {
    let mut net = network(|_| {});
    let is_ann = |request: &JoinRequest<'_>| {
        let join = request.payload.decode::<Join>();
        join.is_ok_and(|join| join.name == "ann")
    };
    net.server.set_admission(is_ann);
    let [ann, bob] = ["ann", "bob"].map(|name| join(&mut net, payload(name, 8)));
    net.settle();
    assert!(net.client(ann).is_connected() && !net.client(bob).is_connected());
    let refusal = Box::new(Refusal::new("refused"));
    let reason = DisconnectReason::Denied(refusal);
    assert_eq!(
        last_event(&mut net, bob),
        Some(ClientEvent::Refused { reason })
    );
}

#[test]
fn waiting_request_is_closed_after_the_join_timeout() {
    let mut net = network(|config| config.limits.join_timeout = Duration::from_secs(1));
    net.server.set_admission(rule);
    let [accepted, forgotten] = [0; 2].map(|_| join(&mut net, payload("cid", 9)));
    net.settle();
    let asked = net.connection(accepted);
    let mut events = std::iter::from_fn(|| net.server.poll_event());
    assert!(events.any(|event| matches!(
        event,
        ServerEvent::JoinRequested { connection, .. } if connection == asked
    )));
    net.server.accept(asked).unwrap();
    (0..40).for_each(|_| net.step());
    assert!(net.client(accepted).is_connected() && !net.client(forgotten).is_connected());
    let reason = DisconnectReason::Requested("not ready in time".into());
    let last = last_event(&mut net, forgotten);
    assert_eq!(last, Some(ClientEvent::Refused { reason }));
}
