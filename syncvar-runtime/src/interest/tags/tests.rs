use super::*;
use crate::SpatialGrid;

const A: ConnectionId = ConnectionId(1);
const B: ConnectionId = ConnectionId(2);
const RED: Tag = Tag(1);
const BLUE: Tag = Tag(2);
const FLAG: NetId = NetId(7);
const HERE: Vector3 = Vector3::new(5.0, 0.0, 5.0);

/// All reports of an update.
fn update(interest: &mut impl InterestManagement) -> Vec<InterestChange> {
    let mut changes = InterestChanges::default();
    interest.update(&mut changes);
    changes.drain().collect()
}

/// A flag with the red tag, and A and B connected.
fn teams<I: InterestManagement>(inner: I) -> GroupTags<I> {
    let mut teams = GroupTags::new(inner);
    teams.handle_connect(A);
    teams.handle_connect(B);
    teams.handle_spawn(FLAG, HERE);
    teams.tag(FLAG, Some(RED)).unwrap();
    teams
}

/// The area of a flag that was just placed, without viewers.
fn placed(interest: &mut impl InterestManagement) -> Area {
    match update(interest)[..] {
        [InterestChange::Placed { area, .. }] => area.expect("it has a tag"),
        ref other => panic!("only the flag is placed: {other:?}"),
    }
}

#[test]
fn an_object_without_a_tag_is_seen_by_everyone() {
    let mut teams = GroupTags::new(Everyone);
    teams.handle_connect(A);
    teams.handle_spawn(FLAG, HERE);
    assert!(update(&mut teams).is_empty());
    teams.tag(FLAG, Some(RED)).unwrap();
    placed(&mut teams);
    teams.tag(FLAG, None).unwrap();
    let (object, area) = (FLAG, None);
    assert_eq!(
        update(&mut teams),
        [InterestChange::Placed { object, area }]
    );
    assert_eq!(teams.pairs.len(), 0);
}

#[test]
fn joining_reveals_and_leaving_conceals_objects() {
    let mut teams = teams(Everyone);
    let area = placed(&mut teams);
    let connection = A;
    teams.join(A, RED).unwrap();
    teams.join(B, BLUE).unwrap();
    assert_eq!(
        update(&mut teams),
        [InterestChange::Revealed { connection, area }]
    );
    teams.join(A, RED).unwrap();
    teams.leave(A, BLUE);
    assert!(update(&mut teams).is_empty());
    teams.leave(A, RED);
    assert_eq!(
        update(&mut teams),
        [InterestChange::Concealed { connection, area }]
    );
}

#[test]
fn a_round_trip_within_one_update_reports_no_change() {
    let mut teams = teams(Everyone);
    teams.join(A, RED).unwrap();
    update(&mut teams);
    teams.leave(A, RED);
    teams.join(A, RED).unwrap();
    teams.join(B, RED).unwrap();
    teams.leave(B, RED);
    teams.tag(FLAG, None).unwrap();
    teams.tag(FLAG, Some(BLUE)).unwrap();
    teams.tag(FLAG, Some(RED)).unwrap();
    assert!(update(&mut teams).is_empty());
    teams.handle_spawn(NetId(8), HERE);
    teams.tag(NetId(8), Some(BLUE)).unwrap();
    teams.handle_despawn(NetId(8));
    assert!(update(&mut teams).is_empty());
}

#[test]
fn an_area_is_revealed_before_its_first_placement() {
    let mut teams = teams(Everyone);
    teams.join(B, RED).unwrap();
    teams.join(A, RED).unwrap();
    let changes = update(&mut teams);
    let InterestChange::Revealed { area, .. } = changes[0] else {
        panic!("revealed first: {changes:?}");
    };
    let reveal = |connection| InterestChange::Revealed { connection, area };
    let (object, area) = (FLAG, Some(area));
    let place = InterestChange::Placed { object, area };
    assert_eq!(changes, [reveal(A), reveal(B), place]);
}

#[test]
fn an_area_ends_with_its_last_object() {
    let mut teams = teams(Everyone);
    let area = placed(&mut teams);
    teams.join(A, RED).unwrap();
    teams.handle_spawn(NetId(8), HERE);
    teams.tag(NetId(8), Some(RED)).unwrap();
    update(&mut teams);
    teams.handle_despawn(FLAG);
    assert!(update(&mut teams).is_empty(), "there is another one");
    teams.handle_despawn(NetId(8));
    let connection = A;
    assert_eq!(
        update(&mut teams),
        [InterestChange::Concealed { connection, area }]
    );
    assert_eq!(teams.pairs.len(), 0);
    assert_eq!(teams.pairs.with_tag(RED).count(), 0);
    teams.leave(A, RED);
    teams.handle_spawn(NetId(9), HERE);
    teams.tag(NetId(9), Some(RED)).unwrap();
    assert_ne!(placed(&mut teams), area);
}

