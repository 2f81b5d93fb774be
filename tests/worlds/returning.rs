//! Clients that return after a lost link: they keep their connection, their objects, and each value.

use std::time::Duration;

use proptest::prelude::*;
use syncvar::interest::Tag;
use syncvar::join::{Admission, SessionToken};
use syncvar::prelude::*;
use syncvar::stats::MessageType;
use syncvar::testing::Conditions;
use syncvar::{
    Channel, ClientConfig, ClientState, DisconnectReason, Endpoint, Framing, ServerConfig,
};
use syncvar_testing::{assert_all_equal, drain, server_events, steps, token};

#[derive(NetworkBehaviour, Default, Debug, Clone, PartialEq)]
struct Unit {
    #[sync_var(hook = on_health)]
    health: SyncVar<i32>,
    #[sync_var]
    items: SyncList<u32>,
    #[sync_var(write = owner)]
    aim: SyncVar<i32>,
    #[sync_var(read = owner)]
    gold: SyncVar<u32>,
    #[sync_var(read = group)]
    plan: SyncVar<u32>,
    #[sync_var(read = group)]
    steps: SyncList<u32>,
    shots: u32,
    seen: Vec<i32>,
}

#[network_calls]
impl Unit {
    fn on_health(&mut self, previous: i32) {
        self.seen.push(previous);
    }

