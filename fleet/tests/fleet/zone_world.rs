//! World of the tests of zones: walkers in regions in a row.

use std::collections::BTreeMap;
use std::time::Duration;

use syncvar::ServerConfig;
use syncvar::prelude::*;
use syncvar_fleet::zone::{Regions, VoterId, ZoneConfig, ZoneId, ZoneProgram};

/// Width of the region of a zone.
pub(crate) const WIDTH: f32 = 100.0;

/// Returns the settings of a process of a zone, without a vote. The zones have a voter each.
pub(crate) fn zone_config(zone: ZoneId, zones: u32, incarnation: u64) -> ZoneConfig {
    let mut config = ZoneConfig::new(zone);
    config.lease = Duration::from_millis(400);
    config.voters = (1..=zones).map(VoterId).collect();
    config.awaits_state = true;
    config.gateway_grace = Duration::from_secs(2);
    config.server = ServerConfig {
        incarnation,
        ..ServerConfig::default()
    };
    config
}

/// Returns the regions of the zones.
pub(crate) fn regions(zones: u32) -> Regions {
    let position = |server: &NetworkServer, object| Some([*server.get::<Walker>(object)?.x, 0.0]);
    let regions = Regions::new(position).hysteresis(3.0).border(15.0);
    (1..=zones).map(ZoneId).fold(regions, |regions, zone| {
        let low = left(zone);
        regions.region(zone, [low, -1.0], [low + WIDTH, 1.0])
    })
}

/// Returns the lower end of the region of a zone.
pub(crate) fn left(zone: ZoneId) -> f32 {
    WIDTH * f32::from(u16::try_from(zone.0 - 1).expect("a small number"))
}

#[derive(NetworkBehaviour, Default)]
pub(crate) struct Walker {
    #[sync_var]
    pub(crate) x: SyncVar<f32>,
    /// Writes of the program.
    #[sync_var(hook = on_writes)]
    pub(crate) writes: SyncVar<u32>,
    #[sync_var]
    pub(crate) trail: SyncList<u32>,
    /// Number of the last command.
    #[sync_var(read = server)]
    pub(crate) commands: SyncVar<u32>,
    #[sync_var(read = owner)]
    pub(crate) secret: SyncVar<u64>,
    /// Value of the owner.
    #[sync_var(write = owner)]
    pub(crate) mood: SyncVar<u32>,
    /// Calls of the owner.
    #[sync_var(read = owner)]
    pub(crate) calls: SyncVar<u32>,
    /// Calls that were not the next one.
    #[sync_var]
    pub(crate) wrong_calls: SyncVar<u32>,
    /// On a client: the value of the last hook, and the hooks with a different previous value.
    pub(crate) shown: Option<u32>,
    pub(crate) wrong_hooks: u32,
    /// On a client: numbers of the calls from the zone, to every observer and to the owner.
    pub(crate) echoes: Vec<u32>,
    pub(crate) whispers: Vec<u32>,
}

impl Walker {
    pub(crate) fn at(x: f32) -> Self {
        Self {
            x: x.into(),
            ..Self::default()
        }
    }

    fn on_writes(&mut self, previous: u32) {
        let is_wrong = self.shown.is_some_and(|shown| shown != previous)
            // No zone goes back.
            || previous >= *self.writes;
        self.wrong_hooks += u32::from(is_wrong);
        self.shown = Some(*self.writes);
    }
}

#[network_calls]
impl Walker {
    #[command(rate = 1000.0)]
    pub(crate) fn call(&mut self, ctx: &mut CallContext<'_>, number: u32) {
        self.calls += 1;
        self.wrong_calls += u32::from(*self.calls != number);
        let id = ctx.net_id();
        let server = ctx.expect_server();
        let _ = server.calls::<Self>(id).echo(number);
        let _ = server.calls::<Self>(id).whisper(number);
    }

    #[client_rpc]
    pub(crate) fn echo(&mut self, number: u32) {
        self.echoes.push(number);
    }

    #[client_rpc(target = owner)]
    pub(crate) fn whisper(&mut self, number: u32) {
        self.whispers.push(number);
    }
}

/// Values of a walker on the unreliable channel.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = 1)]
pub(crate) struct Pulse {
    /// Writes of the program.
    #[sync_var(hook = on_beats)]
    pub(crate) beats: SyncVar<u32>,
    /// On a client: the value of the last hook, and the hooks without a later value.
    pub(crate) shown: u32,
    pub(crate) wrong_hooks: u32,
}

impl Pulse {
    fn on_beats(&mut self, _previous: u32) {
        self.wrong_hooks += u32::from(*self.beats <= self.shown);
        self.shown = *self.beats;
    }
}

pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<(Walker, Pulse)>("runner")
        .register::<Walker>("walker")
}

/// Program of a zone with a value for each of its objects.
#[derive(Default)]
pub(crate) struct Timers(pub(crate) BTreeMap<NetId, u64>);

impl ZoneProgram for Timers {
    fn leave(&mut self, _server: &mut NetworkServer, object: NetId) -> Vec<u8> {
        let timer = self.0.remove(&object).expect("a timer for each object");
        timer.to_le_bytes().to_vec()
    }

    fn arrive(&mut self, server: &mut NetworkServer, object: NetId, state: &[u8]) {
        let secret = server
            .get::<Walker>(object)
            .expect("the object")
            .secret
            .clone();
        let timer = u64::from_le_bytes(state.try_into().expect("8 bytes"));
        assert_eq!(
            timer,
            *secret + 1,
            "the state of the program has moved along"
        );
        self.0.insert(object, timer);
    }
}
