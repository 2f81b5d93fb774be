//! What interest managements report is what their definitions say, and nothing twice.

mod grid;
mod tags;

use std::collections::{BTreeMap, BTreeSet};

use syncvar::{
    ConnectionId, NetId,
    interest::{Area, InterestChange, InterestChanges, InterestManagement},
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
        for change in &changes {
            after.take(*change);
        }

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