    #[command]
    fn shoot(&mut self) {
        self.shots += 1;
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Unit>("unit")
}

fn config() -> ServerConfig {
    ServerConfig {
        reconnect_grace: Duration::from_secs(5),
        session_tokens: Some(token),
        channels: vec![Channel::Reliable],
        ..ServerConfig::default()
    }
}

fn network(config: ServerConfig) -> (MemoryNetwork, NetId) {
    let link = Conditions {
        delay: Duration::from_millis(75),
        ..Conditions::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, link);
    net.connect();
    net.connect();
    net.settle();
    let unit = net.server.spawn(Unit::default());
    net.server.set_owner(unit, Some(net.connection(0))).unwrap();
    net.settle();
    drain(&mut net, 0);
    server_events(&mut net.server);
    (net, unit)
}

/// Sets the health, and lets the packets leave.
fn damage(net: &mut MemoryNetwork, unit: NetId, health: i32) {
    net.server.get_mut::<Unit>(unit).unwrap().health.set(health);
    steps(net, 3);
}

#[test]
fn returning_client_receives_only_the_missing_packets() {
    let (mut net, unit) = network(config());
    let connection = net.connection(0);
    let spawned = net.server.stats().encoded(MessageType::SpawnBatch);
    net.server.get_mut::<Unit>(unit).unwrap().health.set(1);
    net.step();
    net.client_mut(0).get_mut::<Unit>(unit).unwrap().aim.set(5);
    let commands = net.client_mut(0);
    commands.calls::<Unit>(unit).shoot().unwrap();
    net.step();
    // Both directions have packets in flight.
    net.cut(0);
    assert_eq!(
        server_events(&mut net.server),
        [ServerEvent::Away { connection }]
    );
    assert!(net.server.is_away(connection) && net.server.is_connected(connection));
    assert_eq!(net.server.link(connection), None);
    let reason = DisconnectReason::ConnectionLost;
    assert_eq!(drain(&mut net, 0), [ClientEvent::Disconnected { reason }]);
    net.client_mut(0).get_mut::<Unit>(unit).unwrap().aim.set(6);
    damage(&mut net, unit, 2);
    damage(&mut net, unit, 3);
    assert_eq!(net.server.owner(unit), Some(connection));
    net.reconnect(0);
    net.settle();
    let resumed = true;
    assert_eq!(net.connection(0), connection);
    let returned = ServerEvent::Returned {
        connection,
        resumed,
    };
    assert_eq!(server_events(&mut net.server)[0], returned);
    let events = drain(&mut net, 0);
    assert_eq!(events[0], ClientEvent::Returned { resumed });
    let changed = |event: &ClientEvent| matches!(event, ClientEvent::Changed { .. });
    assert!(events[1..].iter().all(changed), "{events:?}");
    assert_eq!(net.server.stats().encoded(MessageType::SpawnBatch), spawned);
    assert_all_equal(&mut net);
    assert_eq!(net.client(0).get::<Unit>(unit).unwrap().seen, [0, 1, 2]);
    let server = net.server.get::<Unit>(unit).unwrap();
    assert_eq!((*server.aim, server.shots), (6, 1));
}

#[test]
fn client_beyond_the_kept_packets_receives_all_objects() {
    let mut config = config();
    config.resume_bytes = 40;
    let (mut net, unit) = network(config);
    let other = net.server.spawn(Unit::default());
    net.settle();
    net.cut(0);
    for health in 1..20 {
        damage(&mut net, unit, health);
    }
    let sent = net.server.stats().encoded(MessageType::UpdateBatch);
    assert!(
        !net.server.is_ready(net.connection(0)),
        "its packets are lost"
    );
    net.server.despawn(other).unwrap();
    let new = net.server.spawn(Unit::default());
    steps(&mut net, 2);
    drain(&mut net, 0);
    net.reconnect(0);
    net.settle();
    assert!(sent.messages > 0);
    let object = other;
    let hidden = true;
    assert_eq!(
        drain(&mut net, 0),
        [
            ClientEvent::Returned { resumed: false },
            ClientEvent::Restored { object: unit },
            ClientEvent::Despawned { object, hidden },
            ClientEvent::Spawned { object: new },
            ClientEvent::Ready,
        ]
    );
    assert_all_equal(&mut net);
    assert_all_equal(&mut net);
    assert_eq!(net.client(0).get::<Unit>(unit).unwrap().seen, [0]);
    assert_eq!(net.server.owner(unit), Some(net.connection(0)));
}

#[test]
fn silence_ends_the_link_of_a_session_and_else_the_connection() {
    let (mut net, unit) = network(config());
    let connection = net.connection(0);
    Endpoint::handle_silence(&mut net.server, connection, "silent");
    assert_eq!(
        server_events(&mut net.server),
        [ServerEvent::Away { connection }]
    );
    assert_eq!(net.server.poll_close(), Some(connection));
    assert_eq!(net.server.owner(unit), Some(connection));
    net.cut(0);
    drain(&mut net, 0);
    net.reconnect(0);
    net.settle();
    let resumed = true;
    assert_eq!(
        drain(&mut net, 0)[0],
        ClientEvent::Returned { resumed },
        "the link had no goodbye"
    );
    // By another link.
    let link = net.server.link(connection).unwrap();
    assert_ne!(link, connection);
    server_events(&mut net.server);
    Endpoint::handle_silence(&mut net.server, connection, "a former link");
    assert_eq!(server_events(&mut net.server), []);
    Endpoint::handle_silence(&mut net.server, link, "silent");
    assert_eq!(
        server_events(&mut net.server),
        [ServerEvent::Away { connection }]
    );

    let without_sessions = ServerConfig {
        session_tokens: None,
        ..config()
    };
    let (mut net, unit) = network(without_sessions);
    let connection = net.connection(0);
    Endpoint::handle_silence(&mut net.server, connection, "silent");
    let reason = DisconnectReason::Requested("silent".into());
    let ended = ServerEvent::Disconnected {
        connection,
        reason: reason.clone(),
        owned: vec![unit],
    };
    assert_eq!(server_events(&mut net.server), [ended]);
    net.settle();
    assert_eq!(drain(&mut net, 0), [ClientEvent::Disconnected { reason }]);
}

/// Returns the events of a client whose session has ended.
fn anew(old: NetId, new: NetId) -> [ClientEvent; 4] {
    let hidden = false;
    [
        ClientEvent::Despawned {
            object: old,
            hidden,
        },
        ClientEvent::Connected,
        ClientEvent::Spawned { object: new },
        ClientEvent::Ready,
    ]
}

#[test]
fn connection_ends_after_the_grace() {
    let (mut net, unit) = network(config());
    let connection = net.connection(0);
    net.cut(0);
    steps(&mut net, 100);
    assert_eq!(
        server_events(&mut net.server),
        [ServerEvent::Away { connection }]
    );
    steps(&mut net, 2);
    let ended = ServerEvent::Disconnected {
        connection,
        reason: DisconnectReason::ConnectionLost,
        owned: vec![unit],
    };
    assert_eq!(server_events(&mut net.server), [ended]);
    assert_eq!(net.server.owner(unit), None);
    assert!(!net.server.is_connected(connection) && !net.server.is_away(connection));
    drain(&mut net, 0);
    net.reconnect(0);
    net.settle();
    assert_eq!(drain(&mut net, 0), anew(unit, unit));
    assert_eq!(net.server.stats().refused.sessions, 1);
    assert_ne!(net.connection(0), connection);
    assert_all_equal(&mut net);
}

#[test]
fn wrong_token_begins_a_new_session_and_disturbs_none() {
    let (mut net, unit) = network(config());
    let mut thief = NetworkClient::new(prefabs());
    let wrong = SessionToken::new([7; 16]);
    thief.set_session_token(Some(wrong));
    let thief = net.connect_client(thief);
    net.settle();
    assert_eq!(drain(&mut net, thief)[0], ClientEvent::Connected);
    assert_ne!(net.connection(thief), net.connection(0));
    let granted = net.client(thief).session_token();
    assert!(granted.is_some() && granted != Some(wrong));
    assert_eq!(net.server.stats().refused.sessions, 1);
    damage(&mut net, unit, 5);
    net.settle();
    assert_all_equal(&mut net);
}

#[test]
fn client_begins_anew_after_a_restart_of_the_server() {
    for grace in [5, 0] {
        let (mut net, old) = network(config());
        let mut config = config();
        config.reconnect_grace = Duration::from_secs(grace);
        net.cut(0);
        drain(&mut net, 0);
        net.server = NetworkServer::with_config(prefabs(), config);
        net.server.spawn(Unit::default());
        net.server.despawn(old).unwrap();
        let unit = net.server.spawn(Unit::default());
        net.reconnect(0);
        net.settle();
        assert_eq!(drain(&mut net, 0), anew(old, unit));
        assert!(net.client(0).get::<Unit>(old).is_none());
        assert_eq!(net.client(0).session_token().is_some(), grace > 0);
        // The new session counts its packets from its begin.
        damage(&mut net, unit, 5);
        net.cut(0);
        damage(&mut net, unit, 6);
        net.reconnect(0);
        net.settle();
        let returned = ClientEvent::Returned { resumed: true };
        assert_eq!(drain(&mut net, 0).contains(&returned), grace > 0);
        assert_eq!(net.client(0).get::<Unit>(unit).unwrap().health, 6);
    }
}

#[test]
fn program_decides_again_about_a_session_that_has_ended() {
    let mut config = config();
    config.admission = Admission::Decide;
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    net.connect();
    net.settle();
    let first = net.connection(0);
    net.server.accept(first).unwrap();
    net.settle();
    net.cut(0);
    net.reconnect(0);
    net.settle();
    server_events(&mut net.server);
    net.server.disconnect(first, "the match is over");
    let request = net.connection(0);
    assert!(net.server.accept(request).is_err(), "the session has ended");
    let requested = server_events(&mut net.server).pop();
    let Some(ServerEvent::JoinRequested { returning, .. }) = requested else {
        panic!("{requested:?}");
    };
    assert_eq!(returning, None);
    net.server.accept(request).unwrap();
    net.settle();
    assert!(drain(&mut net, 0).contains(&ClientEvent::Connected));
}

#[test]
fn token_returns_one_client_once() {
    let (mut net, _) = network(config());
    let first = net.client(0).session_token().unwrap();
    net.cut(0);
    net.reconnect(0);
    net.settle();
    let second = net.client(0).session_token().unwrap();
    assert_ne!(first, second);
    // With its next ping the client has answered.
    steps(&mut net, 50);
    let (_, is_returned) = with_token(&mut net, first);
    assert!(!is_returned, "a read token of an earlier link is worthless");
    let connection = net.connection(0);
    let (owner, is_returned) = with_token(&mut net, second);
    assert!(is_returned && net.connection(owner) == connection);

    /// Connects a client with a token. Returns its index, and the connection if it is an earlier one.
    fn with_token(net: &mut MemoryNetwork, token: SessionToken) -> (usize, bool) {
        let mut client = NetworkClient::new(prefabs());
        client.set_session_token(Some(token));
        let index = net.connect_client(client);
        net.settle();
        let is_returned = |event: &ClientEvent| matches!(event, ClientEvent::Returned { .. });
        (index, drain(net, index).iter().any(is_returned))
    }
}

#[test]
fn token_stays_valid_while_its_answer_is_lost() {
    let (mut net, unit) = network(config());
    let connection = net.connection(0);
    let first = net.client(0).session_token();
    for _ in 0..3 {
        net.cut(0);
        net.reconnect(0);
        // The server has answered, and the client has not received it.
        while net.server.link(connection).is_none() {
            net.step();
        }
        assert_eq!(net.client(0).session_token(), first);
    }
    damage(&mut net, unit, 5);
    net.cut(0);
    net.reconnect(0);
    net.settle();
    assert_eq!(net.connection(0), connection);
    assert_ne!(net.client(0).session_token(), first);
    assert_all_equal(&mut net);
}

#[test]
fn program_decides_about_a_returning_client() {
    let mut config = config();
    config.admission = Admission::Decide;
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    net.connect();
    let accept = |net: &mut MemoryNetwork, accepted: bool| {
        net.settle();
        for event in server_events(&mut net.server) {
            if let ServerEvent::JoinRequested { connection, .. } = event {
                if accepted {
                    net.server.accept(connection).unwrap();
                } else {
                    net.server.refuse(connection, "another account").unwrap();
                }
                net.settle();
                return Some(event);
            }
        }
        None
    };
    accept(&mut net, true);
    let connection = net.connection(0);
    net.cut(0);
    let mut thief = NetworkClient::new(prefabs());
    thief.set_session_token(net.client(0).session_token());
    let thief = net.connect_client(thief);
    let Some(ServerEvent::JoinRequested { returning, .. }) = accept(&mut net, false) else {
        panic!("no request");
    };
    assert_eq!(returning, Some(connection));
    assert_eq!(net.client(thief).state(), ClientState::Disconnected);
    assert!(net.server.is_away(connection));
    net.reconnect(0);
    accept(&mut net, true);
    assert!(net.client(0).is_connected() && net.connection(0) == connection);
}

#[test]
fn later_link_replaces_a_link_that_seems_alive() {
    let (mut net, unit) = network(config());
    let connection = net.connection(0);
    let mut restarted = NetworkClient::new(prefabs());
    restarted.set_session_token(net.client(0).session_token());
    let restarted = net.connect_client(restarted);
    net.settle();
    assert_eq!(net.connection(restarted), connection);
    assert!(!net.is_connected(0), "the server has closed its link");
    let returned = drain(&mut net, restarted);
    assert_eq!(returned[0], ClientEvent::Returned { resumed: false });
    assert!(net.client(restarted).is_owner(unit));
    let returned = ServerEvent::Returned {
        connection,
        resumed: false,
    };
    assert_eq!(server_events(&mut net.server)[0], returned);
    damage(&mut net, unit, 4);
    net.settle();
    assert_all_equal(&mut net);
}

#[test]
fn goodbye_ends_the_session() {
    let (mut net, _) = network(config());
    let [leaving, kicked] = [0, 1].map(|client| net.connection(client));
    net.client_mut(0).disconnect("bye");
    net.server.disconnect(kicked, "enough");
    net.settle();
    assert_eq!(net.server.connections().count(), 0);
    assert!(!net.server.is_away(leaving));
    assert_eq!(net.client(0).session_token(), None);
    assert_eq!(net.client(1).session_token(), None);
    net.reconnect(0);
    net.reconnect(1);
    net.settle();
    assert!(net.client(0).is_connected() && net.client(1).is_connected());
    assert_eq!(net.server.stats().refused.sessions, 0);
}

#[test]
fn places_of_absent_clients_are_limited() {
    let mut config = config();
    config.limits.max_away = 1;
    config.limits.max_ready = 2;
    let (mut net, _) = network(config);
    let connections = [0, 1].map(|client| net.connection(client));
    let third = net.connect();
    net.settle();
    net.cut(0);
    net.reconnect(third);
    net.settle();
    assert!(
        !net.client(third).is_connected(),
        "an absent client keeps its place"
    );
    net.cut(1);
    let away = connections.map(|connection| net.server.is_away(connection));
    assert_eq!(away, [true, false]);
    assert_eq!(net.server.stats().refused.away, 1);
}

/// Returns a network with a position, on an unreliable channel, and its client.
fn with_position(mut config: ServerConfig, datagrams: bool) -> (MemoryNetwork, NetId) {
    config.channels.push(Channel::Unreliable);
    let prefabs = || Prefabs::new().register::<Position>("position");
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    net.datagrams = datagrams;
    net.connect();
    let id = net.server.spawn(Position::default());
    net.settle();
    (net, id)
}

/// Changes a position while its client is away, and returns the event of the return.
fn return_with_unreliable_changes(framing: Framing, datagrams: bool) -> Option<bool> {
    let config = ServerConfig {
        framing,
        ..config()
    };
    let (mut net, id) = with_position(config, datagrams);
    net.cut(0);
    net.server.get_mut::<Position>(id).unwrap().x.set(5);
    steps(&mut net, 3);
    net.reconnect(0);
    net.settle();
    assert_eq!(net.client(0).get::<Position>(id).unwrap().x, 5);
    drain(&mut net, 0)
        .into_iter()
        .find_map(|event| match event {
            ClientEvent::Returned { resumed } => Some(resumed),
            _ => None,
        })
}

#[test]
fn unreliable_packets_of_unet_in_flight_bring_all_objects() {
    assert_eq!(
        return_with_unreliable_changes(Framing::Unet, false),
        Some(false)
    );
}

#[test]
fn lost_datagrams_of_an_absence_are_repaired() {
    for datagrams in [false, true] {
        let resumed = return_with_unreliable_changes(Framing::Compact, datagrams);
        assert_eq!(resumed, Some(true), "datagrams: {datagrams}");
    }
}

/// The time without an answer to datagrams is counted from the return.
#[test]
fn datagrams_go_on_after_a_long_absence() {
    let config = ServerConfig {
        reconnect_grace: Duration::from_mins(2),
        ..config()
    };
    let (mut net, id) = with_position(config, true);
    net.cut(0);
    net.server.get_mut::<Position>(id).unwrap().x.set(5);
    let end = net.now() + Duration::from_mins(1);
    while net.now() < end {
        net.step();
    }
    net.reconnect(0);
    net.settle();
    assert_eq!(net.client(0).get::<Position>(id).unwrap().x, 5);
    net.server.get_mut::<Position>(id).unwrap().x.set(6);
    net.settle();
    assert_eq!(net.client(0).get::<Position>(id).unwrap().x, 6);
    let ended = |event: &ServerEvent| matches!(event, ServerEvent::Disconnected { .. });
    assert!(!server_events(&mut net.server).iter().any(ended));
}

#[test]
fn server_that_stalls_during_a_return_ends_no_session() {
    let (mut net, id) = with_position(config(), true);
    net.cut(0);
    net.server.get_mut::<Position>(id).unwrap().x.set(5);
    net.step();
    net.reconnect(0);
    let tick = std::mem::replace(&mut net.tick, Duration::from_mins(1));
    net.step();
    net.tick = tick;
    net.settle();
    assert_eq!(net.client(0).get::<Position>(id).unwrap().x, 5);
    let ended = |event: &ServerEvent| matches!(event, ServerEvent::Disconnected { .. });
    assert!(!server_events(&mut net.server).iter().any(ended));
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = 1)]
struct Position {
    #[sync_var]
    x: SyncVar<i32>,
}

