//! Connections as entities, joins, states, owners, calls.

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::DisconnectReason;
use bevy_syncvar::syncvar::join::{Builds, Payload, Refusal};
use bevy_syncvar::{MemoryListener, OnlyFor};

use crate::party::{Party, observe};
use crate::support::{Log, app};

#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
struct Player {
    ammo: u32,
    #[sync_var(write = owner)]
    aim: i32,
    #[sync_var(read = owner)]
    secret: u32,
}

#[network_calls]
impl PlayerShadow {
    #[command]
    fn fire(&mut self, _at: NetRef, _strength: f32) {}

    #[client_rpc]
    fn flash(&mut self, _colour: u32) {}
}

fn types(app: &mut App) {
    app.replicate::<Player>().net_calls::<Player>();
}

fn player() -> Player {
    Player {
        ammo: 3,
        aim: 0,
        secret: 7,
    }
}

#[test]
fn client_connect_disconnect() {
    let mut party = Party::new(0, types);
    let joined = observe(&mut party.server, |joined: &ClientJoined| joined.entity);
    let left = observe(&mut party.server, |left: &ClientLeft| left.entity);
    party.add_client();
    party.settle();
    let connection = party.connections()[0];
    assert_eq!(joined.take(), [connection]);
    let world = party.server.world();
    assert!(world.entity(connection).contains::<Ready>());
    assert!(!world.entity(connection).contains::<LocalClient>());

    party.clients[0].world_mut().remove_resource::<ClientLink>();
    party.settle();
    assert_eq!(left.take(), [connection]);
    assert!(party.server.world().get_entity(connection).is_err());
    assert_eq!(party.connections(), []);
}

#[test]
fn a_despawned_connection_disconnects_its_client() {
    let mut party = Party::new(2, types);
    let gone = observe(&mut party.clients[0], |gone: &Disconnected| {
        gone.reason.to_string()
    });
    let connection = party.connections()[0];
    party.server.world_mut().despawn(connection);
    party.settle();
    assert_eq!(gone.take().len(), 1);
    assert_eq!(party.connections().len(), 1);
}

#[test]
fn server_start_stop() {
    let mut party = Party::new(1, types);
    let entity = party.server.world_mut().spawn((Replicated, player())).id();
    party.settle();
    assert!(party.there(0, entity).is_some());
    party.stop();
    party.settle();
    assert!(!party.server.world().contains_resource::<Server>());
    assert_eq!(party.connections(), []);
    assert!(party.server.world().get::<Player>(entity).is_some());

    let listener = MemoryListener::default();
    let link = listener.link();
    party.server.insert_resource(ServerLink::new(listener));
    party.clients[0].world_mut().remove_resource::<ClientLink>();
    party.settle();
    let mut remote = party.clients[0].world_mut().query::<&Remote>();
    assert_eq!(remote.iter(party.clients[0].world()).count(), 0);
    party.clients[0].insert_resource(ClientLink::new(link));
    party.settle();
    let there = party.there(0, entity).unwrap();
    assert_eq!(
        party.clients[0].world().get::<Player>(there).unwrap().ammo,
        3
    );
}

#[test]
fn protocol_mismatch() {
    #[derive(Component, Replicate)]
    struct Different {
        value: u32,
    }
    let mut party = Party::new(0, types);
    let mut plugin = ClientPlugin::new(party.connector.link());
    plugin.config.builds = Builds::Exact;
    let mut client = app();
    client.add_plugins(plugin);
    client.replicate::<Different>();
    let gone = observe(&mut client, |gone: &Disconnected| gone.reason.clone());
    party.clients.push(client);
    party.settle();
    let [reason]: [DisconnectReason; 1] = gone.take().try_into().unwrap();
    assert!(reason.to_string().contains("Player"), "{reason}");
    assert_eq!(party.connections(), []);
}

