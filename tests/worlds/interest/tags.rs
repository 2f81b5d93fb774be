//! Teams in scenes in a grid, beside a model in plain words.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use syncvar::{
    ConnectionId, NetId,
    interest::{GroupTags, InterestManagement, SpatialGrid, Tag},
    values::Vector3,
};

use crate::interest::Reported;

/// Something that happens to a grid with teams in scenes. Numbers choose among what is there.
#[derive(Clone, Debug)]
enum Action {
    Connect,
    Disconnect(usize),
    Spawn([i8; 2]),
    Despawn(usize),
    Move(usize, [i8; 2]),
    Watch(usize, [i8; 2]),
    Follow(usize, usize),
    StopWatching(usize),
    Bind(usize, bool),
    /// Of an object, in the inner or in the outer management.
    Tag(usize, bool, Option<u64>),
    Join(usize, bool, u64),
    Leave(usize, bool, u64),
    Update,
}

fn action() -> impl Strategy<Value = Action> {
    let number = || 0..64_usize;
    let cell = || prop::array::uniform2(-2..=2_i8);
    let tag = || 0..3_u64;
    prop_oneof![
        2 => Just(Action::Connect),
        1 => number().prop_map(Action::Disconnect),
        3 => cell().prop_map(Action::Spawn),
        1 => number().prop_map(Action::Despawn),
        6 => (number(), cell()).prop_map(|(n, c)| Action::Move(n, c)),
        4 => (number(), cell()).prop_map(|(n, c)| Action::Watch(n, c)),
        2 => (number(), number()).prop_map(|(n, m)| Action::Follow(n, m)),
        1 => number().prop_map(Action::StopWatching),
        2 => (number(), any::<bool>()).prop_map(|(n, b)| Action::Bind(n, b)),
        4 => (number(), any::<bool>(), prop::option::of(tag()))
            .prop_map(|(n, inner, t)| Action::Tag(n, inner, t)),
        6 => (number(), any::<bool>(), tag()).prop_map(|(n, inner, t)| Action::Join(n, inner, t)),
        3 => (number(), any::<bool>(), tag()).prop_map(|(n, inner, t)| Action::Leave(n, inner, t)),
        6 => Just(Action::Update),
    ]
}

#[derive(Clone, Copy)]
enum Viewer {
    Nowhere,
    At([i8; 2]),
    With(NetId),
}

struct Thing {
    cell: [i8; 2],
    bound: bool,
    /// In the outer and in the inner management.
    tags: [Option<u64>; 2],
}

struct Person {
    viewer: Viewer,
    joined: BTreeSet<(usize, u64)>,
}

/// A grid with teams in scenes, and what there is in plain words beside it.
struct Model {
    interest: GroupTags<GroupTags<SpatialGrid>>,
    reported: Reported,
    objects: BTreeMap<NetId, Thing>,
    connections: BTreeMap<ConnectionId, Person>,
    count: u32,
}

/// The middle of a cell.
fn middle([x, y]: [i8; 2]) -> Vector3 {
    let middle = |cell| f32::from(cell) * 10.0 + 5.0;
    Vector3::new(middle(x), middle(y), 0.0)
}

impl Model {
    fn new() -> Self {
        // Who sees nothing beyond the walls of a cell still sees the cells that touch it.
        let grid = SpatialGrid::xy(10.0, 0.0).with_margin(0.0);
        Self {
            interest: GroupTags::new(GroupTags::new(grid)),
            reported: Reported::default(),
            objects: BTreeMap::new(),
            connections: BTreeMap::new(),
            count: 0,
        }
    }

    fn sees(&self, person: &Person, object: &Thing) -> bool {
        let place = match person.viewer {
            Viewer::Nowhere => None,
            Viewer::At(cell) => Some(cell),
            Viewer::With(object) => self.objects.get(&object).map(|object| object.cell),
        };
        let [x, y] = object.cell;
        let near = place.is_some_and(|[px, py]| (px - x).abs() <= 1 && (py - y).abs() <= 1);
        let joined = |level: usize| {
            let tag = object.tags[level];
            tag.is_none_or(|tag| person.joined.contains(&(level, tag)))
        };
        (near || !object.bound) && joined(0) && joined(1)
    }

    fn check(&mut self) {
        let connections: Vec<_> = self.connections.keys().copied().collect();
        self.reported.update(&mut self.interest, &connections);
        for (connection, person) in &self.connections {
            for (object, thing) in &self.objects {
                assert_eq!(
                    self.reported.sees(*connection, *object),
                    self.sees(person, thing),
                    "{connection} and {object}"
                );
            }
        }
    }

    fn object(&mut self, number: usize) -> Option<(NetId, &mut Thing)> {
        let id = pick(self.objects.keys(), number)?;
        Some((id, self.objects.get_mut(&id)?))
    }

