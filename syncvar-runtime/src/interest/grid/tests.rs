use std::collections::BTreeSet;

use super::*;
use crate::{Area, InterestChange};

const A: ConnectionId = ConnectionId(1);
const B: ConnectionId = ConnectionId(2);
const STONE: NetId = NetId(7);

fn at(x: f32, y: f32, z: f32) -> Vector3 {
    Vector3::new(x, y, z)
}

/// All reports of an update.
fn update(grid: &mut SpatialGrid) -> Vec<InterestChange> {
    let mut changes = InterestChanges::default();
    grid.update(&mut changes);
    changes.drain().collect()
}

/// Areas of all placements, in order.
fn placed(grid: &mut SpatialGrid) -> Vec<Option<Area>> {
    let changes = update(grid).into_iter();
    let places = changes.filter_map(|change| match change {
        InterestChange::Placed { area, .. } => Some(area),
        _ => None,
    });
    places.collect()
}

/// Numbers of revealed and concealed areas.
fn turned(grid: &mut SpatialGrid) -> (usize, usize) {
    let changes = update(grid);
    let revealed = |c: &&InterestChange| matches!(c, InterestChange::Revealed { .. });
    let concealed = |c: &&InterestChange| matches!(c, InterestChange::Concealed { .. });
    (
        changes.iter().filter(revealed).count(),
        changes.iter().filter(concealed).count(),
    )
}

/// A grid over the ground with 21 cells in view, and A connected.
fn grid() -> SpatialGrid {
    let mut grid = SpatialGrid::xz(10.0, 10.0);
    assert_eq!(grid.cells_in_view(), 21);
    grid.handle_connect(A);
    grid
}

#[test]
fn an_object_is_placed_at_spawn_and_in_each_new_cell() {
    let mut grid = grid();
    grid.handle_spawn(STONE, at(5.0, 0.0, 5.0));
    let first = placed(&mut grid);
    grid.handle_move(STONE, at(9.0, 0.0, 1.0));
    assert!(update(&mut grid).is_empty());
    grid.handle_move(STONE, at(15.0, 0.0, 5.0));
    let second = placed(&mut grid);
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_ne!(first, second);
}

#[test]
fn objects_in_one_cell_share_an_area() {
    let mut grid = grid();
    grid.handle_spawn(NetId(1), at(1.0, 5.0, 1.0));
    grid.handle_spawn(NetId(2), at(9.0, 70.0, 9.0));
    grid.handle_spawn(NetId(3), at(9.0, 70.0, -0.1));
    let areas = placed(&mut grid);
    assert_eq!(areas[0], areas[1]);
    assert_ne!(areas[1], areas[2]);
}

#[test]
fn a_step_beyond_the_margin_changes_the_cell() {
    let mut grid = grid();
    grid.handle_spawn(STONE, at(5.0, 0.0, 5.0));
    update(&mut grid);
    for inside in [at(10.9, 0.0, 5.0), at(-0.9, 0.0, 10.9)] {
        grid.handle_move(STONE, inside);
        assert!(update(&mut grid).is_empty());
    }
    grid.handle_move(STONE, at(11.1, 0.0, 5.0));
    assert_eq!(update(&mut grid).len(), 1);
    // The margin applies in both directions.
    grid.handle_move(STONE, at(9.1, 0.0, 5.0));
    assert!(update(&mut grid).is_empty());
    grid.handle_move(STONE, at(8.9, 0.0, 5.0));
    assert_eq!(update(&mut grid).len(), 1);
}

