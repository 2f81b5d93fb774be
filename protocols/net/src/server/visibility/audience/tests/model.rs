//! Audiences compared with a model without lists and indices.

use std::collections::BTreeSet;

use super::*;

const CONNECTIONS: u32 = 5;
const AREAS: u32 = 3;
const DIALECTS: [Framing; 2] = [Framing::Unet, Framing::Compact];

/// Reproducible pseudo-random numbers.
struct Random(u32);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) % limit
    }

    fn connection(&mut self) -> ConnectionId {
        ConnectionId(self.below(CONNECTIONS))
    }

    fn area(&mut self) -> Area {
        Area(self.below(AREAS).into())
    }
}

/// Expected members of an object's audience.
#[derive(Clone, Debug, PartialEq)]
struct Expected {
    base: Base,
    owner: Option<ConnectionId>,
    /// Connections shown or hidden one by one.
    exceptions: BTreeMap<ConnectionId, bool>,
}

impl Expected {
    /// Drops exceptions without effect, so that equal members compare equal.
    fn simplify(&mut self) {
        let by_base = match self.base {
            Base::Everyone => Some(true),
            Base::Nobody => Some(false),
            Base::Area(_) => None,
        };
        self.exceptions
            .retain(|_, visible| Some(*visible) != by_base);
        if by_base.is_some() {
            self.owner = None;
        }
    }

    fn admits(&self, connection: ConnectionId, seen: &[(ConnectionId, Area)]) -> bool {
        let by_base = match self.base {
            Base::Everyone => true,
            Base::Nobody => false,
            Base::Area(area) => {
                self.owner == Some(connection) || seen.contains(&(connection, area))
            }
        };
        self.exceptions.get(&connection).copied().unwrap_or(by_base)
    }
}

/// Objects with their audiences and expected members, ready connections, and seen areas.
struct Model {
    audiences: Audiences,
    named: Vec<AudienceId>,
    expected: Vec<Expected>,
    ready: BTreeMap<ConnectionId, Framing>,
    seen: Vec<(ConnectionId, Area)>,
}

impl Model {
    fn new() -> Self {
        let mut model = Self {
            audiences: Audiences::new(&[Channel::Reliable], 100),
            named: [[Audiences::EVERYONE; 3], [Audiences::NOBODY; 3]].concat(),
            expected: Vec::new(),
            ready: BTreeMap::new(),
            seen: Vec::new(),
        };
        for id in model.named.clone() {
            model.audiences.acquire(id);
            model.expected.push(Expected {
                base: model.audiences.base(id),
                owner: None,
                exceptions: BTreeMap::new(),
            });
        }
        model
    }

    fn act(&mut self, random: &mut Random) {
        let connection = random.connection();
        let object = random.below(6) as usize;
        let framing = DIALECTS[random.below(2) as usize];
        match random.below(16) {
            0 | 1 => {
                self.ready.insert(connection, framing);
                self.audiences.add_ready(connection, framing);
            }
            2 => {
                self.ready.remove(&connection);
                self.audiences.remove_ready(connection);
            }
            3 => self.forget(connection),
            4 => self.audiences.drain(|_| ()),
            5 => write_in(&mut self.audiences, self.named[object], framing, 0),
            6..=8 => self.set_view(connection, random.area(), true),
            9 => self.set_view(connection, random.area(), false),
            10 | 11 => self.rebase(object, random),
            12 => self.except(object, connection, None),
            _ => self.except(object, connection, Some(random.below(2) == 0)),
        }
    }

    /// Moves an object to another audience.
    fn name(&mut self, object: usize, instead: AudienceId) {
        name(&mut self.audiences, self.named[object], instead);
        self.named[object] = instead;
        self.expected[object].simplify();
    }

    fn except(&mut self, object: usize, connection: ConnectionId, visible: Option<bool>) {
        let (named, exceptions) = (self.named[object], &mut self.expected[object].exceptions);
        let instead = if let Some(visible) = visible {
            exceptions.insert(connection, visible);
            self.audiences.with(named, connection, visible)
        } else {
            exceptions.remove(&connection);
            self.audiences.restore(named, connection)
        };
        self.name(object, instead);
    }

    fn rebase(&mut self, object: usize, random: &mut Random) {
        let base = match random.below(6) {
            0 => Base::Everyone,
            1 => Base::Nobody,
            _ => Base::Area(random.area()),
        };
        let owner = (random.below(2) == 0).then(|| random.connection());
        let shown: Vec<_> = (0..random.below(3)).map(|_| random.connection()).collect();
        let expected = &mut self.expected[object];
        (expected.base, expected.owner) = (base, owner);
        expected.exceptions.extend(shown.iter().map(|c| (*c, true)));
        let instead = self
            .audiences
            .rebase(self.named[object], base, owner, &shown);
        self.name(object, instead);
    }

