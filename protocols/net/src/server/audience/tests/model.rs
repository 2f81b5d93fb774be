//! Audiences against a model that knows no lists and no indices.

use super::*;

const CONNECTIONS: u32 = 5;
const AREAS: u32 = 3;
const DIALECTS: [Framing; 2] = [Framing::Unet, Framing::Compact];

/// Numbers that look like chance and are the same every time.
struct Chance(u32);

impl Chance {
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

/// Who should see an object.
#[derive(Clone, Debug, PartialEq)]
struct Wish {
    base: Base,
    owner: Option<ConnectionId>,
    /// Who was shown or hidden one by one.
    said: BTreeMap<ConnectionId, bool>,
}

impl Wish {
    /// What makes no difference is not said: then equal wishes are the same.
    fn simplify(&mut self) {
        let by_base = match self.base {
            Base::Everyone => Some(true),
            Base::Nobody => Some(false),
            Base::Area(_) => None,
        };
        self.said.retain(|_, visible| Some(*visible) != by_base);
        if by_base.is_some() {
            self.owner = None;
        }
    }

    fn admits(&self, connection: ConnectionId, sight: &[(ConnectionId, Area)]) -> bool {
        let by_base = match self.base {
            Base::Everyone => true,
            Base::Nobody => false,
            Base::Area(area) => {
                self.owner == Some(connection) || sight.contains(&(connection, area))
            }
        };
        self.said.get(&connection).copied().unwrap_or(by_base)
    }
}

/// Objects, with what they name and who should see them; who is ready; and who sees which area.
struct World {
    audiences: Audiences,
    named: Vec<AudienceId>,
    wishes: Vec<Wish>,
    ready: BTreeMap<ConnectionId, Framing>,
    sight: Vec<(ConnectionId, Area)>,
}

impl World {
    fn new() -> Self {
        let mut world = Self {
            audiences: Audiences::new(1, 100),
            named: [[Audiences::EVERYONE; 3], [Audiences::NOBODY; 3]].concat(),
            wishes: Vec::new(),
            ready: BTreeMap::new(),
            sight: Vec::new(),
        };
        for id in world.named.clone() {
            world.audiences.acquire(id);
            world.wishes.push(Wish {
                base: world.audiences.base(id),
                owner: None,
                said: BTreeMap::new(),
            });
        }
        world
    }

    fn act(&mut self, chance: &mut Chance) {
        let connection = chance.connection();
        let object = chance.below(6) as usize;
        let framing = DIALECTS[chance.below(2) as usize];
        match chance.below(16) {
            0 | 1 => {
                self.ready.insert(connection, framing);
                self.audiences.add_ready(connection, framing);
            }
            2 => {
                self.ready.remove(&connection);
                self.audiences.remove_ready(connection);
            }
            3 => self.forget(connection),
            4 => self.audiences.drain(|_, _, _| ()),
            5 => write_in(&mut self.audiences, self.named[object], framing, 0),
            6..=8 => self.look(connection, chance.area(), true),
            9 => self.look(connection, chance.area(), false),
            10 | 11 => self.rebase(object, chance),
            12 => self.say(object, connection, None),
            _ => self.say(object, connection, Some(chance.below(2) == 0)),
        }
    }

    /// An object names another audience, as others may do already.
    fn name(&mut self, object: usize, instead: AudienceId) {
        name(&mut self.audiences, self.named[object], instead);
        self.named[object] = instead;
        self.wishes[object].simplify();
    }

    fn say(&mut self, object: usize, connection: ConnectionId, visible: Option<bool>) {
        let (named, said) = (self.named[object], &mut self.wishes[object].said);
        let instead = if let Some(visible) = visible {
            said.insert(connection, visible);
            self.audiences.with(named, connection, visible)
        } else {
            said.remove(&connection);
            self.audiences.restore(named, connection)
        };
        self.name(object, instead);
    }

    fn rebase(&mut self, object: usize, chance: &mut Chance) {
        let base = match chance.below(6) {
            0 => Base::Everyone,
            1 => Base::Nobody,
            _ => Base::Area(chance.area()),
        };
        let owner = (chance.below(2) == 0).then(|| chance.connection());
        let shown: Vec<_> = (0..chance.below(3)).map(|_| chance.connection()).collect();
        let wish = &mut self.wishes[object];
        (wish.base, wish.owner) = (base, owner);
        wish.said.extend(shown.iter().map(|c| (*c, true)));
        let instead = self
            .audiences
            .rebase(self.named[object], base, owner, &shown);
        self.name(object, instead);
    }

