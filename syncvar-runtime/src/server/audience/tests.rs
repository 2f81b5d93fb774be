use super::*;

const A: ConnectionId = ConnectionId(1);
const B: ConnectionId = ConnectionId(2);

/// Audiences of one channel; A and B are ready.
fn audiences() -> Audiences {
    let mut audiences = Audiences::new(1, 100);
    audiences.add_ready(B);
    audiences.add_ready(A);
    audiences
}

/// An object names an audience instead of another one.
fn name(audiences: &mut Audiences, former: AudienceId, instead: AudienceId) {
    audiences.acquire(instead);
    audiences.release(former);
}

/// An audience that an object names: that of everyone but this connection.
fn without(audiences: &mut Audiences, connection: ConnectionId) -> AudienceId {
    let id = audiences.with(Audiences::EVERYONE, connection, false);
    audiences.acquire(id);
    id
}

/// Everything that is given out: its bytes, and who gets them.
fn delivered(audiences: &mut Audiences) -> Vec<(Vec<u8>, Vec<ConnectionId>)> {
    let mut all = Vec::new();
    audiences.drain(|_, pieces, members| all.push((pieces.concat(), members.to_vec())));
    all
}

fn write(audiences: &mut Audiences, id: AudienceId, byte: u8) {
    let segments = audiences.segments(id, 0).expect("channel 0");
    segments.begin().write_bytes(&[byte]);
    segments.commit();
}

#[test]
fn the_same_members_are_the_same_audience() {
    let mut audiences = audiences();
    let without_a = audiences.with(Audiences::EVERYONE, A, false);
    assert_eq!(audiences.get(without_a).ready, [B]);
    assert_eq!(audiences.with(without_a, A, true), Audiences::EVERYONE);
    let only_b = audiences.with(Audiences::NOBODY, B, true);
    assert_eq!(audiences.get(only_b).ready, [B]);
    assert_ne!(only_b, without_a);
    assert_eq!(audiences.with(Audiences::EVERYONE, A, false), without_a);
}

#[test]
fn an_audience_that_no_object_names_is_used_again() {
    let mut audiences = audiences();
    let without_a = without(&mut audiences, A);
    audiences.release(without_a);
    audiences.drain(|_, _, _| ());
    let other = audiences.with(Audiences::NOBODY, A, true);
    assert_eq!((other, &*audiences.get(other).ready), (without_a, &[A][..]));
    assert_ne!(audiences.with(Audiences::EVERYONE, A, false), other);
}

#[test]
fn an_audience_of_one_object_is_changed_and_found_by_its_new_members_only() {
    let mut audiences = audiences();
    let id = without(&mut audiences, A);
    assert_eq!(audiences.with(id, B, false), id);
    assert!(audiences.get(id).ready.is_empty());
    assert_eq!(audiences.with(id, A, true), id);
    assert_eq!(audiences.get(id).ready, [A]);
    assert_ne!(without(&mut audiences, A), id);
    assert_eq!(without(&mut audiences, B), id);
}

#[test]
fn an_audience_of_two_objects_or_with_something_written_is_not_changed() {
    let mut audiences = audiences();
    let id = without(&mut audiences, A);
    audiences.acquire(id);
    let other = audiences.with(id, B, false);
    assert_ne!(other, id);
    name(&mut audiences, id, other);
    write(&mut audiences, id, 7);
    assert_eq!(audiences.with(id, B, false), other);
    assert_eq!(delivered(&mut audiences), [(vec![7], vec![B])]);
}

#[test]
fn audiences_that_become_equal_are_merged_and_the_two_permanent_ones_stay() {
    let mut audiences = audiences();
    let (c, d) = (ConnectionId(3), ConnectionId(4));
    let without_c = without(&mut audiences, c);
    let without_d = without(&mut audiences, d);
    let only_c = audiences.with(Audiences::NOBODY, c, true);
    audiences.acquire(only_c);
    let both = audiences.with(Audiences::EVERYONE, c, false);
    audiences.acquire(both);
    let both = audiences.with(both, d, false);
    name(&mut audiences, without_c, both);
    let merged = audiences.forget(c);
    let expected = [
        (without_c, Audiences::EVERYONE),
        (only_c, Audiences::NOBODY),
        (both, without_d),
    ];
    assert_eq!(merged, expected.into());
    for (former, instead) in merged {
        name(&mut audiences, former, instead);
    }
    assert_eq!(
        audiences.forget(d),
        [(without_d, Audiences::EVERYONE)].into()
    );
    assert!(audiences.naming.is_empty());
    assert_eq!(audiences.by_members.len(), 2);
}