#[derive(Clone, Debug)]
enum Action {
    Step(usize),
    Health(i32),
    Item(u32),
    Gold(u32),
    Aim(usize, i32),
    Shoot(usize),
    Spawn,
    Despawn(usize),
    Hide(usize, usize),
    Show(usize, usize),
    Own(usize, usize),
    Plan(u32),
    Group(usize, Option<u64>),
    Member(usize, u64, bool),
    Cut(usize),
    Reconnect(usize),
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        6 => (1..4_usize).prop_map(Action::Step),
        2 => any::<i32>().prop_map(Action::Health),
        2 => (0..9_u32).prop_map(Action::Item),
        1 => any::<u32>().prop_map(Action::Gold),
        2 => (0..3_usize, any::<i32>()).prop_map(|(client, aim)| Action::Aim(client, aim)),
        1 => (0..3_usize).prop_map(Action::Shoot),
        1 => Just(Action::Spawn),
        1 => (0..4_usize).prop_map(Action::Despawn),
        1 => (0..4_usize, 0..3_usize).prop_map(|(unit, client)| Action::Hide(unit, client)),
        1 => (0..4_usize, 0..3_usize).prop_map(|(unit, client)| Action::Show(unit, client)),
        1 => (0..4_usize, 0..3_usize).prop_map(|(unit, client)| Action::Own(unit, client)),
        2 => any::<u32>().prop_map(Action::Plan),
        2 => (0..4_usize, prop::option::of(0..2_u64))
            .prop_map(|(unit, group)| Action::Group(unit, group)),
        3 => (0..3_usize, 0..2_u64, any::<bool>())
            .prop_map(|(client, group, joins)| Action::Member(client, group, joins)),
        2 => (0..3_usize).prop_map(Action::Cut),
        2 => (0..3_usize).prop_map(Action::Reconnect),
    ]
}

