//! Commands that are not sent, and commands that are not run.

use std::time::Duration;

use syncvar::join::Builds;
use syncvar::prelude::*;
use syncvar::{
    ClientConfig, Framing, ServerConfig,
    calls::{CallError, CommandRefusal, RefusalReason},
};

use super::world::{DIALECTS, Unit, network, network_with, prefabs, ran, server_events, spawn};

/// The reasons for which the server has refused commands, and of whom.
fn refusals(net: &mut MemoryNetwork) -> Vec<(u32, CommandRefusal)> {
    let events = server_events(net).into_iter();
    let refusals = events.filter_map(|event| match event {
        ServerEvent::CommandRefused {
            connection, reason, ..
        } => Some((connection.0, reason)),
        _ => None,
    });
    refusals.collect()
}

/// Has another client send the packets of this one, whatever they say.
fn forge(net: &mut MemoryNetwork, from: usize, to: usize) {
    let connection = net.connection(to);
    let client = net.client_mut(from);
    let packets: Vec<_> = std::iter::from_fn(|| client.poll_transmit()).collect();
    for packet in packets {
        net.server
            .handle_packet(connection, packet.channel, &packet.bytes)
            .unwrap();
    }
}

#[test]
fn client_refuses_a_bad_command_before_sending() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 1);
        let id = spawn(&mut net, None);
        let client = net.client_mut(0);
        assert_eq!(
            client.calls::<Unit>(id).fire(1),
            Err(CallError::NotOwner(id))
        );
        let unknown = NetId(99);
        let error = client.calls::<Unit>(unknown).open();
        assert_eq!(error, Err(CallError::UnknownObject(unknown)));
        let error = client.calls::<Unit>(id).stumble("x".repeat(40_000));
        let Err(CallError::Unsendable(error)) = error else {
            panic!("{error:?}");
        };
        assert_eq!(error.field(), Some("Unit.stumble.over"));
        let error = client.calls::<Unit>(id).steer("x".repeat(1340));
        assert!(matches!(error, Err(CallError::Unsendable(_))), "{error:?}");
        assert_eq!(client.poll_transmit(), None);
        client.handle_disconnect();
        assert_eq!(
            client.calls::<Unit>(id).open(),
            Err(CallError::NotConnected)
        );
    }
    let mut client = NetworkClient::with_config(prefabs(), ClientConfig::default());
    let error = client.calls::<Unit>(NetId(1)).open();
    assert_eq!(error, Err(CallError::NotConnected));
}

#[test]
fn server_refuses_a_bad_call_before_sending() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 1);
        let id = spawn(&mut net, None);
        for spawned in [true, false] {
            let id = if spawned {
                id
            } else {
                net.server.spawn(Unit::default())
            };
            let error = net.server.calls::<Unit>(id).hear("x".repeat(40_000));
            let Err(CallError::Unsendable(error)) = error else {
                panic!("{error:?}");
            };
            assert_eq!(error.field(), Some("Unit.hear.text"));
            // Channel 1 is unreliable.
            let error = net.server.calls::<Unit>(id).glimpse("x".repeat(1340));
            assert!(matches!(error, Err(CallError::Unsendable(_))), "{error:?}");
            net.server
                .calls::<Unit>(id)
                .glimpse("x".repeat(1300))
                .unwrap();
        }
        net.settle();
        assert_eq!(super::world::seen(&net, 0, id).len(), 1);
    }
}

