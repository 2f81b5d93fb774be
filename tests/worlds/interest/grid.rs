//! A grid keeps its promise, wherever one walks.

use proptest::prelude::*;
use syncvar::{
    ConnectionId, NetId,
    interest::{InterestChanges, InterestManagement, SpatialGrid},
    values::Vector3,
};

use crate::interest::Reported;

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

    fn distance(&self, one: Vector3, other: Vector3) -> f64 {
        let square = |one: f32, other: f32| (f64::from(one) - f64::from(other)).powi(2);
        let x = square(one.x, other.x);
        let y = square(one.y, other.y);
        let z = square(one.z, other.z);
        [x + y, x + z, x + y + z][self.axes].sqrt()
    }
}

fn grid_options() -> impl Strategy<Value = GridOptions> {
    (0..3_usize, 0.5..20_f32, 0..2_u8, 0..=8_u8).prop_flat_map(|(axes, cell_size, view, margin)| {
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
    // Mostly to and fro along one axis: there a margin is most easily forgotten.
    let step = (-0.9..0.9_f32, -0.05..0.05_f32, -0.05..0.05_f32).prop_map(<[f32; 3]>::from);
    (0..6_usize, step, prop::bool::weighted(0.02), any::<bool>()).prop_map(
        |(who, step, jump, update)| Walk {
            who,
            step,
            jump,
            update,
        },
    )
}

/// Six objects walk, and each has a connection: half of the viewers go with their objects, the
/// others watch from where these are.
fn check_walks(options: &GridOptions, start: &[(f32, f32, f32); 6], walks: &[Walk]) {
    let mut grid = options.grid();
    let mut reported = Reported::default();
    let scale = |[x, y, z]: [f32; 3]| [x, y, z].map(|way| way * options.cell_size);
    let mut positions = start.map(|start| {
        let [x, y, z] = scale(start.into());
        Vector3::new(x, y, z)
    });
    let objects: Vec<_> = (1..=6).map(NetId).collect();
    let connections: Vec<_> = (1..=6).map(ConnectionId).collect();
    for (who, position) in positions.iter().enumerate() {
        grid.handle_connect(connections[who]);
        grid.handle_spawn(objects[who], *position);
        if who % 2 == 0 {
            grid.follow(connections[who], objects[who]).unwrap();
        } else {
            grid.watch(connections[who], *position).unwrap();
        }
    }
    for walk in walks {
        let who = walk.who;
        let [x, y, z] = scale(
            walk.step
                .map(|way| if walk.jump { way * 10.0 } else { way }),
        );
        let position = &mut positions[who];
        *position = Vector3::new(position.x + x, position.y + y, position.z + z);
        grid.handle_move(objects[who], *position);
        if who % 2 == 1 {
            grid.watch(connections[who], *position).unwrap();
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
                        "{object} is seen from {distance}, which is more than {limit}"
                    );
                } else {
                    assert!(
                        distance > f64::from(options.view_distance),
                        "{object} is not seen from {distance}"
                    );
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(syncvar_testing::cases(256))]

    #[test]
    fn near_objects_are_visible_and_far_ones_not_on_any_walk(
        options in grid_options(),
        start in prop::array::uniform6((-2.5..2.5_f32, -0.2..0.2_f32, -0.2..0.2_f32)),
        walks in prop::collection::vec(walk(), 1..200),
    ) {
        check_walks(&options, &start, &walks);
    }
}

#[test]
fn grid_allocates_no_memory_once_grown() {
    let mut grid = SpatialGrid::xz(10.0, 20.0);
    let mut changes = InterestChanges::default();
    grid.handle_connect(ConnectionId(1));
    grid.handle_connect(ConnectionId(2));
    grid.follow(ConnectionId(1), NetId(1)).unwrap();
    grid.handle_spawn(NetId(1), Vector3::new(0.0, 0.0, 0.0));
    let mut walk = |grid: &mut SpatialGrid| {
        for cell in [0, 1, 2, -3, 40, 0_i8] {
            let position = Vector3::new(f32::from(cell) * 10.0, 0.0, 0.0);
            grid.handle_move(NetId(1), position);
            grid.watch(ConnectionId(2), position).unwrap();
            grid.update(&mut changes);
            assert!(changes.drain().count() <= 1 + 4 * grid.cells_in_view());
        }
    };
    walk(&mut grid);
    let allocated = allocation_counter::measure(|| walk(&mut grid));
    assert_eq!(allocated.count_total, 0);
}