#[test]
fn custom_auth() {
    let mut party = Party::new(0, types);
    party.server.add_observer(|mut request: On<JoinRequest>| {
        match request.payload.decode::<String>().as_deref() {
            Ok("ann") => {}
            Ok("bob") => request.wait(),
            Ok(name) => {
                let refusal = Refusal::new(format!("no place for {name}"));
                request.refuse(refusal);
            }
            Err(_) => request.refuse("unreadable"),
        }
    });
    let waiting = observe(&mut party.server, |request: &JoinRequest| {
        request.connection
    });
    let reasons: Vec<_> = ["ann", "bob", "eve"]
        .map(|name| {
            let mut plugin = ClientPlugin::new(party.connector.link());
            plugin.payload = Payload::of(&name.to_owned()).unwrap();
            let client = party.add(plugin);
            observe(client, |gone: &Disconnected| gone.reason.to_string())
        })
        .into();
    party.settle();
    let asked = waiting.take();
    assert_eq!(asked.len(), 3);
    let payloads = |party: &mut Party| -> Vec<String> {
        let connections = party.connections();
        let world = party.server.world();
        let payload = |entity: &Entity| world.get::<Connection>(*entity).unwrap().payload();
        let payloads = connections.iter().map(payload);
        payloads.map(|payload| payload.decode().unwrap()).collect()
    };
    assert_eq!(payloads(&mut party), ["ann"]);
    let accepted = party
        .server
        .world_mut()
        .resource_mut::<Server>()
        .accept(asked[1]);
    accepted.unwrap();
    party.settle();
    assert_eq!(payloads(&mut party), ["ann", "bob"]);
    assert_eq!(reasons[0].take(), [] as [String; 0]);
    assert!(reasons[2].take()[0].contains("no place for eve"));
}

#[test]
fn disabled_auth() {
    // Without an observer each client is accepted.
    let mut party = Party::new(2, types);
    assert_eq!(party.connections().len(), 2);
}

#[test]
fn owners_write_read_and_call() {
    let mut party = Party::new(2, types);
    let connections = party.connections();
    let world = party.server.world_mut();
    let entity = world
        .spawn((Replicated, player(), Owner(connections[1])))
        .id();
    party.settle();
    let there = [0, 1].map(|client| party.there(client, entity).unwrap());
    let secret = |party: &Party, client: usize| {
        let world = party.clients[client].world();
        let is_owned = world.entity(there[client]).contains::<Owned>();
        (world.get::<Player>(there[client]).unwrap().secret, is_owned)
    };
    assert_eq!(
        [secret(&party, 0), secret(&party, 1)],
        [(0, false), (7, true)]
    );
    let owned = party.server.world().get::<Owns>(connections[1]).unwrap();
    assert_eq!(owned.iter().collect::<Vec<_>>(), [entity]);

    let client = party.clients[1].world_mut();
    client.get_mut::<Player>(there[1]).unwrap().aim = 5;
    party.settle();
    assert_eq!(party.server.world().get::<Player>(entity).unwrap().aim, 5);

    party
        .server
        .world_mut()
        .entity_mut(entity)
        .insert(Owner(connections[0]));
    party.settle();
    assert_eq!([secret(&party, 0).1, secret(&party, 1).1], [true, false]);
    party
        .server
        .world_mut()
        .entity_mut(entity)
        .remove::<Owner>();
    party.settle();
    assert_eq!([secret(&party, 0).1, secret(&party, 1).1], [false, false]);
}

#[test]
fn calls_are_events_with_arguments() {
    let mut party = Party::new(1, types);
    let connection = party.connections()[0];
    let world = party.server.world_mut();
    let entity = world.spawn((Replicated, player(), Owner(connection))).id();
    party.settle();
    let shots = Log::<(Entity, Option<Entity>, Entity, f32)>::default();
    let log = shots.clone();
    party.server.add_observer(
        move |call: On<NetCall<Player>>,
              entities: Res<NetEntities>,
              mut players: Query<&mut Player>| {
            let Some((at, strength)) = call.arguments::<(NetRef, f32)>("fire") else {
                return;
            };
            players.get_mut(call.entity).unwrap().ammo -= 1;
            log.push((call.entity, call.client, entities.target(at), strength));
        },
    );
    let there = party.there(0, entity).unwrap();
    let world = party.clients[0].world_mut();
    let id = world.get::<Net>(there).unwrap().id();
    let at = world.resource::<NetEntities>().reference(there);
    let mut client = world.resource_mut::<Client>();
    client.calls::<PlayerShadow>(id).fire(at, 0.5).unwrap();
    party.settle();
    assert_eq!(shots.take(), [(entity, Some(connection), entity, 0.5)]);
    let player = party.clients[0].world().get::<Player>(there).unwrap();
    assert_eq!(player.ammo, 2);

    let flashes = observe(&mut party.clients[0], |call: &NetCall<Player>| {
        (call.entity, call.arguments::<(u32,)>("flash"))
    });
    let mut server = party.server.world_mut().resource_mut::<Server>();
    server.calls::<PlayerShadow>(id).flash(9).unwrap();
    party.settle();
    assert_eq!(flashes.take(), [(there, Some((9,)))]);
}

