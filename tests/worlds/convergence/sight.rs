//! The same where an interest management decides who sees what: tags and a grid.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use syncvar::prelude::*;
use syncvar::{
    interest::{GroupTags, SpatialGrid, Tag},
    testing::Conditions,
    values::{Quaternion, Vector3},
};

use syncvar_testing::ViewChange;

use super::action::{Action, action};
use crate::convergence::{World, slow};

const CELL: f32 = 10.0;
const VIEW: f32 = 15.0;
/// Nothing further than this is seen: two cells and four margins, along two axes.
const BEYOND: f32 = VIEW + std::f32::consts::SQRT_2 * (2.0 * CELL + 0.4 * CELL);

/// What happens in a world with areas. Numbers choose among what is there.
#[derive(Clone, Debug)]
enum Event {
    Common(Action),
    SetOwner(usize, Option<usize>),
    Restore(usize, usize),
    ShowByInterest(usize),
    Move(usize, Vector3),
    Tag(usize, Option<Tag>),
    Bind(usize, bool),
    Watch(usize, Vector3),
    Follow(usize, usize),
    StopWatching(usize),
    JoinTag(usize, Tag),
    LeaveTag(usize, Tag),
}

fn position() -> impl Strategy<Value = Vector3> {
    (-30_i8..30, -30_i8..30).prop_map(|(x, z)| Vector3::new(x.into(), 1.0, z.into()))
}

fn event() -> impl Strategy<Value = Event> {
    use Event as E;
    let tag = || (0_u64..3).prop_map(Tag);
    let (one, two) = (any::<usize>, any::<(usize, usize)>);
    prop_oneof![
        30 => action().prop_map(E::Common),
        2 => (one(), any::<Option<usize>>()).prop_map(|(o, c)| E::SetOwner(o, c)),
        1 => two().prop_map(|(o, c)| E::Restore(o, c)),
        1 => one().prop_map(E::ShowByInterest),
        6 => (one(), position()).prop_map(|(o, to)| E::Move(o, to)),
        2 => (one(), prop::option::of(tag())).prop_map(|(o, tag)| E::Tag(o, tag)),
        1 => (one(), any::<bool>()).prop_map(|(o, bound)| E::Bind(o, bound)),
        6 => (one(), position()).prop_map(|(c, to)| E::Watch(c, to)),
        2 => two().prop_map(|(c, o)| E::Follow(c, o)),
        1 => one().prop_map(E::StopWatching),
        2 => (one(), tag()).prop_map(|(c, tag)| E::JoinTag(c, tag)),
        1 => (one(), tag()).prop_map(|(c, tag)| E::LeaveTag(c, tag)),
    ]
}

/// What is said about an object as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    Interest,
    Everyone,
    Nobody,
}

#[derive(Debug)]
struct Thing {
    rule: Rule,
    /// Who was shown it or kept from it.
    said: BTreeMap<ConnectionId, bool>,
    position: Vector3,
    tag: Option<Tag>,
    bound: bool,
}

#[derive(Debug, Default)]
struct Viewer {
    position: Option<Vector3>,
    following: Option<NetId>,
    joined: BTreeSet<Tag>,
}

/// A world, and who should see what in it by the definitions alone.
struct Sight {
    world: World,
    things: BTreeMap<NetId, Thing>,
    viewers: BTreeMap<ConnectionId, Viewer>,
}

impl Sight {
    fn new(link: Conditions) -> Self {
        let grid = GroupTags::new(SpatialGrid::xz(CELL, VIEW));
        let prefabs = syncvar_testing::prefabs_with_scoreboard();
        let server = NetworkServer::with_interest(prefabs, World::config(), grid);
        let world = World::with_server(server, link);
        Self {
            world,
            things: BTreeMap::new(),
            viewers: BTreeMap::new(),
        }
    }

    fn tags(&mut self) -> &mut GroupTags<SpatialGrid> {
        let tags = self.world.net.server.interest_mut();
        tags.expect("the server has group tags")
    }