#[test]
fn each_grid_divides_its_own_axes() {
    for (make, divided) in [
        (SpatialGrid::xy as fn(f32, f32) -> _, [true, true, false]),
        (SpatialGrid::xz, [true, false, true]),
        (SpatialGrid::xyz, [true, true, true]),
    ] {
        let mut grid = make(10.0, 10.0);
        grid.handle_spawn(STONE, at(5.0, 5.0, 5.0));
        update(&mut grid);
        let ways = [at(25.0, 5.0, 5.0), at(5.0, 25.0, 5.0), at(5.0, 5.0, 25.0)];
        for (way, divided) in ways.into_iter().zip(divided) {
            grid.handle_move(STONE, way);
            assert_eq!(!update(&mut grid).is_empty(), divided);
            grid.handle_move(STONE, at(5.0, 5.0, 5.0));
            update(&mut grid);
        }
    }
}

#[test]
fn a_viewer_in_the_next_cell_reports_only_different_cells() {
    let mut grid = grid();
    grid.watch(A, at(5.0, 0.0, 5.0)).unwrap();
    assert_eq!(turned(&mut grid), (21, 0));
    grid.watch(A, at(6.0, 0.0, 6.0)).unwrap();
    assert_eq!(turned(&mut grid), (0, 0));
    grid.watch(A, at(15.0, 0.0, 5.0)).unwrap();
    assert_eq!(turned(&mut grid), (5, 5));
    grid.watch(A, at(1500.0, 0.0, 5.0)).unwrap();
    assert_eq!(turned(&mut grid), (21, 21));
    grid.stop_watching(A).unwrap();
    assert_eq!(turned(&mut grid), (0, 21));
}

#[test]
fn reveals_precede_placements_and_conceals() {
    let mut grid = grid();
    grid.handle_spawn(STONE, at(5.0, 0.0, 5.0));
    grid.follow(A, STONE).unwrap();
    let changes = update(&mut grid);
    let Some(InterestChange::Placed { area: place, .. }) = changes.last() else {
        panic!("the object is placed last: {changes:?}");
    };
    assert!(matches!(
        changes[0],
        InterestChange::Revealed { connection: A, area } if Some(area) == *place
    ));
    grid.handle_move(STONE, at(15.0, 0.0, 5.0));
    let order: String = update(&mut grid)
        .iter()
        .map(|change| match change {
            InterestChange::Revealed { .. } => 'r',
            InterestChange::Placed { .. } => 'p',
            InterestChange::Concealed { .. } => 'c',
        })
        .collect();
    assert_eq!(order, "rrrrrpccccc");
}

#[test]
fn a_round_trip_within_one_update_reports_no_change() {
    let mut grid = grid();
    grid.handle_spawn(STONE, at(5.0, 0.0, 5.0));
    grid.watch(A, at(5.0, 0.0, 5.0)).unwrap();
    update(&mut grid);
    grid.handle_move(STONE, at(55.0, 0.0, 5.0));
    grid.handle_move(STONE, at(5.0, 0.0, 5.0));
    grid.show_everywhere(STONE).unwrap();
    grid.place_in_grid(STONE).unwrap();
    grid.stop_watching(A).unwrap();
    grid.watch(A, at(55.0, 0.0, 5.0)).unwrap();
    grid.watch(A, at(5.0, 0.0, 5.0)).unwrap();
    assert!(update(&mut grid).is_empty());
    grid.handle_spawn(NetId(8), at(5.0, 0.0, 5.0));
    grid.handle_despawn(NetId(8));
    grid.handle_connect(B);
    grid.watch(B, at(5.0, 0.0, 5.0)).unwrap();
    grid.handle_disconnect(B);
    assert!(update(&mut grid).is_empty());
}

#[test]
fn a_viewer_follows_its_object_and_stays_at_its_last_place() {
    let mut grid = grid();
    grid.follow(A, STONE).unwrap();
    assert_eq!(turned(&mut grid), (0, 0), "it is not there yet");
    grid.handle_spawn(STONE, at(5.0, 0.0, 5.0));
    assert_eq!(turned(&mut grid), (21, 0));
    grid.handle_move(STONE, at(15.0, 0.0, 5.0));
    assert_eq!(turned(&mut grid), (5, 5));
    grid.show_everywhere(STONE).unwrap();
    grid.handle_move(STONE, at(25.0, 0.0, 5.0));
    assert_eq!(turned(&mut grid), (5, 5), "it is somewhere all the same");
    grid.handle_despawn(STONE);
    assert!(update(&mut grid).is_empty());
    grid.watch(A, at(25.0, 0.0, 5.0)).unwrap();
    assert!(update(&mut grid).is_empty());
}