#[test]
fn an_app_is_in_turn_a_server_and_a_client() {
    let mut first = app();
    let mut second = app();
    for app in [&mut first, &mut second] {
        app.add_plugins((ServerPlugin::stopped(), ClientPlugin::stopped()));
        types(app);
    }
    let run = |first: &mut App, second: &mut App| {
        for _ in 0..12 {
            first.update();
            second.update();
        }
    };
    let count = |app: &mut App| {
        let mut players = app.world_mut().query_filtered::<&Player, With<Remote>>();
        players.iter(app.world()).count()
    };
    for round in 0..2 {
        let (listener, link) = MemoryLink::pair();
        first.insert_resource(ServerLink::new(listener));
        let own = first.world_mut().spawn((Replicated, player())).id();
        second.insert_resource(ClientLink::new(link));
        run(&mut first, &mut second);
        assert_eq!((count(&mut first), count(&mut second)), (0, 1), "{round}");
        second.world_mut().remove_resource::<ClientLink>();
        first.world_mut().remove_resource::<ServerLink>();
        run(&mut first, &mut second);
        assert_eq!(count(&mut second), 0);
        first.world_mut().despawn(own);
        std::mem::swap(&mut first, &mut second);
    }
}

#[cfg(feature = "state")]
#[test]
fn a_client_has_states() {
    use bevy_state::prelude::State;

    let state = |app: &App| *app.world().resource::<State<JoinState>>().get();
    let mut party = Party::host(0, types);
    party.settle();
    assert_eq!(state(&party.server), JoinState::Joined);
    let connector = party.connector.clone();
    let client = party.add(ClientPlugin::stopped());
    client.update();
    assert_eq!(state(client), JoinState::Left);
    client.insert_resource(ClientLink::new(connector.link()));
    client.update();
    client.update();
    assert_eq!(state(client), JoinState::Connecting);
    party.settle();
    assert_eq!(state(&party.clients[0]), JoinState::Joined);
    party.stop();
    party.clients[0].world_mut().remove_resource::<ClientLink>();
    party.settle();
    assert_eq!(state(&party.clients[0]), JoinState::Left);
    assert_eq!(state(&party.server), JoinState::Left);
}

#[test]
fn run_conditions_follow_the_session() {
    let mut party = Party::new(0, types);
    let frames = Log::<&str>::default();
    let count = |app: &mut App, log: Log<&'static str>| {
        let own = log.clone();
        app.add_systems(
            bevy_app::Update,
            (move || own.push("joined")).run_if(joined),
        );
        app.add_systems(
            bevy_app::Update,
            (move || log.push("serving")).run_if(serving),
        );
    };
    count(party.add_client(), frames.clone());
    party.clients[0].update();
    assert_eq!(frames.take(), [] as [&str; 0]);
    party.settle();
    assert!(frames.take().contains(&"joined"));
    count(&mut party.server, frames.clone());
    party.server.update();
    assert_eq!(frames.take(), ["serving"]);
}

#[test]
fn observers_of_a_host_receive_previous_values() {
    let mut host = Party::host(1, types);
    let log = observe(&mut host.server, |change: &Received<Player>| {
        (change.entity, change.previous.ammo, change.previous.aim)
    });
    let there = observe(&mut host.clients[0], |change: &Received<Player>| {
        change.previous.ammo
    });
    let world = host.server.world_mut();
    let entity = world.spawn((Replicated, player())).id();
    let hidden = world
        .spawn((Replicated, player(), OnlyFor(Vec::new())))
        .id();
    host.settle();
    assert_eq!(log.take(), []);
    for own in [entity, hidden] {
        let mut player = host.server.world_mut().get_mut::<Player>(own).unwrap();
        player.ammo = 1;
        player.ammo = 2;
    }
    host.settle();
    assert_eq!(log.take(), [(entity, Some(3), None)]);
    assert_eq!(there.take(), [Some(3)]);
}
