use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn connection(number: u32) -> ConnectionId {
    ConnectionId(number)
}

/// Returns the audience of these members, built one by one.
fn set_of(audiences: &mut Audiences, members: &[u32]) -> AudienceId {
    let nobody = Audiences::EMPTY;
    members.iter().fold(nobody, |audience, member| {
        audiences.toggle(audience, connection(*member))
    })
}

#[test]
fn equal_members_are_one_audience_in_any_order() {
    let mut audiences = Audiences::default();
    let one = set_of(&mut audiences, &[3, 1, 2]);
    let other = set_of(&mut audiences, &[2, 4, 3, 1, 4]);
    assert_eq!(one, other);
    let members: Vec<_> = [1, 2, 3].map(connection).into();
    assert_eq!(audiences.members(one), members);
    assert!(audiences.contains(one, connection(2)));
    assert!(!audiences.contains(one, connection(4)));
    assert_eq!(set_of(&mut audiences, &[5, 5]), Audiences::EMPTY);
    let all_at_once = audiences.exchange(Audiences::EMPTY, &[1, 2, 3].map(connection));
    assert_eq!(all_at_once, one);
}

#[test]
fn unused_audiences_are_dropped() {
    let mut audiences = Audiences::default();
    let kept = set_of(&mut audiences, &[1, 2]);
    for round in 0..100 {
        for number in 10..100 {
            let set = set_of(&mut audiences, &[number, number + round]);
            audiences.release(set);
        }
        audiences.collect_unused();
    }
    assert!(audiences.list.len() < 400, "{}", audiences.list.len());
    assert_eq!(audiences.members(kept), [1, 2].map(connection));
    let found = set_of(&mut audiences, &[2, 1]);
    assert_eq!(found, kept);
}

proptest! {
    /// Toggles observers of objects: each object keeps its members, and equal sets are one
    /// audience.
    #[test]
    fn every_object_keeps_its_observers(
        steps in vec((0..6usize, 0..5u32, any::<bool>()), 0..300),
    ) {
        let mut audiences = Audiences::default();
        let mut objects = vec![(Audiences::EMPTY, BTreeSet::new()); 6];
        for (object, member, collect_unused) in steps {
            let (audience, model) = &mut objects[object];
            let member = connection(member);
            *audience = audiences.toggle(*audience, member);
            if !model.remove(&member) {
                model.insert(member);
            }
            if collect_unused {
                // Forces a collection.
                audiences.unused += 1000;
                audiences.collect_unused();
            }
            for (audience, model) in &objects {
                prop_assert!(audiences.members(*audience).iter().eq(model));
            }
            for (audience, model) in &objects {
                for (other, same) in &objects {
                    prop_assert_eq!(audience == other, model == same);
                }
            }
        }
    }
}
