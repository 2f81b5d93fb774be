//! What the local client owns, it writes: through the server's own object.

use syncvar::prelude::*;
use syncvar::{Framing, ServerConfig};

use super::{fields, told};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Pilot {
    #[sync_var(write = owner, hook = on_aim)]
    aim: SyncVar<u32>,
    #[sync_var(write = owner)]
    path: SyncList<u32>,
    #[sync_var(read = owner, write = owner)]
    notes: SyncVar<String>,
    #[sync_var(read = others)]
    outfit: SyncVar<String>,
    #[sync_var(hook = on_health)]
    health: SyncVar<u32>,
    /// Only on the host.
    meddles: bool,
    log: Vec<String>,
}

impl Pilot {
    fn on_aim(&mut self, previous: u32) {
        self.log.push(format!("aim {previous} -> {}", self.aim));
    }

    /// It is not the server's to write, if a client owns the object.
    fn on_health(&mut self, previous: u32) {
        if self.meddles && previous == 7 {
            self.aim.set(777);
        }
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new().register::<Pilot>("pilot")
}

/// A host with two other clients, and a pilot of its own.
fn world(dialect: Framing) -> (MemoryNetwork, ConnectionId, NetId) {
    let config = ServerConfig {
        framing: dialect,
        ..ServerConfig::default()
    };
    let mut net =
        MemoryNetwork::with_config(prefabs, config, syncvar::testing::Conditions::default());
    net.connect();
    net.connect();
    let local = net.server.connect_local();
    net.settle();
    let options = SpawnOptions {
        owner: Some(local),
        ..SpawnOptions::default()
    };
    let id = net.server.try_spawn(Pilot::default(), options).unwrap();
    net.settle();
    forget(&mut net);
    (net, local, id)
}

const DIALECTS: [Framing; 2] = [Framing::Compact, Framing::Unet];

fn forget(net: &mut MemoryNetwork) {
    told(net);
    while net.server.poll_event().is_some() {}
    for client in 0..2 {
        while net.client_mut(client).poll_event().is_some() {}
    }
}

fn refused(net: &mut MemoryNetwork) -> usize {
    let events = std::iter::from_fn(|| net.server.poll_event());
    let refused = events.filter(|event| matches!(event, ServerEvent::WriteRefused { .. }));
    refused.count()
}

fn set_aim(net: &mut MemoryNetwork, id: NetId, aim: u32) {
    let mut pilot = net.server.get_mut::<Pilot>(id).unwrap();
    pilot.aim.set(aim);
    pilot.path.push(aim);
    pilot.notes.set(format!("notes {aim}"));
}

/// The aim and the path that each client has.
fn aims(net: &MemoryNetwork, id: NetId) -> [(u32, Vec<u32>); 2] {
    [0, 1].map(|client| {
        let pilot = net.client(client).get::<Pilot>(id).unwrap();
        (*pilot.aim, pilot.path.to_vec())
    })
}

// checklist: M3
// Lesson 17.
#[test]
fn host_writes_its_owned_fields_and_others_receive_them() {
    for dialect in DIALECTS {
        let (mut net, _, id) = world(dialect);
        set_aim(&mut net, id, 5);
        net.settle();
        assert_eq!(aims(&net, id), [(5, vec![5]), (5, vec![5])]);
        assert_eq!(refused(&mut net), 0);
        for client in 0..2 {
            let pilot = net.client(client).get::<Pilot>(id).unwrap();
            assert_eq!(*pilot.notes, "", "only the owner reads it");
        }
        let pilot = net.server.get::<Pilot>(id).unwrap();
        assert_eq!((pilot.log.len(), &**pilot.notes), (1, "notes 5"));
        let events = told(&mut net);
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!(fields(&events[0]), ["aim", "path", "notes"]);
        assert!(net.server.is_idle());
    }
}

/// A packet for the local client would be one that nobody takes.
// checklist: M3
#[test]
fn local_client_receives_no_bytes_for_its_objects() {
    for dialect in DIALECTS {
        let (mut net, local, id) = world(dialect);
        let other = net.connection(0);
        let mut time = net.server.now();
        for owner in [None, Some(local), Some(other), Some(local), None] {
            net.server.set_owner(id, owner).unwrap();
            if owner != Some(other) {
                net.server.get_mut::<Pilot>(id).unwrap().aim += 1;
            }
            time += std::time::Duration::from_millis(100);
            net.server.update(time);
            while let Some(transmit) = net.server.poll_transmit() {
                assert_ne!(transmit.connection, local);
            }
        }
    }
}

// checklist: M3
// Lesson 17.
#[test]
fn owner_moves_between_host_client_and_none() {
    for dialect in DIALECTS {
        let (mut net, local, id) = world(dialect);
        let other = net.connection(0);
        set_aim(&mut net, id, 1);
        net.server.set_owner(id, Some(other)).unwrap();
        net.settle();
        assert_eq!(aims(&net, id)[0], (1, vec![1]), "what was pending is sent");
        let pilot = net.client(0).get::<Pilot>(id).unwrap();
        assert_eq!(*pilot.notes, "notes 1", "what the new owner may read");
        set_aim(&mut net, id, 2);
        assert_eq!(refused(&mut net), 1, "it is the client's now");
        let mut pilot = net.client_mut(0).get_mut::<Pilot>(id).unwrap();
        pilot.aim.set(3);
        pilot.path.push(3);
        drop(pilot);
        net.settle();
        assert_eq!(aims(&net, id)[1], (3, vec![1, 3]));
        net.server.set_owner(id, Some(local)).unwrap();
        net.settle();
        set_aim(&mut net, id, 4);
        net.settle();
        let all = (4, vec![1, 3, 4]);
        assert_eq!(aims(&net, id), [all.clone(), all]);
        assert_eq!(refused(&mut net), 0);
        // What the former owner writes now is refused where it is written.
        net.client_mut(0).get_mut::<Pilot>(id).unwrap().aim.set(9);
        net.settle();
        assert_eq!(*net.server.get::<Pilot>(id).unwrap().aim, 4);
        net.server.set_owner(id, None).unwrap();
        set_aim(&mut net, id, 6);
        net.settle();
        assert_eq!(aims(&net, id)[1].0, 6);
        assert_eq!(refused(&mut net), 0);
        net.server.disconnect(local, "");
        set_aim(&mut net, id, 8);
        net.settle();
        assert_eq!(aims(&net, id)[0].0, 8);
    }
}

// checklist: M4
#[test]
fn client_writes_run_hooks_on_the_host() {
    for dialect in DIALECTS {
        let (mut net, _, id) = world(dialect);
        net.server.set_owner(id, Some(net.connection(0))).unwrap();
        net.settle();
        forget(&mut net);
        net.client_mut(0).get_mut::<Pilot>(id).unwrap().aim.set(3);
        net.settle();
        let pilot = net.server.get::<Pilot>(id).unwrap();
        assert_eq!(pilot.log, ["aim 0 -> 3"]);
        let events = told(&mut net);
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!(fields(&events[0]), ["aim"]);
    }
}

// checklist: M4
#[test]
fn host_hook_cannot_write_a_field_of_a_remote_owner() {
    let (mut net, _, id) = world(Framing::Compact);
    net.server.get_mut::<Pilot>(id).unwrap().meddles = true;
    for (owner, aim) in [(Some(net.connection(0)), 0), (None, 777)] {
        net.server.set_owner(id, owner).unwrap();
        for health in [7, 8] {
            net.server.get_mut::<Pilot>(id).unwrap().health.set(health);
            net.settle();
        }
        assert_eq!(refused(&mut net), usize::from(owner.is_some()));
        assert_eq!(*net.server.get::<Pilot>(id).unwrap().aim, aim);
        assert_eq!(aims(&net, id)[0].0, aim);
    }
}

#[test]
fn non_owner_fields_of_a_host_object_reach_the_others() {
    for dialect in DIALECTS {
        let (mut net, _, id) = world(dialect);
        let mut pilot = net.server.get_mut::<Pilot>(id).unwrap();
        pilot.outfit.set("hat".into());
        drop(pilot);
        net.settle();
        for client in 0..2 {
            let pilot = net.client(client).get::<Pilot>(id).unwrap();
            assert_eq!(*pilot.outfit, "hat");
        }
    }
}