#[test]
fn an_area_that_gets_another_object_at_once_stays() {
    let mut teams = teams(Everyone);
    teams.join(A, RED).unwrap();
    update(&mut teams);
    teams.handle_despawn(FLAG);
    teams.handle_spawn(NetId(8), HERE);
    teams.tag(NetId(8), Some(RED)).unwrap();
    assert!(matches!(
        update(&mut teams)[..],
        [InterestChange::Placed {
            object: NetId(8),
            ..
        }]
    ));
    assert_eq!(teams.pairs.len(), 1);
}

#[test]
fn unknown_connections_are_ignored() {
    let mut teams = teams(SpatialGrid::xz(10.0, 10.0));
    teams.join(A, RED).unwrap();
    teams.inner_mut().watch(A, HERE).unwrap();
    update(&mut teams);
    teams.leave(A, RED);
    teams.handle_disconnect(A);
    for stranger in [A, ConnectionId(99)] {
        assert_eq!(
            teams.join(stranger, RED),
            Err(ObjectError::NotConnected(stranger))
        );
        let watched = teams.inner_mut().watch(stranger, HERE);
        assert_eq!(watched, Err(ObjectError::NotConnected(stranger)));
    }
    let unknown = teams.tag(NetId(99), Some(RED));
    assert_eq!(unknown, Err(ObjectError::NoSuchObject(NetId(99))));
    assert!(update(&mut teams).is_empty());
    teams.handle_despawn(FLAG);
    assert!(update(&mut teams).is_empty());
}

#[test]
fn unknown_connection_joins_no_tag() {
    let mut teams = teams(Everyone);
    placed(&mut teams);
    teams.handle_disconnect(A);
    for stranger in [A, ConnectionId(99)] {
        assert_eq!(
            teams.join(stranger, RED),
            Err(ObjectError::NotConnected(stranger))
        );
    }
    assert!(update(&mut teams).is_empty());
    assert_eq!(teams.joined.lefts().count(RED), 0);
}

#[test]
fn a_closed_connection_leaves_no_state() {
    let mut teams = teams(SpatialGrid::xz(10.0, 10.0));
    teams.join(A, RED).unwrap();
    teams.inner_mut().watch(A, HERE).unwrap();
    update(&mut teams);
    teams.handle_disconnect(A);
    let pair = teams.objects.get(FLAG.0).expect("it is there").pair;
    let cell = pair.inner.expect("it is in the grid");
    assert_eq!(teams.joined.lefts().count(RED), 0);
    assert_eq!(teams.inner_seen.lefts().count(cell), 0);
}

#[test]
fn tag_and_grid_must_both_show_an_object() {
    let mut teams = teams(SpatialGrid::xz(10.0, 10.0));
    let connection = A;
    let area = placed(&mut teams);
    teams.join(A, RED).unwrap();
    teams.inner_mut().watch(B, HERE).unwrap();
    assert!(update(&mut teams).is_empty(), "neither has both");
    teams.inner_mut().watch(A, HERE).unwrap();
    assert_eq!(
        update(&mut teams),
        [InterestChange::Revealed { connection, area }]
    );
    teams
        .inner_mut()
        .watch(A, Vector3::new(95.0, 0.0, 5.0))
        .unwrap();
    assert_eq!(
        update(&mut teams),
        [InterestChange::Concealed { connection, area }]
    );
    teams.inner_mut().show_everywhere(FLAG).unwrap();
    let changes = update(&mut teams);
    assert_eq!(changes.len(), 2, "the team sees it from anywhere");
    assert!(matches!(
        changes[0],
        InterestChange::Revealed { connection: A, .. }
    ));
}

#[test]
fn objects_with_one_tag_in_one_cell_share_an_area() {
    let mut teams = teams(SpatialGrid::xz(10.0, 10.0));
    teams.handle_spawn(NetId(8), HERE);
    teams.tag(NetId(8), Some(RED)).unwrap();
    teams.handle_spawn(NetId(9), HERE);
    update(&mut teams);
    assert_eq!(
        teams.pairs.len(),
        2,
        "those with the tag, and those without"
    );
    assert!(teams.pairs.made().is_empty());
    let object = teams.objects.get(FLAG.0).expect("it is there");
    let cell = object.pair.inner.expect("it is in the grid");
    assert_eq!(teams.pairs.with_inner(cell).count(), 2);
    for object in [7, 8, 9] {
        teams.handle_despawn(NetId(object));
    }
    update(&mut teams);
    assert_eq!(teams.pairs.with_inner(cell).count(), 0);
}

#[test]
fn tags_within_tags_are_teams_in_scenes() {
    let (town, wild) = (Tag(1), Tag(2));
    let mut teams = teams(GroupTags::new(Everyone));
    teams.inner_mut().tag(FLAG, Some(town)).unwrap();
    teams.join(A, RED).unwrap();
    teams.inner_mut().join(A, wild).unwrap();
    teams.inner_mut().join(B, town).unwrap();
    let area = placed(&mut teams);
    let connection = A;
    teams.inner_mut().join(A, town).unwrap();
    assert_eq!(
        update(&mut teams),
        [InterestChange::Revealed { connection, area }]
    );
    assert!(update(&mut teams).is_empty());
}
