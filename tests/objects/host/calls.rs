//! Calls on a host: what the server calls on the local client, and what that calls on the server.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{
    Framing, ServerConfig, Target,
    calls::{CallError, CommandRefusal, ReceivedEvent},
};

use super::told;

/// Writes down what is called, and where.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Unit {
    #[sync_var(hook = on_ammo)]
    ammo: SyncVar<u32>,
    log: Vec<String>,
}

#[network_calls]
impl Unit {
    #[command]
    fn fire(&mut self, context: &CallContext<'_>, at: i32) {
        assert!(context.is_server() && context.is_host() && context.is_client());
        assert_eq!(context.sender(), context.owner());
        self.log.push(format!("fire {at}"));
        self.ammo += 1;
    }

    #[command(requires_ownership = false, rate = 1)]
    fn open(&mut self, context: &CallContext<'_>) {
        let sender = context.sender().map(|connection| connection.0);
        self.log.push(format!("open by {sender:?}"));
    }

    /// Has the server call, and itself calls as the local client.
    #[command(requires_ownership = false)]
    fn relay(&mut self, context: &mut CallContext<'_>, text: String) {
        let id = context.net_id();
        let server = context.server().expect("a command runs on the server");
        server.calls::<Self>(id).hear(text).expect("a call");
        server.calls::<Self>(id).explode(1).expect("a call");
        server.local_calls::<Self>(id).open().expect("a command");
        self.log.push("relayed".into());
    }

    #[command(requires_ownership = false)]
    fn stumble(&mut self) {
        self.log.push("stumble".into());
        panic!("fell");
    }

    #[client_rpc]
    fn hear(&mut self, context: &mut CallContext<'_>, text: String) {
        assert!(context.is_client() && context.sender().is_none());
        let host = if context.is_host() {
            " on the host"
        } else {
            ""
        };
        self.log.push(format!("hear {text}{host}"));
        assert!(text != "boo", "frightened");
        let id = context.net_id();
        if let (Some(server), "echo") = (context.server(), text.as_str()) {
            server
                .calls::<Self>(id)
                .hear("again".into())
                .expect("a call");
        }
        if let (Some(server), "leave") = (context.server(), text.as_str()) {
            let local = server.connect_local();
            server.disconnect(local, "enough");
        }
    }

    #[client_rpc(target = owner)]
    fn reload(&mut self) {
        self.ammo.set(30);
        self.log.push("reload".into());
    }

    #[client_rpc(target = everyone)]
    fn explode(&mut self, radius: u32) {
        self.log.push(format!("explode {radius}"));
    }

    #[target_rpc]
    fn whisper(&mut self, text: String) {
        self.log.push(format!("whisper {text}"));
    }

    #[sync_event]
    fn burst(at: i32);