// checklist: T63
#[test]
fn a_command_that_requires_ownership_is_run_for_the_owner_alone() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 2);
        let id = spawn(&mut net, Some(0));
        server_events(&mut net);
        net.client_mut(0).calls::<Unit>(id).fire(1).unwrap();
        forge(&mut net, 0, 1);
        assert_eq!(refusals(&mut net), [(2, CommandRefusal::NotOwner)]);
        assert_eq!(ran(&net, id), [""; 0]);
        net.client_mut(0).calls::<Unit>(id).fire(2).unwrap();
        net.settle();
        assert_eq!(ran(&net, id), ["fire 2 by Some(1)"]);
        // It has been taken away, and the client does not know yet.
        net.client_mut(0).calls::<Unit>(id).fire(3).unwrap();
        net.server.set_owner(id, None).unwrap();
        forge(&mut net, 0, 0);
        assert_eq!(refusals(&mut net), [(1, CommandRefusal::NotOwner)]);
        assert_eq!(net.server.stats().refused_commands.not_owner, 2);
        assert_eq!(net.server.stats().refused_commands.total(), 2);
    }
}

// checklist: T59
#[test]
fn command_on_an_unobserved_object_is_refused() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 2);
        let id = spawn(&mut net, None);
        let second = net.connection(1);
        net.server.hide(id, second).unwrap();
        net.settle();
        server_events(&mut net);
        net.client_mut(0).calls::<Unit>(id).open().unwrap();
        forge(&mut net, 0, 1);
        net.client_mut(0).calls::<Unit>(id).open().unwrap();
        net.server.despawn(id).unwrap();
        forge(&mut net, 0, 0);
        let unknown = CommandRefusal::UnknownObject;
        assert_eq!(refusals(&mut net), [(2, unknown.clone()), (1, unknown)]);
        assert_eq!(net.server.stats().refused_commands.unknown_object, 2);
    }
}

#[test]
fn command_rate_is_limited_per_connection() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 2);
        let id = spawn(&mut net, None);
        server_events(&mut net);
        for client in [0, 0, 1] {
            for _ in 0..4 {
                net.client_mut(client).calls::<Unit>(id).open().unwrap();
            }
        }
        net.step();
        let by = |log: &[String], who: &str| log.iter().filter(|line| line.ends_with(who)).count();
        let log = ran(&net, id);
        assert_eq!((by(&log, "Some(1)"), by(&log, "Some(2)")), (5, 4));
        assert_eq!(refusals(&mut net), vec![(1, CommandRefusal::TooOften); 3]);
        // Another command has its own share.
        net.client_mut(0)
            .calls::<Unit>(id)
            .steer("left".into())
            .unwrap();
        net.tick = Duration::from_millis(200);
        net.step();
        net.client_mut(0).calls::<Unit>(id).open().unwrap();
        net.step();
        assert_eq!(ran(&net, id).len(), log.len() + 2);
        assert_eq!(refusals(&mut net), []);
    }
}

#[test]
fn the_servers_own_rate_is_for_commands_that_say_none() {
    let mut config = ServerConfig::default();
    config.limits.command_rate = 2.0;
    let mut net = network_with(config, 1);
    let id = spawn(&mut net, None);
    server_events(&mut net);
    for number in 0..5 {
        let calls = net.client_mut(0).calls::<Unit>(id);
        calls.stumble(number.to_string()).unwrap();
    }
    net.step();
    assert_eq!(ran(&net, id), ["stumble over 0", "stumble over 1"]);
    assert_eq!(refusals(&mut net), vec![(1, CommandRefusal::TooOften); 3]);
}

/// Takes the reports of a client: object, command, reason and number of the calls.
fn told(
    net: &mut MemoryNetwork,
    client: usize,
) -> Vec<(NetId, Option<&'static str>, RefusalReason, u32)> {
    let events = std::iter::from_fn(|| net.client_mut(client).poll_event());
    let told = events.filter_map(|event| match event {
        ClientEvent::CommandRefused(it) => {
            let name = it.command.map(|(_, name)| name);
            Some((it.object, name, it.reason, it.calls))
        }
        _ => None,
    });
    told.collect()
}

