//! The game of the server: one random action after another.

use syncvar::interest::Tag;
use syncvar::prelude::*;
use syncvar::schema::{SchemaField, Writers};
use syncvar::{Budget, SpawnOptions};

use super::radio::{Aerial, Chat, RADIO, Radio};
use super::values::value;
use super::world::World;
use crate::schemas::typed;

/// Most objects of a world.
const MOST: usize = 7;

/// Group of some objects and connections.
const GROUP: Tag = Tag(3);

impl World {
    /// Runs some random actions.
    pub(super) fn play(&mut self) {
        for _ in 0..self.random.below(7) {
            // One object has most of the changes: they overtake each other.
            let favourite = self.objects.last().filter(|_| self.random.chance(500));
            let picked = favourite
                .or_else(|| self.random.pick(&self.objects))
                .copied();
            match (self.random.below(24), picked) {
                (0, _) | (_, None) => self.spawn(),
                (1, Some(id)) if self.random.chance(500) => {
                    self.server.despawn(id).expect("an object");
                    self.objects.retain(|it| *it != id);
                }
                (2, Some(id)) => {
                    let owner = self.owner();
                    self.server.set_owner(id, owner).expect("an object");
                }
                (3, Some(id)) => self.change_group(id),
                (4, Some(id)) => self.change_view(id),
                (5, Some(id)) => {
                    let parent = self.random.pick(&self.objects).copied();
                    let parent = parent.filter(|_| self.random.chance(700));
                    // A circle is refused.
                    let _ = self.server.set_parent(id, parent);
                }
                (6, _) => self.send(),
                (7, _) => {
                    let is_limited = self.random.chance(500);
                    let bytes = 20 + self.random.below(400) as usize;
                    let budget = is_limited.then(|| Budget::new(bytes));
                    if let Some(connection) = self.connection() {
                        self.server
                            .set_budget(connection, budget)
                            .expect("a connection");
                    }
                }
                (8 | 9, Some(id)) => self.call(id),
                (_, Some(id)) => self.write(id),
            }
        }
    }

    fn owner(&mut self) -> Option<ConnectionId> {
        let all = [
            None,
            self.connection(),
            self.connection(),
            Some(self.rival.connection),
        ];
        *self.random.pick(&all).expect("four")
    }

    fn spawn(&mut self) {
        if self.objects.len() >= MOST {
            return;
        }
        let mut names: Vec<_> = self
            .schema
            .prefabs
            .iter()
            .map(|it| it.names.name.clone())
            .collect();
        names.push(RADIO.into());
        let name = self.random.pick(&names).expect("a prefab").clone();
        let options = SpawnOptions {
            owner: self.owner(),
            hidden: self.random.chance(150),
            ..SpawnOptions::default()
        };
        let id = self.server.spawn_prefab(&name, options).expect("a prefab");
        self.objects.push(id);
        for _ in 0..self.random.below(4) {
            self.write(id);
        }
    }

    fn change_group(&mut self, id: NetId) {
        let member = if self.random.chance(500) {
            self.connection().unwrap_or(self.rival.connection)
        } else {
            self.rival.connection
        };
        let changed = match self.random.below(4) {
            0 => self.server.set_group(id, None),
            1 => self.server.set_group(id, Some(GROUP)),
            2 => self.server.join_group(member, GROUP),
            _ => self.server.leave_group(member, GROUP),
        };
        changed.expect("an object and a connection");
    }

    fn change_view(&mut self, id: NetId) {
        let Some(connection) = self.connection() else {
            return;
        };
        let changed = match self.random.below(4) {
            0 => self.server.show(id, connection),
            1 => self.server.hide(id, connection),
            2 => self.server.restore(id, connection),
            _ => self.server.show_to_all(id),
        };
        changed.expect("an object and a connection");
    }

    /// Sends a message to all.
    fn send(&mut self) {
        let text = self
            .random
            .chance(500)
            .then(|| "\u{feff}é".repeat(self.random.below(9) as usize));
        let number = self.random.below(1_000);
        self.server
            .send_to_ready(&Chat { number, text })
            .expect("a message");
    }

    fn call(&mut self, id: NetId) {
        if self.server.get::<Radio>(id).is_none() {
            return;
        }
        let number = self.random.below(10_000);
        let texts = (0..self.random.below(3))
            .map(|_| "ring".to_owned())
            .collect();
        let kind = self.random.below(4);
        // Without an observer there is no call.
        let _ = match (kind, self.connection()) {
            (0, _) => self.server.calls::<Radio>(id).ring(number, texts),
            (1, _) => {
                let mut aerial = self.server.get_mut::<Aerial>(id).expect("an aerial");
                aerial.beat += 1;
                let beat = *aerial.beat;
                drop(aerial);
                let at = self.now.as_millis() as u32;
                self.server.calls::<Radio>(id).settle(beat, at)
            }
            (2, Some(to)) => self
                .server
                .calls::<Radio>(id)
                .whisper(to, u64::MAX - u64::from(number)),
            _ => self.server.calls::<Aerial>(id).crackle(number),
        };
    }

    fn write(&mut self, id: NetId) {
        let name = self
            .server
            .identity(id)
            .expect("an object")
            .prefab()
            .to_owned();
        match name.as_str() {
            typed::BAG => typed::change(&mut self.random, &mut self.server, id),
            RADIO => self.write_radio(id),
            name => {
                let prefab = self.schema.prefabs.iter().find(|it| it.names.name == name);
                let behaviours = prefab.expect("a prefab of the schema").behaviours.iter();
                let fields: Vec<(String, SchemaField)> = behaviours
                    .flat_map(|it| {
                        it.fields()
                            .map(|field| (it.names.name.clone(), field.clone()))
                    })
                    .collect();
                let (behaviour, field) = self.random.pick(&fields).expect("a field");
                let new = value(&mut self.random, &field.value);
                let written = self.server.set_value(id, behaviour, &field.names.name, new);
                let is_of_owner = field.writers == Writers::Owner;
                assert!(written.is_ok() || is_of_owner, "{field}: {written:?}");
            }
        }
    }

    fn write_radio(&mut self, id: NetId) {
        let number = self.random.below(300);
        let at = self.random.below(12);
        if at >= 7 {
            let mut aerial = self.server.get_mut::<Aerial>(id).expect("an aerial");
            match at {
                7 => aerial.echoes.push(number as u16),
                8 => drop(aerial.tuning.set(number)),
                _ => drop(aerial.angle.set(number as f32 / 7.0)),
            }
            return;
        }
        let mut radio = self.server.get_mut::<Radio>(id).expect("a radio");
        match at {
            0 => drop(radio.volume.set(number as u8)),
            1 => drop(radio.code.set(number)),
            2 => drop(radio.rumour.set(number)),
            3 => radio.plans.push(number),
            4 => {
                let end = radio.plans.len();
                let from = (number as usize) % (end + 1);
                let removed = (from + number as usize % 3).min(end);
                drop(radio.plans.splice(from..removed, [number, 1]));
            }
            5 => radio.plans.retain(|it| it % 3 != number % 3),
            _ => radio.plans.extend([number; 9]),
        }
    }
}
