//! Events without a target: from clients, to clients, both ways. Named after the lists of `bevy_replicon`.

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;

use crate::party::{Party, observe};
use crate::support::app;

#[derive(Event, NetValue, Clone, Debug, PartialEq)]
struct Chat {
    text: String,
}

#[derive(Event, NetValue, Clone, Debug, PartialEq)]
struct Mark {
    at: Entity,
    more: Vec<Entity>,
}

#[derive(Component, Replicate, Clone, Copy, Debug, PartialEq)]
struct Orc {
    health: i32,
}

fn types(app: &mut App) {
    app.net_event::<Chat>()
        .net_event::<Mark>()
        .replicate::<Orc>();
}

fn chat(text: &str) -> Chat {
    Chat { text: text.into() }
}

fn say(app: &mut App, text: &str) {
    app.world_mut().trigger(ToServer::new(chat(text)));
}

fn heard(chat: &Chat) -> String {
    chat.text.clone()
}

#[test]
fn client_message_regular() {
    let mut party = Party::new(2, types);
    let connections = party.connections();
    let log = observe(&mut party.server, |said: &FromClient<Chat>| {
        (said.client, said.event.text.clone())
    });
    say(&mut party.clients[1], "one");
    say(&mut party.clients[1], "two");
    say(&mut party.clients[0], "three");
    party.settle();
    let [ann, bob] = [connections[0], connections[1]];
    let mut all = log.take();
    all.sort_by_key(|(client, _)| *client != bob);
    let expected = [(bob, "one"), (bob, "two"), (ann, "three")];
    assert_eq!(
        all,
        expected.map(|(client, text)| (client, text.to_owned()))
    );
}

#[test]
fn client_message_mapped() {
    let mut party = Party::new(1, types);
    let orc = party
        .server
        .world_mut()
        .spawn((Replicated, Orc { health: 1 }))
        .id();
    party.settle();
    let there = party.there(0, orc).unwrap();
    let log = observe(&mut party.server, |said: &FromClient<Mark>| {
        said.event.clone()
    });
    let local = party.clients[0].world_mut().spawn_empty().id();
    let mark = Mark {
        at: there,
        more: vec![there, local],
    };
    party.clients[0].world_mut().trigger(ToServer::new(mark));
    party.settle();
    let expected = Mark {
        at: orc,
        more: vec![orc, Entity::PLACEHOLDER],
    };
    assert_eq!(log.take(), [expected]);
}

#[test]
fn client_message_without_plugins() {
    let mut app = app();
    types_without_components(&mut app);
    let log = observe(&mut app, |said: &FromClient<Chat>| said.event.text.clone());
    say(&mut app, "nobody hears");
    app.update();
    assert_eq!(log.take(), [] as [String; 0]);
}

fn types_without_components(app: &mut App) {
    app.net_event::<Chat>();
}

#[test]
fn client_message_local_sending() {
    let mut host = Party::host(0, types);
    let local = host.connections()[0];
    let log = observe(&mut host.server, |said: &FromClient<Chat>| {
        (said.client, said.event.text.clone())
    });
    say(&mut host.server, "me");
    host.settle();
    assert_eq!(log.take(), [(local, "me".to_owned())]);
}

#[test]
fn client_message_with_disconnect() {
    let mut party = Party::new(1, types);
    let log = observe(&mut party.server, |said: &FromClient<Chat>| {
        said.event.text.clone()
    });
    say(&mut party.clients[0], "too late");
    party.clients[0].world_mut().remove_resource::<ClientLink>();
    party.settle();
    let link = party.connector.link();
    party.clients[0].insert_resource(ClientLink::new(link));
    party.settle();
    assert_eq!(log.take(), [] as [String; 0]);
    say(&mut party.clients[0], "again");
    party.settle();
    assert_eq!(log.take(), ["again"]);
}

#[test]
fn server_message_regular() {
    let mut party = Party::new(3, types);
    let connections = party.connections();
    let logs: Vec<_> = party
        .clients
        .iter_mut()
        .map(|client| observe(client, heard))
        .collect();
    let world = party.server.world_mut();
    world.trigger(ToClients::all(chat("all")));
    world.trigger(ToClients::all_but(connections[0], chat("not the first")));
    world.trigger(ToClients::one(connections[2], chat("the last")));
    world.trigger(ToClients::ready(chat("ready")).on(1));
    party.settle();
    assert_eq!(logs[0].take(), ["all", "ready"]);
    assert_eq!(logs[1].take(), ["all", "not the first", "ready"]);
    assert_eq!(
        logs[2].take(),
        ["all", "not the first", "the last", "ready"]
    );
}