    fn on_ammo(&mut self, previous: u32) {
        self.log.push(format!("ammo {previous} -> {}", self.ammo));
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Unit>("unit")
        .register::<(Unit, Unit)>("twins")
}

/// A host with one other client, and a unit that both have.
fn world() -> (MemoryNetwork, ConnectionId, NetId) {
    let mut net = MemoryNetwork::pair(prefabs);
    let local = net.server.connect_local();
    let id = net.server.spawn(Unit::default());
    net.settle();
    told(&mut net);
    while net.server.poll_event().is_some() {}
    (net, local, id)
}

/// What has run on the server's own unit since this was last asked.
fn ran(net: &mut MemoryNetwork, id: NetId) -> Vec<String> {
    std::mem::take(&mut net.server.get_mut::<Unit>(id).expect("the unit").log)
}

/// What has run on the other client's unit.
fn ran_there(net: &MemoryNetwork, id: NetId) -> Vec<String> {
    let unit = net.client(0).get::<Unit>(id);
    unit.map(|unit| unit.log.clone()).unwrap_or_default()
}

fn raised(net: &mut MemoryNetwork) -> Vec<ReceivedEvent> {
    let events = told(net).into_iter().filter_map(|event| match event {
        ClientEvent::SyncEvent(event) => Some(event),
        _ => None,
    });
    events.collect()
}

// checklist: M3
#[test]
fn server_calls_run_with_the_next_update_in_order() {
    let (mut net, local, id) = world();
    net.server.calls::<Unit>(id).hear("a".into()).unwrap();
    net.server
        .calls::<Unit>(id)
        .whisper(local, "b".into())
        .unwrap();
    net.server.calls::<Unit>(id).burst(7).unwrap();
    net.server.calls::<Unit>(id).hear("c".into()).unwrap();
    assert_eq!(ran(&mut net, id), [""; 0], "not before");
    assert!(!net.server.is_idle());
    net.settle();
    assert_eq!(
        ran(&mut net, id),
        ["hear a on the host", "whisper b", "hear c on the host"]
    );
    assert_eq!(ran_there(&net, id), ["hear a", "hear c"]);
    let raised = raised(&mut net);
    let at: Vec<_> = raised
        .iter()
        .map(|event| event.arguments(Unit::BURST))
        .collect();
    assert_eq!(at, [Some((7,))]);
    net.settle();
    assert!(net.server.is_idle());
    assert_eq!(ran(&mut net, id), [""; 0]);
}

// checklist: M3
#[test]
fn a_call_for_the_local_client_alone_makes_no_byte() {
    for dialect in [Framing::Compact, Framing::Unet] {
        let config = ServerConfig {
            framing: dialect,
            ..ServerConfig::default()
        };
        let mut server = NetworkServer::with_config(prefabs(), config);
        let local = server.connect_local();
        server.handle_connect();
        let id = server.spawn(Unit::default());
        server.set_owner(id, Some(local)).unwrap();
        server.update(Duration::from_millis(1));
        let stats = server.stats().clone();
        server.calls::<Unit>(id).whisper(local, "x".into()).unwrap();
        server.calls::<Unit>(id).reload().unwrap();
        server
            .calls::<Unit>(id)
            .to(Target::Set(vec![local]))
            .burst(1)
            .unwrap();
        server.local_calls::<Unit>(id).fire(3).unwrap();
        server.update(Duration::from_millis(2));
        assert!(server.poll_transmit().is_none());
        assert_eq!(*server.stats(), stats);
        let log = &server.get::<Unit>(id).unwrap().log;
        assert_eq!(*log, ["fire 3", "ammo 0 -> 1", "whisper x", "reload"]);
    }
}

/// Which of the two is called, for every target.
// checklist: M3
#[test]
fn every_target_counts_the_local_client_like_any_other() {
    for owner in [None, Some(false), Some(true)] {
        let (mut net, local, id) = world();
        let other = net.connection(0);
        let owner = owner.map(|is_local| if is_local { local } else { other });
        net.server.set_owner(id, owner).unwrap();
        net.settle();
        let cases = [
            (Target::Observers, [true, true]),
            (
                Target::NotOwner,
                [owner != Some(local), owner != Some(other)],
            ),
            (Target::Owner, [owner == Some(local), owner == Some(other)]),
            (Target::One(local), [true, false]),
            (Target::One(other), [false, true]),
            (Target::Set(vec![local, other]), [true, true]),
            (Target::Set(vec![other]), [false, true]),
            (Target::AllBut(local), [false, true]),
            (Target::AllBut(other), [true, false]),
        ];
        for (target, expected) in cases {
            told(&mut net);
            while net.client_mut(0).poll_event().is_some() {}
            let called = net.server.calls::<Unit>(id).to(target.clone()).burst(1);
            let is_lost = target == Target::Owner && owner.is_none();
            assert_eq!(called == Err(CallError::NoOwner(id)), is_lost);
            net.settle();
            let here = raised(&mut net).len() == 1;
            let client = net.client_mut(0);
            let there = syncvar_testing::events(client)
                .any(|event| matches!(event, ClientEvent::SyncEvent(_)));
            assert_eq!([here, there], expected, "{target:?} of {owner:?}");
        }
    }
}

// checklist: M3
#[test]
fn call_for_all_runs_once_and_an_event_reaches_both_sides() {
    let (mut net, _, id) = world();
    net.server.calls::<Unit>(id).explode(5).unwrap();
    assert_eq!(ran(&mut net, id), ["explode 5"], "at once, as ever");
    let everyone = Target::Everyone;
    net.server.calls::<Unit>(id).to(everyone).burst(2).unwrap();
    net.settle();
    assert_eq!(ran(&mut net, id), [""; 0]);
    assert_eq!(ran_there(&net, id), ["explode 5"]);
    assert_eq!(raised(&mut net).len(), 1);
    let events = std::iter::from_fn(|| net.server.poll_event());
    let raised = events.filter(|event| matches!(event, ServerEvent::SyncEvent(_)));
    assert_eq!(raised.count(), 1);
}

/// T58 on a host.
// checklist: M3
#[test]
fn call_runs_only_on_objects_the_local_client_observes() {
    let (mut net, local, id) = world();
    let new = net.server.spawn(Unit::default());
    net.server.calls::<Unit>(new).hear("new".into()).unwrap();
    net.server
        .calls::<Unit>(new)
        .whisper(local, "you".into())
        .unwrap();
    net.server.calls::<Unit>(id).hear("hidden".into()).unwrap();
    net.server.hide(id, local).unwrap();
    let error = net.server.calls::<Unit>(id).whisper(local, "no".into());
    let unseen = CallError::NotObserved {
        object: id,
        connection: local,
    };
    assert_eq!(error, Err(unseen));
    let gone = net.server.spawn(Unit::default());
    net.server.calls::<Unit>(gone).hear("gone".into()).unwrap();
    net.server.despawn(gone).unwrap();
    net.settle();
    assert_eq!(ran(&mut net, new), ["hear new on the host", "whisper you"]);
    assert_eq!(ran(&mut net, id), [""; 0]);
    assert_eq!(ran_there(&net, id), ["hear hidden"]);
    net.server.calls::<Unit>(id).hear("others".into()).unwrap();
    net.server.show(id, local).unwrap();
    net.settle();
    assert_eq!(ran(&mut net, id), [""; 0], "called before it was shown");
    net.server.calls::<Unit>(id).hear("both".into()).unwrap();
    net.settle();
    assert_eq!(ran(&mut net, id), ["hear both on the host"]);
}

/// The owner of an object that nobody has been told of is whoever it is when they are.
// checklist: M3
#[test]
fn the_owner_of_a_new_object_is_called_as_it_is_shown() {
    let (mut net, local, _) = world();
    let other = net.connection(0);
    let [mine, theirs] = [(local, other), (other, local)].map(|(owner, former)| {
        let id = net.server.spawn(Unit::default());
        net.server.set_owner(id, Some(former)).unwrap();
        net.server.calls::<Unit>(id).reload().unwrap();
        net.server.set_owner(id, Some(owner)).unwrap();
        id
    });
    net.settle();
    assert_eq!(ran(&mut net, mine), ["reload", "ammo 0 -> 30"]);
    assert_eq!(ran_there(&net, mine), ["ammo 0 -> 30"]);
    assert_eq!(ran(&mut net, theirs), [""; 0]);
    // The snapshot undoes the write of the call.
    assert_eq!(ran_there(&net, theirs), ["reload", "ammo 30 -> 0"]);
}

// checklist: M4
#[test]
fn writes_of_a_call_run_hooks_in_the_next_update() {
    let (mut net, local, id) = world();
    net.server.set_owner(id, Some(local)).unwrap();
    net.server.calls::<Unit>(id).reload().unwrap();
    net.step();
    assert_eq!(ran(&mut net, id), ["reload"]);
    net.settle();
    assert_eq!(ran(&mut net, id), ["ammo 0 -> 30"]);
    assert_eq!(ran_there(&net, id), ["ammo 0 -> 30"]);
}

// checklist: M3
#[test]
fn nested_call_to_the_local_client_runs_in_the_next_update() {
    let (mut net, _, id) = world();
    net.server.calls::<Unit>(id).hear("echo".into()).unwrap();
    net.step();
    assert_eq!(ran(&mut net, id), ["hear echo on the host"]);
    assert!(!net.server.is_idle());
    net.step();
    assert_eq!(ran(&mut net, id), ["hear again on the host"]);
}

#[test]
fn panicking_call_is_reported_and_the_others_run() {
    let (mut net, _, id) = world();
    net.server.calls::<Unit>(id).hear("boo".into()).unwrap();
    net.server.calls::<Unit>(id).hear("c".into()).unwrap();
    net.settle();
    assert_eq!(
        ran(&mut net, id),
        ["hear boo on the host", "hear c on the host"]
    );
    let failed = told(&mut net).into_iter().find_map(|event| match event {
        ClientEvent::CallFailed(failure) => Some(*failure),
        _ => None,
    });
    let failed = failed.expect("it is told");
    assert_eq!((failed.object, failed.call), (id, "hear"));
    assert_eq!(failed.message, "frightened");
}

#[test]
fn a_call_that_ends_the_local_client_is_the_last_one() {
    let (mut net, _, id) = world();
    net.server.calls::<Unit>(id).hear("leave".into()).unwrap();
    net.server.calls::<Unit>(id).hear("late".into()).unwrap();
    net.settle();
    assert!(net.server.local_client().is_none() && net.server.is_idle());
    assert_eq!(ran(&mut net, id), ["hear leave on the host"]);
    assert_eq!(ran_there(&net, id), ["hear leave", "hear late"]);
}

// checklist: M3
#[test]
fn a_command_of_the_local_client_runs_at_once_with_it_as_sender() {
    let (mut net, local, id) = world();
    net.server.set_owner(id, Some(local)).unwrap();
    net.settle();
    net.server.local_calls::<Unit>(id).fire(3).unwrap();
    for _ in 0..3 {
        net.server.local_calls::<Unit>(id).open().unwrap();
    }
    let open = format!("open by Some({})", local.0);
    assert_eq!(ran(&mut net, id), ["fire 3", &open, &open, &open]);
    assert!(refusals(&mut net).is_empty(), "no rate limits it");
    net.settle();
    assert_eq!(ran(&mut net, id), ["ammo 0 -> 1"]);
    assert_eq!(ran_there(&net, id), ["ammo 0 -> 1"]);

    fn refusals(net: &mut MemoryNetwork) -> Vec<(ConnectionId, CommandRefusal)> {
        let events = std::iter::from_fn(|| net.server.poll_event());
        let refusals = events.filter_map(|event| match event {
            ServerEvent::CommandRefused {
                connection, reason, ..
            } => Some((connection, reason)),
            _ => None,
        });
        refusals.collect()
    }
}

// checklist: M3
#[test]
fn local_client_has_the_rights_of_a_remote_client() {
    let (mut net, local, id) = world();
    let fire = |net: &mut MemoryNetwork, id| net.server.local_calls::<Unit>(id).fire(1);
    assert_eq!(fire(&mut net, id), Err(CallError::NotOwner(id)));
    net.server.set_owner(id, Some(net.connection(0))).unwrap();
    assert_eq!(fire(&mut net, id), Err(CallError::NotOwner(id)));
    let new = net.server.spawn(Unit::default());
    net.server.set_owner(new, Some(local)).unwrap();
    let unknown = CallError::UnknownObject(new);
    assert_eq!(fire(&mut net, new), Err(unknown), "not told of it yet");
    net.settle();
    assert_eq!(fire(&mut net, new), Ok(()));
    net.server.hide(id, local).unwrap();
    net.settle();
    let open = net.server.local_calls::<Unit>(id).open();
    assert_eq!(open, Err(CallError::UnknownObject(id)));
    net.server.disconnect(local, "");
    assert_eq!(fire(&mut net, new), Err(CallError::NotConnected));
    assert_eq!(ran(&mut net, new), ["fire 1", "ammo 0 -> 1"]);
    assert_eq!(ran(&mut net, id), [""; 0]);
}

// checklist: M3
#[test]
fn a_command_within_a_command_on_the_same_object_runs_after_it() {
    let (mut net, local, id) = world();
    net.server
        .local_calls::<Unit>(id)
        .relay("x".into())
        .unwrap();
    let open = format!("open by Some({})", local.0);
    assert_eq!(ran(&mut net, id), ["relayed", "explode 1", &open]);
    net.settle();
    assert_eq!(ran(&mut net, id), ["hear x on the host"]);
    assert_eq!(ran_there(&net, id), ["hear x", "explode 1"]);
}

#[test]
fn panicking_command_is_reported_and_contained() {
    let (mut net, local, id) = world();
    net.server.local_calls::<Unit>(id).stumble().unwrap();
    assert_eq!(ran(&mut net, id), ["stumble"]);
    let events: Vec<_> = std::iter::from_fn(|| net.server.poll_event()).collect();
    let is_told = events.iter().any(|event| {
        matches!(event, ServerEvent::CallFailed { connection, call: "stumble", message, .. }
            if *connection == Some(local) && message == "fell")
    });
    assert!(is_told, "{events:?}");
    net.server.local_calls::<Unit>(id).open().unwrap();
    assert_eq!(ran(&mut net, id).len(), 1);
}

#[test]
fn calls_on_the_second_of_two_behaviours_reach_it_on_a_host() {
    let (mut net, local, _) = world();
    let id = net.server.spawn((Unit::default(), Unit::default()));
    net.server.set_owner(id, Some(local)).unwrap();
    net.settle();
    net.server.local_calls_at::<Unit>(id, 1).fire(2).unwrap();
    net.server.calls_at::<Unit>(id, 1).reload().unwrap();
    net.settle();
    assert_eq!(ran(&mut net, id), [""; 0]);
    let second = net.server.get_at::<Unit>(id, 1).unwrap();
    assert_eq!(
        second.log,
        ["fire 2", "ammo 0 -> 1", "reload", "ammo 1 -> 30"]
    );
}

/// UNet's bytes cannot tell the two; nobody is spoken to in them.
#[test]
fn second_new_behaviour_of_an_object_can_be_called() {
    for clients in 0..2 {
        let mut net = MemoryNetwork::new(prefabs);
        net.server.connect_local();
        for _ in 0..clients {
            net.connect();
        }
        net.settle();
        let id = net.server.spawn((Unit::default(), Unit::default()));
        net.server.calls_at::<Unit>(id, 1).explode(2).unwrap();
        net.server.calls_at::<Unit>(id, 1).hear("x".into()).unwrap();
        net.settle();
        let second = net.server.get_at::<Unit>(id, 1).unwrap();
        assert_eq!(second.log, ["explode 2", "hear x on the host"]);
    }
}

#[test]
fn command_on_a_host_knows_its_sender() {
    let (mut net, _, id) = world();
    let other = net.connection(0);
    net.client_mut(0).calls::<Unit>(id).open().unwrap();
    net.settle();
    assert_eq!(ran(&mut net, id), [format!("open by Some({})", other.0)]);
}