    fn connection(&mut self, number: usize) -> Option<(ConnectionId, &mut Person)> {
        let id = pick(self.connections.keys(), number)?;
        Some((id, self.connections.get_mut(&id)?))
    }

    fn come(&mut self, action: &Action) {
        self.count += 1;
        match action {
            Action::Connect => {
                let (viewer, joined) = (Viewer::Nowhere, BTreeSet::new());
                let connection = ConnectionId(self.count);
                self.connections
                    .insert(connection, Person { viewer, joined });
                self.interest.handle_connect(connection);
            }
            Action::Spawn(cell) => {
                let (cell, bound, tags) = (*cell, true, [None; 2]);
                let object = NetId(self.count);
                self.objects.insert(object, Thing { cell, bound, tags });
                self.interest.handle_spawn(object, middle(cell));
            }
            Action::Update => self.check(),
            _ => {}
        }
    }

    fn change_object(&mut self, action: &Action) -> Option<()> {
        match action {
            Action::Despawn(n) => {
                let (id, thing) = self.object(*n)?;
                let last = thing.cell;
                for person in self.connections.values_mut() {
                    if matches!(person.viewer, Viewer::With(object) if object == id) {
                        person.viewer = Viewer::At(last);
                    }
                }
                self.objects.remove(&id);
                self.reported.areas.remove(&id);
                self.interest.handle_despawn(id);
            }
            Action::Move(n, cell) => {
                let (id, thing) = self.object(*n)?;
                thing.cell = *cell;
                self.interest.handle_move(id, middle(*cell));
            }
            Action::Bind(n, bound) => {
                let (id, thing) = self.object(*n)?;
                thing.bound = *bound;
                let grid = self.interest.inner_mut().inner_mut();
                match bound {
                    true => grid.place_in_grid(id),
                    false => grid.show_everywhere(id),
                }
                .unwrap();
            }
            Action::Tag(n, inner, tag) => {
                let (id, thing) = self.object(*n)?;
                thing.tags[usize::from(*inner)] = *tag;
                match inner {
                    true => self.interest.inner_mut().tag(id, tag.map(Tag)),
                    false => self.interest.tag(id, tag.map(Tag)),
                }
                .unwrap();
            }
            _ => {}
        }
        Some(())
    }

    fn change_connection(&mut self, action: &Action) -> Option<()> {
        match action {
            Action::Disconnect(n) => {
                let (id, _) = self.connection(*n)?;
                self.connections.remove(&id);
                self.reported
                    .seen
                    .retain(|(connection, _)| *connection != id);
                self.interest.handle_disconnect(id);
            }
            Action::Watch(n, cell) => {
                let (id, person) = self.connection(*n)?;
                person.viewer = Viewer::At(*cell);
                let grid = self.interest.inner_mut().inner_mut();
                grid.watch(id, middle(*cell)).unwrap();
            }
            Action::Follow(n, m) => {
                let (object, _) = self.object(*m)?;
                let (id, person) = self.connection(*n)?;
                person.viewer = Viewer::With(object);
                self.interest
                    .inner_mut()
                    .inner_mut()
                    .follow(id, object)
                    .unwrap();
            }
            Action::StopWatching(n) => {
                let (id, person) = self.connection(*n)?;
                person.viewer = Viewer::Nowhere;
                self.interest
                    .inner_mut()
                    .inner_mut()
                    .stop_watching(id)
                    .unwrap();
            }
            Action::Join(n, inner, tag) => {
                let (id, person) = self.connection(*n)?;
                person.joined.insert((usize::from(*inner), *tag));
                match inner {
                    true => self.interest.inner_mut().join(id, Tag(*tag)),
                    false => self.interest.join(id, Tag(*tag)),
                }
                .unwrap();
            }
            Action::Leave(n, inner, tag) => {
                let (id, person) = self.connection(*n)?;
                person.joined.remove(&(usize::from(*inner), *tag));
                match inner {
                    true => self.interest.inner_mut().leave(id, Tag(*tag)),
                    false => self.interest.leave(id, Tag(*tag)),
                }
            }
            _ => {}
        }
        Some(())
    }
}

fn pick<'a, K: Copy + 'a>(keys: impl ExactSizeIterator<Item = &'a K>, number: usize) -> Option<K> {
    let count = keys.len().max(1);
    keys.copied().nth(number % count)
}

proptest! {
    #![proptest_config(syncvar_testing::cases(256))]

    #[test]
    fn teams_in_scenes_in_a_grid_are_seen_as_each_of_the_three_says(
        actions in prop::collection::vec(action(), 1..200),
    ) {
        let mut model = Model::new();
        for action in &actions {
            model.come(action);
            // Nothing to choose from is no failure.
            let _ = model.change_object(action);
            let _ = model.change_connection(action);
        }
        model.check();
        while model.change_object(&Action::Despawn(0)).is_some() {}
        model.check();
        prop_assert!(model.reported.seen.is_empty(), "areas without objects are forgotten");
    }
}