#[test]
fn watch_and_stop_end_following() {
    let mut grid = grid();
    let (first, second) = (NetId(1), NetId(2));
    for object in [first, second] {
        grid.handle_spawn(object, at(5.0, 0.0, 5.0));
    }
    grid.follow(A, first).unwrap();
    grid.follow(A, second).unwrap();
    update(&mut grid);
    grid.handle_move(first, at(95.0, 0.0, 5.0));
    assert_eq!(turned(&mut grid), (0, 0));
    grid.watch(A, at(5.0, 0.0, 5.0)).unwrap();
    grid.handle_move(second, at(95.0, 0.0, 5.0));
    assert_eq!(turned(&mut grid), (0, 0));
    grid.follow(A, second).unwrap();
    assert_eq!(turned(&mut grid), (21, 21));
    grid.stop_watching(A).unwrap();
    update(&mut grid);
    grid.handle_move(second, at(5.0, 0.0, 5.0));
    assert_eq!(turned(&mut grid), (0, 0));
}

#[test]
fn unknown_connections_are_ignored() {
    let mut grid = grid();
    grid.handle_spawn(STONE, at(5.0, 0.0, 5.0));
    grid.follow(A, STONE).unwrap();
    update(&mut grid);
    grid.handle_disconnect(A);
    for stranger in [A, B] {
        let unknown = Err(ObjectError::NotConnected(stranger));
        assert_eq!(grid.watch(stranger, at(5.0, 0.0, 5.0)), unknown);
        assert_eq!(grid.follow(stranger, STONE), unknown);
        assert_eq!(grid.stop_watching(stranger), unknown);
    }
    grid.handle_move(STONE, at(95.0, 0.0, 5.0));
    assert_eq!(turned(&mut grid), (0, 0));
    assert_eq!(grid.followers.count(STONE), 0);
}

#[test]
fn an_object_shown_everywhere_has_no_area() {
    let mut grid = grid();
    grid.handle_spawn(STONE, at(5.0, 0.0, 5.0));
    let there = placed(&mut grid);
    grid.show_everywhere(STONE).unwrap();
    let unknown = grid.show_everywhere(NetId(99));
    assert_eq!(unknown, Err(ObjectError::NoSuchObject(NetId(99))));
    assert_eq!(placed(&mut grid), [None]);
    grid.handle_move(STONE, at(55.0, 0.0, 5.0));
    assert!(update(&mut grid).is_empty());
    grid.place_in_grid(STONE).unwrap();
    let elsewhere = placed(&mut grid);
    assert!(elsewhere[0].is_some() && elsewhere != there);
}

#[test]
fn nan_coordinates_keep_the_former_place() {
    let mut grid = SpatialGrid::xyz(10.0, 10.0);
    grid.handle_spawn(NetId(1), at(f32::NAN, 55.0, 5.0));
    grid.handle_spawn(NetId(2), at(0.0, 55.0, 5.0));
    let areas = placed(&mut grid);
    assert_eq!(areas[0], areas[1]);
    grid.handle_move(NetId(1), at(f32::NAN, f32::NAN, f32::NAN));
    assert!(update(&mut grid).is_empty());
    grid.handle_move(NetId(1), at(f32::NAN, 5.0, f32::NAN));
    grid.handle_move(NetId(2), at(0.0, 5.0, 5.0));
    let areas = placed(&mut grid);
    assert_eq!(areas[0], areas[1]);
}