#[test]
fn server_message_mapped() {
    let mut party = Party::new(1, types);
    let log = observe(&mut party.clients[0], Mark::clone);
    let orc = party
        .server
        .world_mut()
        .spawn((Replicated, Orc { health: 1 }))
        .id();
    party.settle();
    let mark = Mark {
        at: orc,
        more: vec![orc; 2],
    };
    party.server.world_mut().trigger(ToClients::all(mark));
    party.settle();
    let there = party.there(0, orc).unwrap();
    let expected = Mark {
        at: there,
        more: vec![there; 2],
    };
    assert_eq!(log.take(), [expected]);
}

#[test]
fn server_message_without_plugins() {
    let mut app = app();
    types_without_components(&mut app);
    let log = observe(&mut app, heard);
    app.world_mut()
        .trigger(ToClients::all(chat("nobody hears")));
    app.update();
    assert_eq!(log.take(), [] as [String; 0]);
}

#[test]
fn server_message_local_sending() {
    let mut host = Party::host(1, types);
    let connections = host.connections();
    let logs = [
        observe(&mut host.server, heard),
        observe(&mut host.clients[0], heard),
    ];
    let world = host.server.world_mut();
    world.trigger(ToClients::all(chat("all")));
    world.trigger(ToClients::one(connections[0], chat("the host")));
    world.trigger(ToClients::all_but(connections[0], chat("the guest")));
    host.settle();
    assert_eq!(logs[0].take(), ["all", "the host"]);
    assert_eq!(logs[1].take(), ["all", "the guest"]);
}

#[test]
fn server_message_server_buffering() {
    // An event of a frame does not reach a client that joins in the next.
    let mut party = Party::new(1, types);
    let early = observe(&mut party.clients[0], heard);
    party
        .server
        .world_mut()
        .trigger(ToClients::all(chat("now")));
    let late = observe(party.add_client(), heard);
    party.settle();
    assert_eq!(early.take(), ["now"]);
    assert_eq!(late.take(), [] as [String; 0]);
}

#[test]
fn server_message_client_queue() {
    // The event follows the state of its frame.
    let mut party = Party::new(1, types);
    let log = crate::support::Log::<Vec<i32>>::default();
    let own = log.clone();
    party.clients[0].add_observer(move |_: On<Chat>, orcs: Query<&Orc>| {
        own.push(orcs.iter().map(|orc| orc.health).collect());
    });
    let orc = party
        .server
        .world_mut()
        .spawn((Replicated, Orc { health: 1 }))
        .id();
    party
        .server
        .world_mut()
        .trigger(ToClients::all(chat("spawned")));
    party.settle();
    party.server.world_mut().get_mut::<Orc>(orc).unwrap().health = 2;
    party
        .server
        .world_mut()
        .trigger(ToClients::all(chat("changed")));
    party.settle();
    assert_eq!(log.take(), [[1], [2]]);
}

#[test]
fn server_message_client_queue_and_mapping() {
    // The event refers to an entity of its own frame.
    let mut party = Party::new(1, types);
    let log = observe(&mut party.clients[0], Mark::clone);
    let orc = party
        .server
        .world_mut()
        .spawn((Replicated, Orc { health: 1 }))
        .id();
    let mark = Mark {
        at: orc,
        more: Vec::new(),
    };
    party.server.world_mut().trigger(ToClients::all(mark));
    party.settle();
    let at = party.there(0, orc).unwrap();
    let more = Vec::new();
    assert_eq!(log.take(), [Mark { at, more }]);
}

#[test]
fn server_message_multiple_client_queues() {
    // Events of two types keep their order.
    let mut party = Party::new(1, types);
    let log = crate::support::Log::<&str>::default();
    let [chats, marks] = [log.clone(), log.clone()];
    party.clients[0].add_observer(move |_: On<Chat>| chats.push("chat"));
    party.clients[0].add_observer(move |_: On<Mark>| marks.push("mark"));
    let world = party.server.world_mut();
    let at = world.spawn((Replicated, Orc { health: 1 })).id();
    let mark = || Mark {
        at,
        more: Vec::new(),
    };
    world.trigger(ToClients::all(mark()));
    world.trigger(ToClients::all(chat("")));
    world.trigger(ToClients::all(mark()));
    party.settle();
    assert_eq!(log.take(), ["mark", "chat", "mark"]);
}

#[test]
fn server_message_independent() {
    // An event to a client does not wait for objects that the client does not see.
    let mut party = Party::new(1, types);
    let log = observe(&mut party.clients[0], Mark::clone);
    let world = party.server.world_mut();
    let at = world.spawn(Orc { health: 1 }).id();
    world.trigger(ToClients::all(Mark {
        at,
        more: Vec::new(),
    }));
    party.settle();
    let expected = Mark {
        at: Entity::PLACEHOLDER,
        more: Vec::new(),
    };
    assert_eq!(log.take(), [expected]);
}