fn set_member(net: &mut MemoryNetwork, connection: ConnectionId, group: Tag, joins: bool) {
    let changed = if joins {
        net.server.join_group(connection, group)
    } else {
        net.server.leave_group(connection, group)
    };
    changed.unwrap();
}

proptest! {
    #![proptest_config(syncvar_testing::cases(256))]

    #[test]
    fn replicas_are_equal_after_returns(
        actions in prop::collection::vec(action(), 1..60),
        bytes in prop_oneof![Just(60_usize), Just(400), Just(256 * 1024)],
        framing in prop_oneof![Just(Framing::Compact), Just(Framing::Unet)],
    ) {
        let mut config = config();
        config.framing = framing;
        config.reconnect_grace = Duration::from_secs(100);
        config.resume_bytes = bytes;
        let mut link = Conditions::default();
        (link.delay, link.jitter) = (Duration::from_millis(60), Duration::from_millis(60));
        let mut net = MemoryNetwork::with_config(prefabs, config, link);
        (0..3).for_each(|_| {
            let config = ClientConfig {
                resume_bytes: bytes,
                channels: vec![Channel::Reliable],
                ..ClientConfig::default()
            };
            net.connect_client(NetworkClient::with_config(prefabs(), config));
        });
        net.settle();
        let connections = [0, 1, 2].map(|client| net.connection(client));
        let mut units = vec![net.server.spawn(Unit::default())];
        for action in &actions {
            let of = |number: usize| units[number % units.len()];
            match *action {
                Action::Step(count) => steps(&mut net, count),
                Action::Health(health) => {
                    net.server
                        .get_mut::<Unit>(of(0))
                        .unwrap()
                        .health
                        .set(health);
                }
                Action::Item(item) => net.server.get_mut::<Unit>(of(1)).unwrap().items.push(item),
                Action::Gold(gold) => {
                    net.server.get_mut::<Unit>(of(0)).unwrap().gold.set(gold);
                }
                Action::Aim(client, aim) => {
                    for id in units.clone() {
                        let client = net.client_mut(client);
                        if client.is_owner(id) && client.identity(id).is_some() {
                            client.get_mut::<Unit>(id).unwrap().aim.set(aim);
                        }
                    }
                }
                Action::Shoot(client) => drop(net.client_mut(client).calls::<Unit>(of(0)).shoot()),
                Action::Spawn => units.push(net.server.spawn(Unit::default())),
                Action::Despawn(number) if units.len() > 1 => {
                    let id = units.remove(number % units.len());
                    let _ = net.server.despawn(id);
                }
                Action::Hide(number, client) => {
                    let _ = net.server.hide(of(number), connections[client]);
                }
                Action::Show(number, client) => {
                    let _ = net.server.show(of(number), connections[client]);
                }
                Action::Own(number, client) => {
                    let _ = net.server.set_owner(of(number), Some(connections[client]));
                }
                Action::Plan(plan) => {
                    let mut unit = net.server.get_mut::<Unit>(of(0)).unwrap();
                    unit.plan.set(plan);
                    unit.steps.push(plan % 7);
                }
                Action::Group(number, group) => {
                    net.server.set_group(of(number), group.map(Tag)).unwrap();
                }
                Action::Member(client, group, joins) => {
                    set_member(&mut net, connections[client], Tag(group), joins);
                }
                Action::Cut(client) => net.cut(client),
                Action::Reconnect(client) if !net.is_connected(client) => net.reconnect(client),
                Action::Despawn(_) | Action::Reconnect(_) => {}
            }
        }
        for client in 0..3 {
            if !net.is_connected(client) {
                net.reconnect(client);
            }
        }
        net.settle();
        net.settle();
        assert_eq!([0, 1, 2].map(|client| net.connection(client)), connections);
        assert!((0..3).all(|client| net.client(client).is_connected()));
        assert_all_equal(&mut net);
        let poisoned = |event: &ClientEvent| {
            matches!(
                event,
                ClientEvent::Poisoned { .. } | ClientEvent::WriteRefused { .. }
            )
        };
        for (client, connection) in connections.into_iter().enumerate() {
            let shown = units
                .iter()
                .filter(|id| net.server.is_visible(**id, connection));
            assert_eq!(net.client(client).object_count(), shown.count());
            assert!(!drain(&mut net, client).iter().any(poisoned));
        }
    }
}