#[test]
fn what_was_written_before_a_merge_goes_to_those_who_stay_and_then_the_place_is_free() {
    let mut audiences = audiences();
    let c = ConnectionId(3);
    audiences.add_ready(c);
    let without_b = without(&mut audiences, B);
    let neither = audiences.with(without_b, c, false);
    name(&mut audiences, without_b, neither);
    let without_b = without(&mut audiences, B);
    write(&mut audiences, neither, 1);
    assert_eq!(audiences.forget(c), [(neither, without_b)].into());
    name(&mut audiences, neither, without_b);
    write(&mut audiences, without_b, 2);
    let expected = [(vec![1], vec![A]), (vec![2], vec![A])];
    assert_eq!(delivered(&mut audiences), expected);
    assert_eq!(audiences.free, [neither]);
    assert_eq!(without(&mut audiences, B), without_b);
}

#[test]
fn a_connection_that_is_gone_is_in_no_list_and_no_set() {
    let mut audiences = audiences();
    let only_a = audiences.with(Audiences::NOBODY, A, true);
    audiences.acquire(only_a);
    let without_b = without(&mut audiences, B);
    assert_eq!(audiences.forget(A), [(only_a, Audiences::NOBODY)].into());
    assert!(audiences.get(without_b).ready.is_empty());
    assert_eq!(audiences.get(Audiences::EVERYONE).ready, [B]);
    assert!(audiences.admits(without_b, A) && !audiences.admits(only_a, A));
}

/// Numbers that look like chance and are the same every time.
struct Chance(u32);

impl Chance {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) % limit
    }
}

/// Objects, with what they name and who should see them; and who is ready.
struct World {
    audiences: Audiences,
    named: Vec<AudienceId>,
    sees: Vec<Members>,
    ready: BTreeSet<ConnectionId>,
}

impl World {
    fn act(&mut self, chance: &mut Chance) {
        let connection = ConnectionId(chance.below(5));
        let object = chance.below(6) as usize;
        match chance.below(8) {
            0 => {
                self.ready.insert(connection);
                self.audiences.add_ready(connection);
            }
            1 => {
                self.ready.remove(&connection);
                self.audiences.remove_ready(connection);
            }
            2 => self.forget(connection),
            3 => self.audiences.drain(|_, _, _| ()),
            4 => write(&mut self.audiences, self.named[object], 0),
            _ => {
                let visible = !self.sees[object].contain(connection);
                let instead = self.audiences.with(self.named[object], connection, visible);
                name(&mut self.audiences, self.named[object], instead);
                self.named[object] = instead;
                self.sees[object].toggle(connection);
            }
        }
    }

    fn forget(&mut self, connection: ConnectionId) {
        self.ready.remove(&connection);
        let merged = self.audiences.forget(connection);
        for (named, sees) in self.named.iter_mut().zip(&mut self.sees) {
            if let Some(instead) = merged.get(named) {
                name(&mut self.audiences, *named, *instead);
                *named = *instead;
            }
            let (Members::EveryoneExcept(set) | Members::Only(set)) = sees;
            set.remove(&connection);
        }
    }

    fn check(&self) {
        for (named, sees) in self.named.iter().zip(&self.sees) {
            let audience = self.audiences.get(*named);
            assert_eq!(*audience.members, *sees);
            let ready = self.ready.iter().copied().filter(|c| sees.contain(*c));
            assert_eq!(audience.ready, ready.collect::<Vec<_>>());
            assert_eq!(self.audiences.by_members.get(sees), Some(named), "shared");
            let users = self.named.iter().filter(|other| *other == named).count();
            assert_eq!(audience.users, users);
        }
    }
}

#[test]
fn whatever_happens_objects_that_are_seen_by_the_same_name_the_same_audience() {
    let everyone = Members::EveryoneExcept(BTreeSet::new());
    let nobody = Members::Only(BTreeSet::new());
    let mut world = World {
        audiences: Audiences::new(1, 100),
        named: [[Audiences::EVERYONE; 3], [Audiences::NOBODY; 3]].concat(),
        sees: [
            [(); 3].map(|()| everyone.clone()),
            [(); 3].map(|()| nobody.clone()),
        ]
        .concat(),
        ready: BTreeSet::new(),
    };
    for id in world.named.clone() {
        world.audiences.acquire(id);
    }
    let mut chance = Chance(1);
    for _ in 0..20_000 {
        world.act(&mut chance);
        world.check();
    }
    for connection in 0..5 {
        world.forget(ConnectionId(connection));
    }
    world.audiences.drain(|_, _, _| ());
    let Audiences {
        all,
        free,
        naming,
        excepting,
        by_members,
        ..
    } = world.audiences;
    assert_eq!((all.len() - free.len(), by_members.len()), (2, 2));
    assert!(naming.is_empty() && excepting.len() == 1);
}
