//! Behaviours and helpers that several tests share.
#![allow(dead_code, reason = "each test uses some of it")]

use syncvar::prelude::*;
use syncvar::{NetworkReader, NetworkWriter, ReadError, SyncField, TypeSchema};

/// A behaviour with hooks that write down what they are told.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Player {
    #[sync_var(hook = on_health_changed)]
    pub(crate) health: SyncVar<i32>,
    #[sync_var(hook = on_name_changed)]
    pub(crate) name: SyncVar<String>,
    #[sync_var]
    pub(crate) score: SyncVar<u32>,
    pub(crate) last_input: u32,
    pub(crate) log: Vec<String>,
}

impl Player {
    pub(crate) fn new(health: i32, name: &str) -> Self {
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

    /// Everything that is synchronised.
    pub(crate) fn state(&self) -> (i32, String, u32) {
        (*self.health, self.name.to_string(), *self.score)
    }
}

/// A behaviour without hooks.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Door {
    #[sync_var]
    pub(crate) open: SyncVar<bool>,
}

/// A behaviour on the unreliable channel, sent at most twice a second.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.5, channel = 1)]
pub(crate) struct Compass {
    #[sync_var]
    pub(crate) heading: SyncVar<f32>,
}

/// A number that travels as what was added to it.
#[derive(Default)]
pub(crate) struct Points {
    pub(crate) value: u32,
    sent: u32,
}

impl Points {
    pub(crate) fn add(&mut self, points: u32) {
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

/// On the second channel, sent now and then.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.3, channel = 1)]
pub(crate) struct Score {
    #[sync_var]
    pub(crate) points: Points,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Banner {
    #[sync_var]
    pub(crate) text: SyncVar<String>,
}

/// The prefabs of most tests.
pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Player>("player")
        .register::<Door>("door")
        .register::<(Door, Player)>("gatekeeper")
        .register::<(Door, Compass)>("weathervane")
}

/// The same, and an object with behaviours on two channels.
pub(crate) fn prefabs_with_scoreboard() -> Prefabs {
    prefabs().register::<(Score, Banner)>("scoreboard")
}

/// A network with this many clients, all of them ready.
pub(crate) fn network(clients: usize) -> MemoryNetwork {
    let mut net = MemoryNetwork::new(prefabs);
    for _ in 0..clients {
        net.connect();
    }
    net.settle();
    for index in 0..clients {
        drain(&mut net, index);
    }
    net
}

/// What a client has been told since this was last asked.
pub(crate) fn drain(net: &mut MemoryNetwork, client: usize) -> Vec<ClientEvent> {
    std::iter::from_fn(|| net.client_mut(client).poll_event()).collect()
}

/// The hooks that have run on a client's player since this was last asked.
pub(crate) fn hooks(net: &mut MemoryNetwork, client: usize, id: NetId) -> Vec<String> {
    std::mem::take(
        &mut net
            .client_mut(client)
            .get_mut::<Player>(id)
            .expect("the player")
            .log,
    )
}

/// Changes a player on the server.
pub(crate) fn change<R>(net: &mut MemoryNetwork, id: NetId, change: impl FnOnce(&mut Player) -> R) {
    change(&mut net.server.get_mut::<Player>(id).expect("the player"));
}

/// The state of a player on every connected client; `None` where it is not.
pub(crate) fn states(net: &MemoryNetwork, id: NetId) -> Vec<Option<(i32, String, u32)>> {
    net.replicas::<Player>(id)
        .map(|player| player.map(Player::state))
        .collect()
}

/// What a behaviour writes, in hexadecimal.
pub(crate) fn written(
    behaviour: &mut impl NetworkBehaviour,
    initial_state: bool,
) -> (String, bool) {
    let mut writer = NetworkWriter::new();
    let returned = behaviour.on_serialize(&mut writer, initial_state);
    (hex::encode(writer.as_bytes()), returned)
}

/// Reads hexadecimal bytes into a behaviour and calls its hooks; returns how many bytes it took.
pub(crate) fn apply<B: NetworkBehaviour>(
    behaviour: &mut B,
    bytes: &str,
    initial_state: bool,
) -> usize {
    let bytes = hex::decode(bytes).expect("hexadecimal");
    let mut reader = NetworkReader::new(&bytes);
    let previous = behaviour
        .on_deserialize(&mut reader, initial_state)
        .expect("well-formed");
    if !initial_state {
        behaviour.call_hooks(previous);
    }
    reader.position()
}

/// A message as it stands in a packet.
pub(crate) fn frame(message_type: i16, payload: &[u8]) -> Vec<u8> {
    let size = u16::try_from(payload.len()).unwrap();
    [&size.to_le_bytes(), &message_type.to_le_bytes(), payload].concat()
}