    fn thing(&mut self, choice: usize) -> (NetId, Option<&mut Thing>) {
        let id = self.world.object(choice);
        (id, self.things.get_mut(&id))
    }

    fn viewer(&mut self, choice: usize) -> (ConnectionId, &mut Viewer) {
        let connection = self.world.connection(choice);
        (connection, self.viewers.entry(connection).or_default())
    }

    fn act(&mut self, event: Event) {
        match event {
            Event::Common(action) => self.act_common(action),
            Event::SetOwner(object, client) => {
                let owner = client.map(|client| self.world.connection(client));
                let id = self.world.object(object);
                self.world.net.server.set_owner(id, owner).ok();
            }
            Event::Restore(object, client) => {
                let connection = self.world.connection(client);
                let (id, thing) = self.thing(object);
                thing.map(|thing| thing.said.remove(&connection));
                self.world.net.server.restore(id, connection).ok();
            }
            Event::ShowByInterest(object) => {
                self.set_rule(object, Rule::Interest);
                let id = self.world.object(object);
                self.world.net.server.show_by_interest(id).ok();
            }
            Event::Move(object, position) => self.move_to(object, position),
            Event::Tag(object, tag) => {
                let (id, thing) = self.thing(object);
                if let Some(thing) = thing {
                    thing.tag = tag;
                }
                self.tags().tag(id, tag).ok();
            }
            Event::Bind(object, bound) => {
                let (id, thing) = self.thing(object);
                if let Some(thing) = thing {
                    thing.bound = bound;
                }
                let grid = self.tags().inner_mut();
                if bound {
                    grid.place_in_grid(id).ok();
                } else {
                    grid.show_everywhere(id).ok();
                }
            }
            look => self.look(&look),
        }
    }

    fn look(&mut self, event: &Event) {
        match *event {
            Event::Watch(client, position) => {
                let (connection, viewer) = self.viewer(client);
                (viewer.position, viewer.following) = (Some(position), None);
                self.tags().inner_mut().watch(connection, position).ok();
            }
            Event::Follow(client, object) => {
                let (id, thing) = self.thing(object);
                let position = thing.map(|thing| thing.position);
                let (connection, viewer) = self.viewer(client);
                (viewer.position, viewer.following) = (position, Some(id));
                self.tags().inner_mut().follow(connection, id).ok();
            }
            Event::StopWatching(client) => {
                let (connection, viewer) = self.viewer(client);
                (viewer.position, viewer.following) = (None, None);
                self.tags().inner_mut().stop_watching(connection).ok();
            }
            Event::JoinTag(client, tag) => {
                let (connection, viewer) = self.viewer(client);
                viewer.joined.insert(tag);
                self.tags().join(connection, tag).ok();
            }
            Event::LeaveTag(client, tag) => {
                let (connection, viewer) = self.viewer(client);
                viewer.joined.remove(&tag);
                self.tags().leave(connection, tag);
            }
            _ => {}
        }
    }

    fn move_to(&mut self, object: usize, position: Vector3) {
        let (id, thing) = self.thing(object);
        if let Some(thing) = thing {
            thing.position = position;
            let followers = self.viewers.values_mut();
            for viewer in followers.filter(|viewer| viewer.following == Some(id)) {
                viewer.position = Some(position);
            }
        }
        let server = &mut self.world.net.server;
        server
            .set_transform(id, position, Quaternion::IDENTITY)
            .ok();
    }

    fn set_rule(&mut self, object: usize, rule: Rule) {
        if let (_, Some(thing)) = self.thing(object) {
            thing.rule = rule;
            thing.said.clear();
        }
    }

    fn say(&mut self, object: usize, client: usize, visible: bool) {
        let connection = self.world.connection(client);
        if let (_, Some(thing)) = self.thing(object) {
            thing.said.insert(connection, visible);
        }
    }

