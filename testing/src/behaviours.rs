//! Small behaviours and their prefabs.

use syncvar::prelude::*;
use syncvar::{
    SyncField,
    schema::TypeSchema,
    wire::{NetworkReader, NetworkWriter, ReadError},
};

/// Player whose hooks log their arguments and the remaining fields.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub struct Player {
    /// Health, with a hook.
    #[sync_var(hook = on_health_changed)]
    pub health: SyncVar<i32>,
    /// Name, with a hook.
    #[sync_var(hook = on_name_changed)]
    pub name: SyncVar<String>,
    /// Score, without a hook.
    #[sync_var]
    pub score: SyncVar<u32>,
    /// Local field.
    pub last_input: u32,
    /// Lines of the hooks, oldest first.
    pub log: Vec<String>,
}

impl Player {
    /// Returns a player with a score of zero.
    #[must_use]
    pub fn new(health: i32, name: &str) -> Self {
        Self {
            health: health.into(),
            name: name.into(),
            ..Self::default()
        }
    }

    fn on_health_changed(&mut self, previous: i32) {
        let Self {
            health,
            name,
            score,
            ..
        } = self;
        self.log
            .push(format!("health {previous} -> {health} ({name}, {score})"));
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "a hook is given the previous value"
    )]
    fn on_name_changed(&mut self, previous: String) {
        let Self { health, name, .. } = self;
        self.log
            .push(format!("name {previous} -> {name} ({health})"));
    }

    /// Returns the synchronised fields.
    #[must_use]
    pub fn state(&self) -> (i32, String, u32) {
        (*self.health, self.name.to_string(), *self.score)
    }
}

/// Behaviour without hooks.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub struct Door {
    /// Position of the door.
    #[sync_var]
    pub open: SyncVar<bool>,
}

/// Behaviour on the unreliable channel, sent at most twice a second.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.5, channel = 1)]
pub struct Compass {
    /// Direction in degrees.
    #[sync_var]
    pub heading: SyncVar<f32>,
}

/// Number whose delta is the sum added since the last send.
#[derive(Default)]
pub struct Points {
    /// Current value.
    pub value: u32,
    sent: u32,
}

impl Points {
    /// Adds points, wrapping at the limit of `u32`.
    pub fn add(&mut self, points: u32) {
        self.value = self.value.wrapping_add(points);
    }
}

impl SyncField for Points {
    const SCHEMA: TypeSchema = TypeSchema::Named("Points");

    fn is_dirty(&self) -> bool {
        self.value != self.sent
    }
    fn set_dirty(&mut self) {}
    fn clear_dirty(&mut self) {
        self.sent = self.value;
    }
    fn write_full(&self, writer: &mut NetworkWriter) {
        writer.write(&self.value);
    }
    fn write_delta(&self, writer: &mut NetworkWriter) {
        writer.write(&(self.value.wrapping_sub(self.sent)));
    }
    fn read_full(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.value = reader.read()?;
        Ok(())
    }
    fn read_delta(&mut self, reader: &mut NetworkReader<'_>) -> Result<(), ReadError> {
        self.value = self.value.wrapping_add(reader.read()?);
        Ok(())
    }
}

/// Behaviour on the second channel with a custom field, sent every 0.3 seconds.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.3, channel = 1)]
pub struct Score {
    /// Points, sent as differences.
    #[sync_var]
    pub points: Points,
}

/// Behaviour with one text.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub struct Banner {
    /// Text of the banner.
    #[sync_var]
    pub text: SyncVar<String>,
}

/// Returns the prefabs `player`, `door`, `gatekeeper` and `weathervane`.
#[must_use]
pub fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Player>("player")
        .register::<Door>("door")
        .register::<(Door, Player)>("gatekeeper")
        .register::<(Door, Compass)>("weathervane")
}

/// Returns [`prefabs`] and `scoreboard`, an object with behaviours on two channels.
#[must_use]
pub fn prefabs_with_scoreboard() -> Prefabs {
    prefabs().register::<(Score, Banner)>("scoreboard")
}
