//! The behaviour of the quickstart.

use syncvar::prelude::*;
use syncvar::values::Vector3;

/// A player, replicated to every client.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Player {
    #[sync_var]
    pub(crate) name: SyncVar<String>,
    #[sync_var(hook = on_health_changed)]
    pub(crate) health: SyncVar<i32>,
    #[sync_var(hook = on_position_changed)]
    pub(crate) position: SyncVar<Vector3>,
    /// Output of the hooks of this replica. Not annotated, so it does not travel.
    pub(crate) seen: Vec<String>,
}

impl Player {
    pub(crate) fn new(name: &str, health: i32) -> Self {
        Self {
            name: name.into(),
            health: health.into(),
            ..Self::default()
        }
    }

    /// Ordinary code with ordinary assignments: the fields notice each change.
    pub(crate) fn act(&mut self, step: u32) -> &'static str {
        match step % 6 {
            0 => {
                self.health -= 10;
                "Ada takes 10 damage: health -= 10"
            }
            1 => {
                self.position.x += 2.5;
                "Ada walks: position.x += 2.5"
            }
            2 => {
                let name = if *self.name == "Ada" {
                    "Ada Lovelace"
                } else {
                    "Ada"
                };
                self.name.set(name.into());
                "Ada changes her name: name.set(..)"
            }
            3 => {
                self.health.set(*self.health);
                "Ada keeps her health: health.set(90)"
            }
            4 => {
                self.position.z -= 1.0;
                self.health -= 25;
                "Ada falls: position.z -= 1, health -= 25"
            }
            _ => {
                self.health.set(100);
                "Ada is healed: health.set(100)"
            }
        }
    }

    /// Runs on a client after all fields of the update have been applied.
    fn on_health_changed(&mut self, previous: i32) {
        let (from, to) = (previous, *self.health);
        self.seen.push(format!("health {from} -> {to}"));
    }

    fn on_position_changed(&mut self, previous: Vector3) {
        let (from, to) = (place(&previous), place(&self.position));
        self.seen.push(format!("position {from} -> {to}"));
    }
}

/// Formats a position exactly.
pub(crate) fn place(position: &Vector3) -> String {
    format!("({}, {}, {})", position.x, position.y, position.z)
}