#[test]
fn a_client_learns_which_of_its_commands_were_refused() {
    for dialect in DIALECTS {
        let mut net = network(dialect, 2);
        let [id, other] = [spawn(&mut net, None), spawn(&mut net, None)];
        let owned = spawn(&mut net, Some(0));
        net.settle();
        net.client_mut(0).calls::<Unit>(owned).fire(1).unwrap();
        net.server.set_owner(owned, None).unwrap();
        for id in [id, other, id] {
            for _ in 0..4 {
                net.client_mut(0).calls::<Unit>(id).open().unwrap();
            }
        }
        net.settle();
        let expected = [
            (id, Some("open"), RefusalReason::TooOften, 4),
            (other, Some("open"), RefusalReason::TooOften, 3),
            (owned, Some("fire"), RefusalReason::NotOwner, 1),
        ];
        let expected = match dialect {
            Framing::Compact => &expected[..],
            Framing::Unet => &[],
        };
        assert_eq!(told(&mut net, 0), expected);
        assert_eq!(told(&mut net, 1), []);
        // Nothing is told twice.
        net.settle();
        assert_eq!(told(&mut net, 0), []);
        // The object leaves before the report.
        net.client_mut(0).calls::<Unit>(other).open().unwrap();
        net.server.despawn(other).unwrap();
        net.settle();
        let expected = (other, Some("open"), RefusalReason::UnknownObject, 1);
        let is_told = dialect == Framing::Compact;
        assert_eq!(
            told(&mut net, 0),
            Vec::from_iter(is_told.then_some(expected))
        );
    }
}

#[test]
fn reports_of_refusals_are_bounded() {
    let mut net = network(Framing::Compact, 2);
    let ids: Vec<_> = (0..50).map(|_| spawn(&mut net, None)).collect();
    net.settle();
    for id in &ids {
        for client in [0, 1] {
            net.client_mut(client).calls::<Unit>(*id).open().unwrap();
        }
    }
    net.settle();
    for client in [0, 1] {
        assert_eq!(told(&mut net, client).len(), 32);
    }
    assert_eq!(net.server.stats().refused_commands.too_often, 90);
}

#[test]
fn refusals_never_drive_other_events_out() {
    let config = ServerConfig {
        max_events: 10,
        ..ServerConfig::default()
    };
    let mut net = network_with(config, 1);
    let id = spawn(&mut net, None);
    server_events(&mut net);
    for _ in 0..50 {
        net.client_mut(0).calls::<Unit>(id).open().unwrap();
    }
    net.step();
    net.cut(0);
    let events = server_events(&mut net);
    assert_eq!(events.len(), 6);
    assert!(matches!(events[5], ServerEvent::Disconnected { .. }));
    assert_eq!(net.server.stats().refused_commands.too_often, 45);
}

#[test]
fn a_changed_signature_is_named_when_the_connection_is_refused() {
    mod other {
        use syncvar::prelude::*;

        #[derive(NetworkBehaviour, Default)]
        pub(super) struct Unit {
            #[sync_var]
            pub(super) ammo: SyncVar<u32>,
        }

        #[network_calls]
        impl Unit {
            #[command]
            fn fire(&mut self, at: i64) {
                let _ = at;
            }
        }
    }
    let mut server = NetworkServer::new(Prefabs::new().register::<Unit>("unit"));
    let config = ClientConfig {
        builds: Builds::Exact,
        ..ClientConfig::default()
    };
    let prefabs = Prefabs::new().register::<other::Unit>("unit");
    let mut client = NetworkClient::with_config(prefabs, config);
    let connection = server.handle_connect();
    client.handle_connect();
    let packet = client.poll_transmit().unwrap();
    server
        .handle_packet(connection, packet.channel, &packet.bytes)
        .unwrap();
    while let Some(transmit) = server.poll_transmit() {
        let packet = transmit.to_bytes();
        client.handle_packet(0, &packet).unwrap();
    }
    let Some(ClientEvent::Refused { reason }) = client.poll_event() else {
        panic!("refused");
    };
    let reason = reason.to_string();
    assert!(
        reason.ends_with(
            "call `fire`: `command fire = CmdFire(at: i32)` of the server is converted to \
             `command fire = CmdFire(at: i64)`"
        ),
        "{reason}"
    );
}
