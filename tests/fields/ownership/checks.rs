//! Checks of the values that the owner writes.

use syncvar::NetworkBehaviour;
use syncvar::behaviour::{BehaviourSet, Optional};
use syncvar::codec::Half;
use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Body {
    #[sync_var(write = owner, check = is_step)]
    x: SyncVar<i32>,
    #[sync_var(write = owner)]
    reach: SyncVar<i32>,
    #[sync_var(write = owner, with = Half, check = self::in_range)]
    aim: SyncVar<f32>,
}

impl Body {
    fn is_step(&self, former: &i32, new: &i32) -> bool {
        (new - former).abs() <= *self.reach
    }
}

fn in_range(_: &Body, _former: &f32, new: &f32, _elapsed_ticks: u32) -> bool {
    assert!(!new.is_nan(), "not a direction");
    (-1.0..=1.0).contains(new)
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Runner {
    #[network_behaviour(base)]
    body: Body,
    #[sync_var(write = owner, check = is_paced)]
    steps: SyncVar<u32>,
}

impl Runner {
    fn is_paced(&self, former: &u32, new: &u32, elapsed_ticks: u32) -> bool {
        new - former <= elapsed_ticks
    }
}

/// Returns a network with an object of the first client.
fn owned<B: BehaviourSet>(behaviours: B, prefabs: fn() -> Prefabs) -> (MemoryNetwork, NetId) {
    let mut net = MemoryNetwork::pair(prefabs);
    let id = net.server.spawn(behaviours);
    net.server.set_owner(id, Some(net.connection(0))).unwrap();
    net.settle();
    while net.server.poll_event().is_some() {}
    (net, id)
}

fn runner() -> (MemoryNetwork, NetId) {
    owned(Runner::default(), || {
        Prefabs::new().register::<Runner>("runner")
    })
}

/// Writes as the owner. Returns the names of the refused fields.
fn write<B: NetworkBehaviour>(
    net: &mut MemoryNetwork,
    id: NetId,
    change: impl FnOnce(&mut B),
) -> Vec<&'static str> {
    change(&mut net.client_mut(0).get_mut::<B>(id).unwrap());
    net.settle();
    let mut refused = Vec::new();
    while let Some(event) = net.server.poll_event() {
        if let ServerEvent::CheckFailed { object, fields, .. } = event {
            assert_eq!(object, id);
            refused.extend(fields.names());
        }
    }
    refused
}

#[test]
fn check_sees_all_values_of_the_write() {
    let (mut net, id) = runner();
    let refused = write::<Runner>(&mut net, id, |runner| {
        runner.body.x.set(5);
        runner.body.reach.set(5);
    });
    assert!(refused.is_empty(), "{refused:?}");
    let body = &net.server.get::<Runner>(id).unwrap().body;
    assert_eq!((*body.x, *body.reach), (5, 5));
}

#[test]
fn refused_write_changes_no_field() {
    let (mut net, id) = runner();
    let refused = write::<Runner>(&mut net, id, |runner| {
        runner.body.x.set(5);
        runner.body.reach.set(4);
        runner.body.aim.set(2.0);
    });
    assert_eq!(refused, ["x", "aim"]);
    for body in [
        &net.server.get::<Runner>(id).unwrap().body,
        &net.client(0).get::<Runner>(id).unwrap().body,
    ] {
        assert_eq!((*body.x, *body.reach, *body.aim), (0, 0, 0.0));
    }
    assert_eq!(net.server.stats().refused.checked_writes, 1);
    let accepted = write::<Runner>(&mut net, id, |runner| {
        runner.body.reach.set(4);
    });
    assert!(accepted.is_empty());
    assert_eq!(net.server.get::<Runner>(id).unwrap().body.reach, 4);
}

#[test]
fn ticks_elapse_since_the_last_accepted_write() {
    let (mut net, id) = runner();
    let ticks = net.server.network_time().tick;
    let many = u32::try_from(ticks).unwrap() + 1_000;
    let set = |steps: u32| move |runner: &mut Runner| runner.steps = steps.into();
    assert_eq!(
        write(&mut net, id, set(many)),
        ["steps"],
        "since the owner came"
    );
    for _ in 0..50 {
        net.step();
    }
    assert!(write(&mut net, id, set(20)).is_empty());
    assert_eq!(write(&mut net, id, set(20 + 50)), ["steps"]);
    for _ in 0..50 {
        net.step();
    }
    assert!(write(&mut net, id, set(20 + 50)).is_empty());
}

#[test]
fn check_that_panics_refuses() {
    let (mut net, id) = runner();
    let refused = write::<Runner>(&mut net, id, |runner| {
        runner.body.aim.set(f32::NAN);
    });
    assert_eq!(refused, ["aim"]);
}

#[test]
fn optional_behaviour_is_checked() {
    type Legs = Optional<Body>;
    let (mut net, id) = owned(Legs::from(Some(Body::default())), || {
        Prefabs::new().register::<Legs>("legs")
    });
    let refused = write::<Legs>(&mut net, id, |legs| {
        legs.as_mut().unwrap().x.set(1);
    });
    assert_eq!(refused, ["x"]);
}