    fn look(&mut self, connection: ConnectionId, area: Area, sees: bool) {
        let lists = |audiences: &Audiences| -> Vec<Vec<ConnectionId>> {
            ids(audiences).map(|id| ready(audiences, id)).collect()
        };
        self.sight.retain(|seen| *seen != (connection, area));
        if sees {
            self.sight.push((connection, area));
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
        self.sight.retain(|(viewer, _)| *viewer != connection);
        let merged = self.audiences.forget(connection);
        for (named, wish) in self.named.iter_mut().zip(&mut self.wishes) {
            if let Some(instead) = merged.get(named) {
                name(&mut self.audiences, *named, *instead);
                *named = *instead;
            }
            wish.said.remove(&connection);
            wish.owner.take_if(|owner| *owner == connection);
        }
    }

    fn check(&self) {
        for (named, wish) in self.named.iter().zip(&self.wishes) {
            let audience = self.audiences.get(*named);
            for connection in (0..CONNECTIONS).map(ConnectionId) {
                let admits = wish.admits(connection, &self.sight);
                assert_eq!(self.audiences.admits(*named, connection), admits);
                let listens = admits && self.ready.contains_key(&connection);
                assert_eq!(audience.observes(connection), listens);
            }
            let admitted = self.ready.iter();
            let admitted = admitted.filter(|(c, _)| wish.admits(**c, &self.sight));
            for framing in DIALECTS {
                let speaking = admitted.clone().filter(|(_, spoken)| **spoken == framing);
                let speaking: Vec<_> = speaking.map(|(c, _)| *c).collect();
                assert_eq!(audience.listeners(framing), speaking);
            }
            let admitted: Vec<_> = admitted.map(|(c, _)| *c).collect();
            assert_eq!(audience.has_listeners(), !admitted.is_empty());
            assert_eq!(ready(&self.audiences, *named), admitted);
            for (other, other_wish) in self.named.iter().zip(&self.wishes) {
                assert_eq!(
                    named == other,
                    wish == other_wish,
                    "{wish:?} {other_wish:?}"
                );
            }
            let users = self.named.iter().filter(|other| *other == named).count();
            assert_eq!(audience.users, users);
        }
    }

    /// Everything that is made is found by its members and by no others.
    fn check_indices(&self) {
        let audiences = &self.audiences;
        for (members, id) in &audiences.by_members {
            assert_eq!(audiences.get(*id).members, *members);
        }
        let in_use = || ids(audiences).filter(|id| !audiences.get(*id).free);
        let members = |id| &audiences.get(id).members;
        let naming = in_use().flat_map(|id| members(id).named().map(move |c| (c, id)));
        assert_eq!(audiences.naming, naming.collect());
        let based = in_use().filter_map(|id| match members(id).base() {
            Base::Area(area) => Some((area, id)),
            _ => None,
        });
        assert_eq!(audiences.based, based.collect());
        let excepting = in_use().filter(|id| members(*id).base() == Base::Everyone);
        assert_eq!(audiences.excepting, excepting.collect());
    }
}

#[test]
fn whatever_happens_objects_that_are_seen_by_the_same_name_the_same_audience() {
    let mut world = World::new();
    let mut chance = Chance(1);
    for _ in 0..20_000 {
        world.act(&mut chance);
        world.check();
        world.check_indices();
    }
    for connection in 0..CONNECTIONS {
        world.forget(ConnectionId(connection));
        world.check();
    }
    for id in world.named {
        world.audiences.release(id);
    }
    world.audiences.drain(|_, _, _| ());
    let Audiences {
        all,
        free,
        naming,
        excepting,
        based,
        sight,
        by_members,
        ..
    } = world.audiences;
    assert_eq!((all.len() - free.len(), by_members.len()), (2, 2));
    assert!(naming.is_empty() && based.is_empty() && sight.is_empty());
    assert_eq!(excepting.len(), 1);
}

fn ids(audiences: &Audiences) -> impl Iterator<Item = AudienceId> + use<> {
    (0_u32..).take(audiences.all.len()).map(AudienceId)
}