#[test]
fn distant_positions_belong_to_the_outermost_cells() {
    let mut grid = SpatialGrid::xyz(0.001, 0.002);
    let ends = [f32::NEG_INFINITY, f32::MIN, 0.0, f32::MAX, f32::INFINITY];
    let mut number = 0;
    let mut areas = BTreeSet::new();
    for x in ends {
        for y in ends {
            for z in ends {
                number += 1;
                grid.handle_spawn(NetId(number), at(x, y, z));
                areas.extend(placed(&mut grid));
            }
        }
    }
    assert_eq!(areas.len(), 27, "infinite is as far as it gets");
    grid.handle_connect(A);
    for end in ends {
        grid.watch(A, at(end, end, -end)).unwrap();
        let (revealed, _) = turned(&mut grid);
        let all = grid.cells_in_view();
        assert!(if end == 0.0 {
            revealed == all
        } else {
            (1..all).contains(&revealed)
        });
        grid.stop_watching(A).unwrap();
        assert_eq!(turned(&mut grid), (0, revealed));
    }
}

#[test]
fn a_margin_widens_the_view() {
    // The object belongs to the cell from 30, the viewer to the cell up to 10.
    let mut grid = SpatialGrid::xy(10.0, 12.0).with_margin(4.0);
    grid.handle_connect(A);
    grid.handle_spawn(STONE, at(35.0, 0.0, 0.0));
    grid.watch(A, at(5.0, 0.0, 0.0)).unwrap();
    grid.handle_move(STONE, at(26.0, 0.0, 0.0));
    grid.watch(A, at(14.0, 0.0, 0.0)).unwrap();
    let changes = update(&mut grid);
    let place = changes.iter().find_map(|change| match change {
        InterestChange::Placed { area, .. } => *area,
        _ => None,
    });
    let area = place.expect("the object is placed");
    let connection = A;
    assert!(changes.contains(&InterestChange::Revealed { connection, area }));
}

#[test]
fn the_limit_of_cells_in_view_is_inclusive() {
    let largest = SpatialGrid::xy(1.0, 34.0).with_margin(0.0);
    let limit = usize::from(SpatialGrid::MAX_CELLS_IN_VIEW);
    assert!((3900..=limit).contains(&largest.cells_in_view()));
    assert_eq!(SpatialGrid::xyz(1.0, 0.0).cells_in_view(), 27);
}

#[test]
#[should_panic(expected = "more than 4096 cells: make them larger")]
fn too_many_cells_in_view_are_refused() {
    let _ = SpatialGrid::xy(1.0, 36.0);
}

#[test]
#[should_panic(expected = "more than 4096 cells: make them larger")]
fn far_too_many_cells_in_view_are_refused_at_once() {
    let _ = SpatialGrid::xyz(f32::MIN_POSITIVE, f32::MAX);
}

#[test]
#[should_panic(expected = "more than 4096 cells: make them larger")]
fn a_margin_with_too_many_cells_in_view_is_refused() {
    let _ = SpatialGrid::xy(1.0, 1.0).with_margin(50.0);
}

#[test]
#[should_panic(expected = "must be positive and finite, not 0")]
fn cells_without_size_are_refused() {
    let _ = SpatialGrid::xy(0.0, 10.0);
}

#[test]
#[should_panic(expected = "must be positive and finite, not NaN")]
fn a_cell_size_that_is_not_a_number_is_refused() {
    let _ = SpatialGrid::xz(f32::NAN, 10.0);
}

#[test]
#[should_panic(expected = "must be finite and not negative, not inf")]
fn an_endless_view_is_refused() {
    let _ = SpatialGrid::xz(10.0, f32::INFINITY);
}

#[test]
#[should_panic(expected = "must be finite and not negative, not -1")]
fn a_negative_margin_is_refused() {
    let _ = SpatialGrid::xz(10.0, 10.0).with_margin(-1.0);
}