/// Connects over a new link with these bytes as the payload of the join request.
fn join_by_hand(net: &mut MemoryNetwork, request: &[u8]) {
    let link = net.server.handle_connect();
    let length = u16::try_from(request.len()).unwrap().to_le_bytes();
    let mut hash = vec![20, 0, 32, 0, 6];
    hash.extend(prefabs().schema_hash().to_le_bytes());
    hash.push(1);
    hash.extend(prefabs().schema_hash().to_le_bytes());
    hash.extend([0, 0]);
    let packet = [&length[..], &[19, 0], request, &hash].concat();
    // Malformed requests are errors, and nothing else.
    let _ = net.server.handle_packet(link, 0, &packet);
    net.step();
    net.server.handle_disconnect(link);
}

proptest! {
    #![proptest_config(syncvar_testing::cases(256))]

    #[test]
    fn forged_counts_harm_only_their_own_session(
        counts in prop::array::uniform3(prop_oneof![0..9_u64, any::<u64>()]),
        rest in prop::collection::vec(any::<u8>(), 0..40),
        cut in any::<bool>(),
    ) {
        let (mut net, unit) = network(config());
        let token = net.client(0).session_token().unwrap().as_bytes();
        if cut {
            net.cut(0);
        }
        damage(&mut net, unit, 1);
        let mut writer = syncvar::wire::NetworkWriter::new();
        writer.write_u8(3);
        writer.write_bytes(&token);
        for count in counts {
            writer.write_packed_u64(count);
        }
        join_by_hand(&mut net, writer.as_bytes());
        join_by_hand(&mut net, &rest);
        let again = [&[1][..], &token, &rest].concat();
        join_by_hand(&mut net, &again);
        damage(&mut net, unit, 2);
        if net.is_connected(0) {
            net.cut(0);
        }
        net.reconnect(0);
        net.settle();
        damage(&mut net, unit, 3);
        net.settle();
        prop_assert!(net.client(0).is_connected());
        assert_all_equal(&mut net);
    }

    #[test]
    fn forged_sessions_leave_a_client_usable(
        kind in 0..4_u8,
        counts in prop::array::uniform2(prop_oneof![0..9_u64, any::<u64>()]),
        cut in any::<bool>(),
    ) {
        let (mut net, unit) = network(config());
        let client = net.client_mut(0);
        if cut {
            client.handle_disconnect();
        } else {
            client.disconnect("bye");
        }
        client.handle_connect();
        while client.poll_transmit().is_some() {}
        let mut writer = syncvar::wire::NetworkWriter::new();
        let start = writer.start_message(19);
        writer.write_u8(kind);
        writer.write_bytes(&[9; 16]);
        for count in counts {
            writer.write_packed_u64(count);
        }
        writer.finish_message(start);
        let answer = [writer.as_bytes(), &[24, 0, 32, 0, 7], &[0; 8], &[1], &[0; 9], &[30, 0, 2, 0, 1]].concat();
        prop_assert_eq!(client.handle_packet(0, &answer).is_ok(), kind < 3);
        prop_assert!(client.is_connected());
        client.update(Duration::from_secs(1000));
        while client.poll_transmit().is_some() {}
        client.disconnect("forged");
        net.cut(0);
        net.reconnect(0);
        net.settle();
        damage(&mut net, unit, 3);
        net.settle();
        prop_assert!(net.client(0).is_connected());
        assert_all_equal(&mut net);
    }
}
