//! Changes that a client shows before the server's answer.

use super::*;

#[derive(NetworkBehaviour, Default, Clone)]
#[network_behaviour(send_interval = 0)]
pub(super) struct Door {
    #[sync_var(interpolate = linear)]
    angle: SyncVar<f32>,
    #[sync_var]
    open: SyncVar<bool>,
}

/// A server with a door, and two clients 50 ms away.
fn doors() -> (MemoryNetwork, NetId) {
    let config = ServerConfig {
        tick_rate: 30,
        ..ServerConfig::default()
    };
    let link = Conditions {
        delay: Duration::from_millis(50),
        ..Conditions::default()
    };
    #[derive(SyncValue, Clone)]
    struct Knock;
    let prefabs = || {
        Prefabs::new()
            .register::<Door>("door")
            .message::<Knock>("knock")
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, link);
    net.tick = Duration::from_secs(1) / 30;
    net.connect();
    net.connect();
    let id = net.server.spawn(Door::default());
    for _ in 0..60 {
        net.step();
    }
    (net, id)
}

fn open(door: &mut Door) {
    door.open.set(true);
    door.angle.set(90.0);
}

// checklist: T33
#[test]
fn an_anticipated_change_is_shown_at_once_and_to_this_client_only() {
    let (mut net, id) = doors();
    net.client_mut(0).anticipate(id, open).unwrap();
    let client = net.client(0);
    assert!(*client.predicted::<Door>(id).unwrap().open);
    assert!(!*client.get::<Door>(id).unwrap().open, "the replica stays");
    for _ in 0..3 {
        net.step();
        assert!(*net.client(0).predicted::<Door>(id).unwrap().open);
    }
    assert!(!*net.client(1).predicted::<Door>(id).unwrap().open);
    assert!(!*net.server.get::<Door>(id).unwrap().open);
}

// checklist: T33
#[test]
fn the_servers_answer_replaces_an_anticipated_change() {
    for agrees in [true, false] {
        let (mut net, id) = doors();
        net.client_mut(0).anticipate(id, open).unwrap();
        let mut shown = Vec::new();
        for step in 0..60 {
            if step == 1 && agrees {
                open(&mut net.server.get_mut::<Door>(id).unwrap());
            }
            net.step();
            // Something else of the server's, so that ticks arrive.
            let angle = *net.server.get::<Door>(id).unwrap().angle;
            net.server
                .get_mut::<Door>(id)
                .unwrap()
                .angle
                .set(angle + 0.001);
            let client = net.client(0);
            shown.push(*client.predicted::<Door>(id).unwrap().open);
            let view = client.view::<Door>(id).unwrap().get(Door::ANGLE).unwrap();
            assert!((-0.1..=90.1).contains(&view), "{view}");
        }
        assert!(shown[..3].iter().all(|open| *open));
        assert_eq!(shown.contains(&false), !agrees, "no flicker: {shown:?}");
        assert_eq!(shown.last(), Some(&agrees));
    }
}

// checklist: T33
#[test]
fn an_anticipated_change_is_repeated_on_stale_data() {
    let (mut net, id) = doors();
    // On its way already: it does not know the command.
    net.server.get_mut::<Door>(id).unwrap().angle.set(10.0);
    net.step();
    let add = |door: &mut Door| door.angle += 5.0;
    net.client_mut(0).anticipate(id, add).unwrap();
    assert_eq!(net.client(0).predicted::<Door>(id).unwrap().angle, 5.0);
    for _ in 0..3 {
        net.step();
    }
    let client = net.client(0);
    assert_eq!(client.get::<Door>(id).unwrap().angle, 10.0);
    assert_eq!(client.predicted::<Door>(id).unwrap().angle, 15.0);
}
