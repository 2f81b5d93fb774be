//! Group tags, both at once, and an interest management of one's own, well-behaved or not.

use syncvar::prelude::*;
use syncvar::{
    Framing,
    interest::{
        Area, Everyone, GroupTags, InterestChange, InterestChanges, InterestManagement,
        SpatialGrid, Tag,
    },
    values::Vector3,
};

use crate::sight::{ANN, HERE, THERE, forget_events, hidden, move_to, network, spawn, spawned};
use syncvar_testing::{change, drain, states};

const MIXED: [Framing; 2] = [Framing::Unet, Framing::Compact];
const RED: Tag = Tag(1);
const BLUE: Tag = Tag(2);

#[test]
fn team_observes_its_objects_and_untagged_ones() {
    let mut net = network(&MIXED, 3, GroupTags::new(Everyone));
    let (flag, ball) = (spawn(&mut net, HERE, 1), spawn(&mut net, HERE, 2));
    let connections: Vec<_> = net.server.connections().collect();
    let teams: &mut GroupTags = net.server.interest_mut().expect("teams");
    teams.tag(flag, Some(RED)).unwrap();
    teams.join(connections[0], RED).unwrap();
    teams.join(connections[1], BLUE).unwrap();
    net.settle();
    assert_eq!(states(&net, flag), [ANN(1), None, None]);
    assert_eq!(states(&net, ball), [ANN(2), ANN(2), ANN(2)]);
    forget_events(&mut net);

    let teams: &mut GroupTags = net.server.interest_mut().expect("teams");
    teams.leave(connections[0], RED);
    teams.join(connections[0], BLUE).unwrap();
    teams.tag(flag, Some(BLUE)).unwrap();
    change(&mut net, flag, |player| player.health.set(3));
    net.settle();
    assert_eq!(states(&net, flag), [ANN(3), ANN(3), None]);
    assert!(
        !drain(&mut net, 0).contains(&hidden(flag)),
        "it has gone over with it"
    );
    assert_eq!(drain(&mut net, 1), [spawned(flag)]);

    let teams: &mut GroupTags = net.server.interest_mut().expect("teams");
    teams.tag(flag, None).unwrap();
    net.settle();
    assert_eq!(states(&net, flag), [ANN(3), ANN(3), ANN(3)]);
}

#[test]
fn observer_of_a_public_object_keeps_it_when_tagged() {
    let mut net = network(&MIXED, 2, GroupTags::new(Everyone));
    let connections: Vec<_> = net.server.connections().collect();
    let flag = spawn(&mut net, HERE, 1);
    net.settle();
    net.server.show(flag, connections[0]).unwrap();
    net.settle();
    for tag in [Some(RED), None, Some(BLUE)] {
        let teams: &mut GroupTags = net.server.interest_mut().expect("teams");
        teams.tag(flag, tag).unwrap();
        net.settle();
        let other = if tag.is_none() { ANN(1) } else { None };
        assert_eq!(states(&net, flag), [ANN(1), other]);
    }
    net.server.restore(flag, connections[0]).unwrap();
    net.settle();
    assert_eq!(states(&net, flag), [None, None]);
}

#[test]
fn a_team_sees_its_own_things_as_far_as_it_sees() {
    let grid = SpatialGrid::xz(10.0, 10.0);
    let mut net = network(&MIXED, 3, GroupTags::new(grid));
    let (flag, ball) = (spawn(&mut net, HERE, 1), spawn(&mut net, HERE, 2));
    let connections: Vec<_> = net.server.connections().collect();
    let teams: &mut GroupTags<SpatialGrid> = net.server.interest_mut().expect("teams");
    teams.tag(flag, Some(RED)).unwrap();
    teams.join(connections[0], RED).unwrap();
    teams.join(connections[1], RED).unwrap();
    let grid = teams.inner_mut();
    for (connection, x) in connections.iter().zip([HERE, THERE, HERE]) {
        grid.watch(*connection, Vector3::new(x, 0.0, 0.0)).unwrap();
    }
    net.settle();
    assert_eq!(states(&net, flag), [ANN(1), None, None]);
    assert_eq!(states(&net, ball), [ANN(2), None, ANN(2)]);
    forget_events(&mut net);
    move_to(&mut net, flag, THERE);
    change(&mut net, flag, |player| player.health.set(3));
    net.settle();
    assert_eq!(states(&net, flag), [None, ANN(3), None]);
    assert_eq!(drain(&mut net, 0).last(), Some(&hidden(flag)));
    assert_eq!(drain(&mut net, 1), [spawned(flag)]);
    assert_eq!(drain(&mut net, 2), []);
}

