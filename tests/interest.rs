//! What interest managements report is what their definitions say, and nothing twice.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use syncvar::{
    Area, ConnectionId, GroupTags, InterestChange, InterestChanges, InterestManagement, NetId,
    SpatialGrid, Tag, Vector3,
};

/// What somebody knows who takes every report.
#[derive(Clone, Default)]
struct Reported {
    areas: BTreeMap<NetId, Area>,
    seen: BTreeSet<(ConnectionId, Area)>,
}

impl Reported {
    fn sees(&self, connection: ConnectionId, object: NetId) -> bool {
        let area = self.areas.get(&object);
        area.is_none_or(|area| self.seen.contains(&(connection, *area)))
    }

    /// Takes one report, which must say something new.
    fn take(&mut self, change: InterestChange) {
        let new = match change {
            InterestChange::Placed { object, area } => {
                let former = match area {
                    Some(area) => self.areas.insert(object, area),
                    None => self.areas.remove(&object),
                };
                former != area
            }
            InterestChange::Revealed { connection, area } => self.seen.insert((connection, area)),
            InterestChange::Concealed { connection, area } => self.seen.remove(&(connection, area)),
        };
        assert!(new, "{change:?} was so before");
    }

    /// Takes everything of an update. Nothing is said twice, and nobody loses sight in between of
    /// what they see before and after.
    fn update(&mut self, interest: &mut impl InterestManagement, connections: &[ConnectionId]) {
        let mut changes = InterestChanges::default();
        interest.update(&mut changes);
        let changes: Vec<_> = changes.drain().collect();
        let mut after = self.clone();
        changes.iter().for_each(|change| after.take(*change));

        let before = self.clone();
        let (mut placed, mut turned) = (BTreeSet::new(), BTreeSet::new());
        for change in changes {
            self.take(change);
            match change {
                InterestChange::Placed { object, .. } => {
                    assert!(placed.insert(object), "{object} was placed twice");
                    for connection in connections {
                        let always =
                            before.sees(*connection, object) && after.sees(*connection, object);
                        assert!(!always || self.sees(*connection, object));
                    }
                }
                InterestChange::Revealed { connection, area }
                | InterestChange::Concealed { connection, area } => {
                    assert!(connections.contains(&connection), "{connection} is gone");
                    assert!(turned.insert((connection, area)), "back and forth");
                    for object in before.areas.keys() {
                        let always =
                            before.sees(connection, *object) && after.sees(connection, *object);
                        assert!(!always || self.sees(connection, *object));
                    }
                }
            }
        }
        let mut changes = InterestChanges::default();
        interest.update(&mut changes);
        assert!(changes.is_empty(), "nothing has changed since");
    }
}

/// A grid, and how far one sees in it.
#[derive(Clone, Debug)]
struct GridOptions {
    axes: usize,
    cell_size: f32,
    view_distance: f32,
    margin: f32,
}

impl GridOptions {
    fn grid(&self) -> SpatialGrid {
        let make = [SpatialGrid::xy, SpatialGrid::xz, SpatialGrid::xyz][self.axes];
        make(self.cell_size, self.view_distance).with_margin(self.margin)
    }

    /// What is further than this is never seen.
    fn limit(&self) -> f64 {
        let axes: f64 = [2.0, 2.0, 3.0][self.axes];
        let cells = 2.0 * f64::from(self.cell_size) + 4.0 * f64::from(self.margin);
        f64::from(self.view_distance) + axes.sqrt() * cells
    }

    fn distance(&self, a: Vector3, b: Vector3) -> f64 {
        let along = |a: f32, b: f32| (f64::from(a) - f64::from(b)).powi(2);
        let (x, y, z) = (along(a.x, b.x), along(a.y, b.y), along(a.z, b.z));
        [x + y, x + z, x + y + z][self.axes].sqrt()
    }
}

fn grid_options() -> impl Strategy<Value = GridOptions> {
    (0..3_usize, 0.5..20_f32, 0..3_u8, 0..=8_u8).prop_flat_map(|(axes, cell_size, view, margin)| {
        (0..=4_u8).prop_map(move |quarters| GridOptions {
            axes,
            cell_size,
            view_distance: cell_size * (f32::from(view) + f32::from(quarters) / 4.0),
            margin: cell_size * f32::from(margin) / 10.0,
        })
    })
}

/// A step of somebody, in cells; a jump is ten times as far.
#[derive(Clone, Debug)]
struct Walk {
    who: usize,
    step: [f32; 3],
    jump: bool,
    update: bool,
}