    fn act_common(&mut self, action: Action) {
        let (mut rule, mut step) = (Rule::Interest, false);
        match action {
            Action::SpawnPlayer { hidden: true, .. } => rule = Rule::Nobody,
            Action::View(ViewChange::Show(object, client)) => self.say(object, client, true),
            Action::View(ViewChange::Hide(object, client)) => self.say(object, client, false),
            Action::View(ViewChange::ShowToAll(object)) => self.set_rule(object, Rule::Everyone),
            Action::View(ViewChange::HideFromAll(object)) => self.set_rule(object, Rule::Nobody),
            Action::Step => step = true,
            _ => {}
        }
        self.world.act(action);
        for id in &self.world.objects {
            self.things.entry(*id).or_insert_with(|| Thing {
                rule,
                said: BTreeMap::new(),
                position: Vector3::default(),
                tag: None,
                bound: true,
            });
        }
        self.things.retain(|id, _| self.world.objects.contains(id));
        if step {
            self.check_visible();
        }
    }

    /// Whether a connection sees an object, where the definitions decide it: the grid leaves some room.
    fn sees(&self, connection: ConnectionId, id: NetId) -> Option<bool> {
        let thing = &self.things[&id];
        if let Some(said) = thing.said.get(&connection) {
            return Some(*said);
        }
        match thing.rule {
            Rule::Everyone => return Some(true),
            Rule::Nobody => return Some(false),
            Rule::Interest => {}
        }
        if self.world.net.server.owner(id) == Some(connection) {
            return Some(true);
        }
        let viewer = self.viewers.get(&connection);
        let joined = |tag| viewer.is_some_and(|viewer| viewer.joined.contains(&tag));
        if !thing.tag.is_none_or(joined) {
            return Some(false);
        }
        if !thing.bound {
            return Some(true);
        }
        let Some(eye) = viewer.and_then(|viewer| viewer.position) else {
            return Some(false);
        };
        let distance = (eye.x - thing.position.x).hypot(eye.z - thing.position.z);
        if distance <= VIEW {
            Some(true)
        } else {
            (distance > BEYOND).then_some(false)
        }
    }

    /// After an update, everyone sees what the definitions say.
    fn check_visible(&self) {
        let net = &self.world.net;
        for client in (0..net.client_count()).filter(|client| net.is_connected(*client)) {
            let connection = net.connection(client);
            for (id, thing) in &self.things {
                let visible = net.server.is_visible(*id, connection);
                let expected = self.sees(connection, *id);
                assert!(
                    expected.is_none_or(|expected| expected == visible),
                    "{connection} sees {id}: {visible}; {thing:?} {:?}",
                    self.viewers.get(&connection)
                );
            }
        }
    }

    /// Some of everything, so that what happens then concerns somebody.
    fn populate(&mut self) {
        use Action as A;
        let player = |health| A::SpawnPlayer {
            health,
            hidden: false,
        };
        let things = [
            A::SpawnScoreboard,
            player(1),
            A::SpawnVane,
            A::Join,
            A::Join,
        ];
        for action in things.iter().chain(&things[..3]) {
            self.act(Event::Common(action.clone()));
        }
        for client in 0..2 {
            self.act(Event::Watch(client, Vector3::default()));
        }
        for _ in 0..4 {
            self.act(Event::Common(A::Step));
        }
    }

    fn run(mut self, events: Vec<Event>) {
        self.populate();
        for event in events {
            self.act(event);
        }
        self.world.settle();
        self.check_visible();
        self.world.check();
    }
}

proptest! {
    #[test]
    fn ready_clients_have_exactly_their_visible_objects(
        events in prop::collection::vec(event(), 1..160),
    ) {
        Sight::new(Conditions::default()).run(events);
    }

    #[test]
    fn ready_clients_converge_over_slow_links(
        events in prop::collection::vec(event(), 1..120),
        seed in any::<u64>(),
    ) {
        Sight::new(slow(seed)).run(events);
    }
}