#[test]
fn server_message_before_started_replication() {
    // A client that is not ready receives the events to all, and none of those to ready clients.
    let mut party = Party::new(0, types);
    let mut plugin = ClientPlugin::new(party.connector.link());
    plugin.config.auto_ready = false;
    let log = observe(party.add(plugin), heard);
    party.settle();
    party
        .server
        .world_mut()
        .trigger(ToClients::ready(chat("ready")));
    party
        .server
        .world_mut()
        .trigger(ToClients::all(chat("all")));
    party.settle();
    assert_eq!(log.take(), ["all"]);
    party.clients[0]
        .world_mut()
        .resource_mut::<Client>()
        .ready();
    party.settle();
    party
        .server
        .world_mut()
        .trigger(ToClients::ready(chat("ready")));
    party.settle();
    assert_eq!(log.take(), ["ready"]);
}

#[test]
fn server_message_different_ticks() {
    // Clients that have joined at different times receive the events of one frame.
    let mut party = Party::new(1, types);
    let first = observe(&mut party.clients[0], heard);
    party.settle();
    let second = observe(party.add_client(), heard);
    party.settle();
    party
        .server
        .world_mut()
        .spawn((Replicated, Orc { health: 1 }));
    party
        .server
        .world_mut()
        .trigger(ToClients::all(chat("both")));
    party.settle();
    assert_eq!(first.take(), ["both"]);
    assert_eq!(second.take(), ["both"]);
}

#[test]
fn shared_message_regular() {
    let mut party = Party::new(2, types);
    // The server passes the event on to the other clients.
    party
        .server
        .add_observer(|said: On<FromClient<Chat>>, mut commands: Commands| {
            commands.trigger(ToClients::all_but(said.client, said.event.clone()));
        });
    let logs: Vec<_> = party
        .clients
        .iter_mut()
        .map(|client| observe(client, heard))
        .collect();
    say(&mut party.clients[0], "hello");
    party.settle();
    assert_eq!(logs[0].take(), [] as [String; 0]);
    assert_eq!(logs[1].take(), ["hello"]);
}

#[test]
fn shared_message_mapped() {
    let mut party = Party::new(2, types);
    party
        .server
        .add_observer(|said: On<FromClient<Mark>>, mut commands: Commands| {
            commands.trigger(ToClients::all(said.event.clone()));
        });
    let orc = party
        .server
        .world_mut()
        .spawn((Replicated, Orc { health: 1 }))
        .id();
    party.settle();
    let log = observe(&mut party.clients[1], Mark::clone);
    let (at, more) = (party.there(0, orc).unwrap(), Vec::new());
    party.clients[0]
        .world_mut()
        .trigger(ToServer::new(Mark { at, more }));
    party.settle();
    let (at, more) = (party.there(1, orc).unwrap(), Vec::new());
    assert_eq!(log.take(), [Mark { at, more }]);
}

#[test]
fn shared_message_without_plugins() {
    let mut app = app();
    types_without_components(&mut app);
    say(&mut app, "nobody hears");
    app.world_mut()
        .trigger(ToClients::all(chat("nobody hears")));
    app.update();
}

#[test]
fn shared_message_local_sending() {
    let mut alone = app();
    alone.add_plugins(ServerPlugin::alone());
    types(&mut alone);
    alone.add_observer(|said: On<FromClient<Chat>>, mut commands: Commands| {
        commands.trigger(ToClients::all(said.event.clone()));
    });
    let log = observe(&mut alone, heard);
    alone.update();
    say(&mut alone, "echo");
    for _ in 0..4 {
        alone.update();
    }
    assert_eq!(log.take(), ["echo"]);
}

#[test]
fn shared_message_with_disconnect() {
    let mut party = Party::new(1, types);
    let log = observe(&mut party.clients[0], heard);
    party
        .server
        .world_mut()
        .trigger(ToClients::all(chat("too late")));
    party.stop();
    party.settle();
    assert_eq!(log.take(), [] as [String; 0]);
}

#[test]
fn bidirectional_message() {
    let mut party = Party::new(1, types);
    let there = observe(&mut party.clients[0], heard);
    let here = observe(&mut party.server, |said: &FromClient<Chat>| {
        said.event.text.clone()
    });
    let locally = observe(&mut party.server, heard);
    party
        .server
        .world_mut()
        .trigger(ToClients::all(chat("down")));
    say(&mut party.clients[0], "up");
    party.settle();
    assert_eq!(there.take(), ["down"]);
    assert_eq!(here.take(), ["up"]);
    assert_eq!(locally.take(), [] as [String; 0]);
}

#[test]
#[should_panic(expected = "an event `Chat` is already registered")]
fn an_event_is_registered_once() {
    app().net_event::<Chat>().net_event::<Chat>();
}

#[test]
fn a_link_in_memory_is_lost_with_its_client() {
    let (listener, link) = MemoryLink::pair();
    let mut server = app();
    server.add_plugins(ServerPlugin::new(listener));
    types(&mut server);
    drop(link);
    server.update();
    server.update();
    assert_eq!(server.world().resource::<Connections>().ids(), []);
}