fn walk() -> impl Strategy<Value = Walk> {
    let step = prop::array::uniform3(-0.7..0.7_f32);
    (0..8_usize, step, prop::bool::weighted(0.05), any::<bool>()).prop_map(
        |(who, step, jump, update)| Walk {
            who,
            step,
            jump,
            update,
        },
    )
}

/// Eight objects walk. The first connection goes with the first object; the second one watches from
/// where the second object is.
fn check_walks(options: &GridOptions, start: &[[f32; 3]; 8], walks: &[Walk]) {
    let connections = [ConnectionId(1), ConnectionId(2)];
    let mut grid = options.grid();
    let mut reported = Reported::default();
    let scale = |[x, y, z]: [f32; 3]| [x, y, z].map(|way| way * options.cell_size);
    let mut positions = start.map(|start| {
        let [x, y, z] = scale(start);
        Vector3::new(x, y, z)
    });
    let objects: Vec<_> = (1..=8).map(NetId).collect();
    for connection in connections {
        grid.handle_connect(connection);
    }
    grid.follow(connections[0], objects[0]);
    grid.watch(connections[1], positions[1]);
    for (object, position) in objects.iter().zip(positions) {
        grid.handle_spawn(*object, position);
    }
    for walk in walks {
        let [x, y, z] = scale(
            walk.step
                .map(|way| if walk.jump { way * 10.0 } else { way }),
        );
        let position = &mut positions[walk.who];
        *position = Vector3::new(position.x + x, position.y + y, position.z + z);
        grid.handle_move(objects[walk.who], *position);
        if walk.who == 1 {
            grid.watch(connections[1], *position);
        }
        if !walk.update {
            continue;
        }
        reported.update(&mut grid, &connections);
        for (connection, viewer) in connections.iter().zip(positions) {
            for (object, position) in objects.iter().zip(positions) {
                let distance = options.distance(viewer, position);
                if reported.sees(*connection, *object) {
                    let limit = options.limit() * (1.0 + 1e-5);
                    assert!(
                        distance <= limit,
                        "{object} is seen from {distance} > {limit}"
                    );
                } else {
                    assert!(
                        distance > f64::from(options.view_distance),
                        "{object} is not seen, from {distance}"
                    );
                }
            }
        }
    }
}

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
            }
            Action::Tag(n, inner, tag) => {
                let (id, thing) = self.object(*n)?;
                thing.tags[usize::from(*inner)] = *tag;
                match inner {
                    true => self.interest.inner_mut().tag(id, tag.map(Tag)),
                    false => self.interest.tag(id, tag.map(Tag)),
                }
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
                grid.watch(id, middle(*cell));
            }
            Action::Follow(n, m) => {
                let (object, _) = self.object(*m)?;
                let (id, person) = self.connection(*n)?;
                person.viewer = Viewer::With(object);
                self.interest.inner_mut().inner_mut().follow(id, object);
            }
            Action::StopWatching(n) => {
                let (id, person) = self.connection(*n)?;
                person.viewer = Viewer::Nowhere;
                self.interest.inner_mut().inner_mut().stop_watching(id);
            }
            Action::Join(n, inner, tag) => {
                let (id, person) = self.connection(*n)?;
                person.joined.insert((usize::from(*inner), *tag));
                match inner {
                    true => self.interest.inner_mut().join(id, Tag(*tag)),
                    false => self.interest.join(id, Tag(*tag)),
                }
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
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_is_in_view_is_seen_and_what_is_far_is_not_wherever_one_walks(
        options in grid_options(),
        start in prop::array::uniform8(prop::array::uniform3(-4.0..4_f32)),
        walks in prop::collection::vec(walk(), 1..200),
    ) {
        check_walks(&options, &start, &walks);
    }

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

#[test]
fn a_grid_allocates_nothing_once_its_lists_have_grown() {
    let mut grid = SpatialGrid::xz(10.0, 20.0);
    let mut changes = InterestChanges::default();
    grid.handle_connect(ConnectionId(1));
    grid.handle_connect(ConnectionId(2));
    grid.follow(ConnectionId(1), NetId(1));
    grid.handle_spawn(NetId(1), middle([0, 0]));
    let mut walk = |grid: &mut SpatialGrid| {
        for cell in [0, 1, 2, -3, 40, 0_i8] {
            let position = Vector3::new(f32::from(cell) * 10.0, 0.0, 0.0);
            grid.handle_move(NetId(1), position);
            grid.watch(ConnectionId(2), position);
            grid.update(&mut changes);
            assert!(changes.drain().count() <= 1 + 4 * grid.cells_in_view());
        }
    };
    walk(&mut grid);
    let allocated = allocation_counter::measure(|| walk(&mut grid));
    assert_eq!(allocated.count_total, 0);
}