    fn set_view(&mut self, connection: ConnectionId, area: Area, sees: bool) {
        let lists = |audiences: &Audiences| -> Vec<Vec<ConnectionId>> {
            ids(audiences).map(|id| ready(audiences, id)).collect()
        };
        self.seen.retain(|seen| *seen != (connection, area));
        if sees {
            self.seen.push((connection, area));
        }
        let before = lists(&self.audiences);
        let changed = changed_by(&mut self.audiences, connection, area, sees);
        let after = lists(&self.audiences);
        let ids = ids(&self.audiences);
        let expected = ids.filter(|id| before[id.index()] != after[id.index()]);
        assert_eq!(changed, expected.collect::<Vec<_>>());
    }

    fn forget(&mut self, connection: ConnectionId) {
        self.ready.remove(&connection);
        self.seen.retain(|(viewer, _)| *viewer != connection);
        let merged = self.audiences.forget(connection);
        for (named, expected) in self.named.iter_mut().zip(&mut self.expected) {
            if let Some((_, instead)) = merged.iter().find(|(former, _)| former == named) {
                name(&mut self.audiences, *named, *instead);
                *named = *instead;
            }
            expected.exceptions.remove(&connection);
            expected.owner.take_if(|owner| *owner == connection);
        }
    }

    fn check(&self) {
        for (named, expected) in self.named.iter().zip(&self.expected) {
            let audience = self.audiences.get(*named);
            for connection in (0..CONNECTIONS).map(ConnectionId) {
                let admits = expected.admits(connection, &self.seen);
                assert_eq!(self.audiences.admits(*named, connection), admits);
                let listens = admits && self.ready.contains_key(&connection);
                assert_eq!(audience.observes(connection), listens);
            }
            let admitted = self.ready.iter();
            let admitted = admitted.filter(|(c, _)| expected.admits(**c, &self.seen));
            for framing in DIALECTS {
                let of_mut = admitted.clone().filter(|(_, spoken)| **spoken == framing);
                let of_mut: Vec<_> = of_mut.map(|(c, _)| *c).collect();
                assert_eq!(audience.observers(framing), of_mut);
            }
            let admitted: Vec<_> = admitted.map(|(c, _)| *c).collect();
            assert_eq!(audience.has_observers(), !admitted.is_empty());
            assert_eq!(ready(&self.audiences, *named), admitted);
            for (other, other_expected) in self.named.iter().zip(&self.expected) {
                assert_eq!(
                    named == other,
                    expected == other_expected,
                    "{expected:?} {other_expected:?}"
                );
            }
            let users = self.named.iter().filter(|other| *other == named).count();
            assert_eq!(audience.users, users);
        }
    }

    /// Checks that exactly the audiences in use are indexed.
    fn check_indices(&self) {
        let audiences = &self.audiences;
        for (members, id) in &audiences.by_members {
            assert_eq!(audiences.get(*id).members, *members);
        }
        let in_use = || ids(audiences).filter(|id| !audiences.get(*id).free);
        let members = |id| &audiences.get(id).members;
        let mentions = in_use().flat_map(|id| members(id).mentioned().map(move |c| (c, id)));
        assert_eq!(
            audiences.mentions.iter().collect::<BTreeSet<_>>(),
            mentions.collect()
        );
        let based = in_use().filter_map(|id| match members(id).base() {
            Base::Area(area) => Some((area, id)),
            _ => None,
        });
        assert_eq!(
            audiences.area_based.iter().collect::<BTreeSet<_>>(),
            based.collect()
        );
        let everyone_based = in_use().filter(|id| members(*id).base() == Base::Everyone);
        assert_eq!(audiences.everyone_based, everyone_based.collect());
    }
}

#[test]
fn objects_with_equal_observers_share_an_audience() {
    let mut model = Model::new();
    let mut random = Random(1);
    for _ in 0..20_000 {
        model.act(&mut random);
        model.check();
        model.check_indices();
    }
    for connection in 0..CONNECTIONS {
        model.forget(ConnectionId(connection));
        model.check();
    }
    for id in model.named {
        model.audiences.release(id);
    }
    model.audiences.drain(|_| ());
    let Audiences {
        all,
        free,
        mentions,
        everyone_based,
        area_based,
        area_viewers,
        by_members,
        ..
    } = model.audiences;
    assert_eq!((all.len() - free.len(), by_members.len()), (2, 2));
    assert!(mentions.is_empty() && area_based.is_empty() && area_viewers.is_empty());
    assert_eq!(everyone_based.len(), 1);
}

fn ids(audiences: &Audiences) -> impl Iterator<Item = AudienceId> + use<> {
    (0_u32..).take(audiences.all.len()).map(AudienceId)
}