/// Says what it is told to say.
#[derive(Debug, Default)]
struct Script(Vec<InterestChange>);

impl InterestManagement for Script {
    fn handle_spawn(&mut self, object: NetId, position: Vector3) {
        let area = (position.x > 100.0).then_some(Area(1));
        self.0.push(InterestChange::Placed { object, area });
    }

    fn handle_despawn(&mut self, _: NetId) {}

    fn handle_connect(&mut self, _: ConnectionId) {}

    fn handle_disconnect(&mut self, _: ConnectionId) {}

    fn update(&mut self, changes: &mut InterestChanges) {
        for change in self.0.drain(..) {
            match change {
                InterestChange::Placed { object, area } => changes.place(object, area),
                InterestChange::Revealed { connection, area } => changes.reveal(connection, area),
                InterestChange::Concealed { connection, area } => changes.conceal(connection, area),
            }
        }
    }
}

fn say(net: &mut MemoryNetwork, changes: &[InterestChange]) {
    let script: &mut Script = net.server.interest_mut().expect("a script");
    script.0.extend(changes);
    net.settle();
}

fn reveal(connection: ConnectionId, area: u64) -> InterestChange {
    let area = Area(area);
    InterestChange::Revealed { connection, area }
}

fn conceal(connection: ConnectionId, area: u64) -> InterestChange {
    let area = Area(area);
    InterestChange::Concealed { connection, area }
}

fn place(object: NetId, area: u64) -> InterestChange {
    let area = Some(Area(area));
    InterestChange::Placed { object, area }
}

#[test]
fn custom_interest_management_decides_visibility() {
    let mut net = network(&MIXED, 2, Script::default());
    assert!(net.server.interest::<SpatialGrid>().is_err());
    let (lobby, cave) = (spawn(&mut net, HERE, 1), spawn(&mut net, THERE, 2));
    let first = net.connection(0);
    say(&mut net, &[reveal(first, 1)]);
    assert_eq!(states(&net, lobby), [ANN(1), ANN(1)]);
    assert_eq!(states(&net, cave), [ANN(2), None]);
    // Whatever the order of the reports, nobody loses what it sees before and after the update.
    forget_events(&mut net);
    say(
        &mut net,
        &[conceal(first, 1), place(cave, 2), reveal(first, 2)],
    );
    assert_eq!(drain(&mut net, 0), []);
    say(&mut net, &[conceal(first, 2)]);
    assert_eq!(drain(&mut net, 0), [hidden(cave)]);
}

#[test]
fn reports_that_make_no_sense_do_no_harm() {
    let mut net = network(&MIXED, 3, Script::default());
    let (stays, goes) = (spawn(&mut net, THERE, 1), spawn(&mut net, THERE, 2));
    let [first, second, left] = [0, 1, 2].map(|client| net.connection(client));
    let (nobody, nothing) = (ConnectionId(left.0 + 1), NetId(goes.0 + 1));
    say(&mut net, &[reveal(left, 1)]);
    net.cut(2);
    net.server.despawn(goes).unwrap();
    forget_events(&mut net);
    let nonsense = [
        reveal(nobody, 1),
        conceal(nobody, 1),
        reveal(left, 1),
        conceal(left, 5),
        place(nothing, 1),
        place(goes, 1),
        place(stays, 1),
        conceal(second, 1),
        conceal(second, u64::MAX),
        reveal(first, 1),
        reveal(first, 1),
        place(stays, u64::MAX),
        place(stays, 1),
        reveal(second, 1),
        conceal(second, 1),
        conceal(second, 1),
    ];
    say(&mut net, &nonsense);
    say(&mut net, &nonsense);
    assert_eq!(drain(&mut net, 0), [spawned(stays)]);
    assert_eq!(drain(&mut net, 1), []);
    change(&mut net, stays, |player| player.health.set(4));
    net.settle();
    assert_eq!(states(&net, stays), [ANN(4), None]);
    // What was said about numbers before they were somebody's says nothing about these.
    let late = net.connect();
    let newer = spawn(&mut net, HERE, 5);
    net.settle();
    assert_eq!((net.connection(late), newer), (nobody, nothing));
    assert_eq!(states(&net, stays), [ANN(4), None, None]);
    assert_eq!(states(&net, newer), [ANN(5), ANN(5), ANN(5)]);
    drain(&mut net, 0);
    // Once concealed is concealed, however often it was revealed.
    say(&mut net, &[conceal(first, 1)]);
    assert_eq!(drain(&mut net, 0), [hidden(stays)]);
}
