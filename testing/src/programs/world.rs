//! Behaviours of the random programs: each policy of fields, on channels of both kinds.

use syncvar::prelude::*;
use syncvar::{NetworkBehaviour, SyncHashSet, schema::Readers};

use super::calls::{BEAT, Buoy, Hub};
use super::field::{Contents, FAR, HookRun, Mark, Rule, Value, contents, number};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
pub(super) struct Body {
    #[sync_var(hook = on_place, history = 0.5)]
    pub(super) place: SyncVar<Mark>,
    #[sync_var(read = owner, hook = on_fuel)]
    fuel: SyncVar<Mark>,
    #[sync_var(read = group, hook = on_gear)]
    gear: SyncVar<Mark>,
    #[sync_var(read = others, hook = on_cloak)]
    cloak: SyncVar<Mark>,
    #[sync_var(min_interval = 0.3)]
    heat: SyncVar<Mark>,
    #[sync_var]
    trail: SyncList<Mark>,
    #[sync_var]
    tale: SyncVar<Vec<Mark>>,
    runs: Vec<HookRun>,
}

contents!(Body: place fuel gear cloak heat trail tale; on_place 0 place on_fuel 1 fuel on_gear 2 gear on_cloak 3 cloak);

const BODY: &[Rule] = &[
    Rule::new("place").hooked(),
    Rule::new("fuel").read(Readers::Owner).hooked(),
    Rule::new("gear").read(Readers::Group).hooked(),
    Rule::new("cloak").read(Readers::Others).hooked(),
    Rule::new("heat").late(),
    Rule::new("trail"),
    Rule::new("tale"),
];

/// Each change travels twice.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable, redundancy = 1)]
pub(super) struct Twin {
    #[sync_var(hook = on_beat)]
    beat: SyncVar<Mark>,
    #[sync_var]
    offbeat: SyncVar<Mark>,
    #[sync_var(read = owner, hook = on_note)]
    note: SyncVar<Mark>,
    #[sync_var(read = group)]
    score: SyncVar<Mark>,
    #[sync_var(write = owner, hook = on_tempo)]
    tempo: SyncVar<Mark>,
    runs: Vec<HookRun>,
}

contents!(Twin: beat offbeat note score tempo; on_beat 0 beat on_note 2 note on_tempo 4 tempo);

const TWIN: &[Rule] = &[
    Rule::new("beat").hooked(),
    Rule::new("offbeat"),
    Rule::new("note").read(Readers::Owner).hooked(),
    Rule::new("score").read(Readers::Group),
    Rule::new("tempo").owned().hooked(),
];

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(super) struct Purse {
    #[sync_var(hook = on_health)]
    health: SyncVar<Mark>,
    #[sync_var(read = owner, hook = on_gold)]
    gold: SyncVar<Mark>,
    #[sync_var(read = group, hook = on_plan)]
    plan: SyncVar<Mark>,
    #[sync_var(read = others)]
    mask: SyncVar<Mark>,
    #[sync_var(initial_only)]
    name: SyncVar<Mark>,
    #[sync_var]
    items: SyncList<Mark>,
    #[sync_var]
    keys: SyncDictionary<u8, Mark>,
    #[sync_var(read = owner)]
    secrets: SyncList<Mark>,
    #[sync_var(read = group)]
    party: SyncHashSet<Mark>,
    runs: Vec<HookRun>,
}

contents!(Purse: health gold plan mask name items keys secrets party; on_health 0 health on_gold 1 gold on_plan 2 plan);

const PURSE: &[Rule] = &[
    Rule::new("health").hooked(),
    Rule::new("gold").read(Readers::Owner).hooked(),
    Rule::new("plan").read(Readers::Group).hooked(),
    Rule::new("mask").read(Readers::Others),
    Rule::new("name").initial(),
    Rule::new("items"),
    Rule::new("keys"),
    Rule::new("secrets").read(Readers::Owner),
    Rule::new("party").read(Readers::Group),
];

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(super) struct Helm {
    #[sync_var(write = owner, check = is_legal, hook = on_aim)]
    aim: SyncVar<Mark>,
    #[sync_var(write = owner)]
    left: SyncVar<Mark>,
    #[sync_var(write = owner)]
    right: SyncVar<Mark>,
    #[sync_var(write = owner, read = group)]
    tune: SyncVar<Mark>,
    #[sync_var(write = owner)]
    course: SyncList<Mark>,
    #[sync_var(write = owner, server_override)]
    brake: SyncVar<Mark>,
    runs: Vec<HookRun>,
}

/// Names of two fields that their owner writes together.
pub(super) const PAIR: [&str; 2] = ["left", "right"];

/// Name of the field with a check.
pub(super) const CHECKED: &str = "aim";

/// Returns whether the check of [`Helm`] accepts a number.
pub(super) fn is_legal(number: u64) -> bool {
    !number.is_multiple_of(7)
}

impl Helm {
    #[expect(clippy::unused_self, reason = "the form of a check")]
    fn is_legal(&self, _former: &Mark, new: &Mark, _ticks: u32) -> bool {
        is_legal(number(new))
    }
}

contents!(Helm: aim left right tune course brake; on_aim 0 aim);

const HELM: &[Rule] = &[
    Rule::new("aim").owned().hooked(),
    Rule::new("left").owned(),
    Rule::new("right").owned(),
    Rule::new("tune").owned().read(Readers::Group),
    Rule::new("course").owned(),
    Rule::new("brake").shared(),
];

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
pub(super) struct Rudder {
    #[sync_var(write = owner, hook = on_heading)]
    heading: SyncVar<Mark>,
    #[sync_var(write = owner)]
    left: SyncVar<Mark>,
    #[sync_var(write = owner)]
    right: SyncVar<Mark>,
    #[sync_var(write = owner, read = group)]
    tune: SyncVar<Mark>,
    #[sync_var(write = owner)]
    course: SyncList<Mark>,
    runs: Vec<HookRun>,
}

contents!(Rudder: heading left right tune course; on_heading 0 heading);

const RUDDER: &[Rule] = &[
    Rule::new("heading").owned().hooked(),
    Rule::new("left").owned(),
    Rule::new("right").owned(),
    Rule::new("tune").owned().read(Readers::Group),
    Rule::new("course").owned(),
];

#[derive(NetworkBehaviour, Default)]
pub(super) struct Slow {
    #[sync_var(hook = on_mood)]
    mood: SyncVar<Mark>,
    #[sync_var(read = owner)]
    debt: SyncVar<Mark>,
    #[sync_var(threshold = is_far)]
    level: SyncVar<Mark>,
    runs: Vec<HookRun>,
}

impl Slow {
    fn is_far(sent: &Mark, present: &Mark) -> bool {
        number(sent).abs_diff(number(present)) >= FAR
    }
}

contents!(Slow: mood debt level; on_mood 0 mood);

const SLOW: &[Rule] = &[
    Rule::new("mood").late().hooked(),
    Rule::new("debt").late().read(Readers::Owner),
    Rule::new("level").late().near(),
];

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = unreliable)]
pub(super) struct Drift {
    #[sync_var(hook = on_wind)]
    wind: SyncVar<Mark>,
    #[sync_var(read = group)]
    cargo: SyncVar<Mark>,
    runs: Vec<HookRun>,
}

contents!(Drift: wind cargo; on_wind 0 wind);

const DRIFT: &[Rule] = &[
    Rule::new("wind").late().hooked(),
    Rule::new("cargo").late().read(Readers::Group),
];

/// Its changes do not wait for the other packets of their tick.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable, gather = false)]
pub(super) struct Racer {
    #[sync_var(hook = on_lap)]
    lap: SyncVar<Mark>,
    #[sync_var(read = owner, hook = on_boost)]
    boost: SyncVar<Mark>,
    #[sync_var(read = others)]
    ghost: SyncVar<Mark>,
    #[sync_var(write = owner)]
    steering: SyncVar<Mark>,
    #[sync_var]
    wake: SyncList<Mark>,
    runs: Vec<HookRun>,
}

contents!(Racer: lap boost ghost steering wake; on_lap 0 lap on_boost 1 boost);

const RACER: &[Rule] = &[
    Rule::new("lap").hooked(),
    Rule::new("boost").read(Readers::Owner).hooked(),
    Rule::new("ghost").read(Readers::Others),
    Rule::new("steering").owned(),
    Rule::new("wake"),
];

type Change<'a> = &'a mut dyn FnMut(&mut dyn Contents);

/// A behaviour of a prefab, on both ends.
pub(super) struct Part {
    pub(super) rules: &'static [Rule],
    pub(super) on_server: fn(&NetworkServer, NetId) -> Option<&dyn Contents>,
    pub(super) on_client: fn(&NetworkClient, NetId) -> Option<&dyn Contents>,
    pub(super) change_server: fn(&mut NetworkServer, NetId, Change<'_>),
    pub(super) change_client: fn(&mut NetworkClient, NetId, Change<'_>),
}

const fn part<B: NetworkBehaviour + Contents>(rules: &'static [Rule]) -> Part {
    Part {
        rules,
        on_server: |server, id| Some(server.get::<B>(id)?),
        on_client: |client, id| Some(client.get::<B>(id)?),
        change_server: |server, id, change| {
            if let Ok(mut behaviour) = server.get_mut::<B>(id) {
                change(&mut *behaviour);
            }
        },
        change_client: |client, id, change| {
            if let Ok(mut behaviour) = client.get_mut::<B>(id) {
                change(&mut *behaviour);
            }
        },
    }
}

/// Makes an object of a prefab, whose fields the function has changed.
type Spawn =
    fn(&mut NetworkServer, SpawnOptions, &mut dyn FnMut(usize, &mut dyn Contents)) -> Option<NetId>;

/// A prefab.
pub(super) struct Kind {
    pub(super) parts: &'static [Part],
    pub(super) spawn: Spawn,
}

/// Spawns behaviours after a change by every policy.
macro_rules! spawn {
    ($($behaviour:ident $index:literal)*) => {
        |server, options, change| {
            server.try_spawn(($({
                let mut behaviour = $behaviour::default();
                change($index, &mut behaviour);
                behaviour
            },)*), options).ok()
        }
    };
}

/// Index of the first prefab of [`KINDS`] that a program spawns; [`Hub`] and [`Buoy`] precede it.
pub(super) const FIRST: usize = 2;

pub(super) const KINDS: &[Kind] = &[
    Kind {
        parts: &[part::<Hub>(BEAT)],
        spawn: spawn!(Hub 0),
    },
    Kind {
        parts: &[part::<Buoy>(BEAT)],
        spawn: spawn!(Buoy 0),
    },
    Kind {
        parts: &[part::<Body>(BODY), part::<Rudder>(RUDDER)],
        spawn: spawn!(Body 0 Rudder 1),
    },
    Kind {
        parts: &[part::<Purse>(PURSE), part::<Helm>(HELM)],
        spawn: spawn!(Purse 0 Helm 1),
    },
    Kind {
        parts: &[part::<Twin>(TWIN), part::<Purse>(PURSE)],
        spawn: spawn!(Twin 0 Purse 1),
    },
    Kind {
        parts: &[
            part::<Slow>(SLOW),
            part::<Body>(BODY),
            part::<Drift>(DRIFT),
            part::<Helm>(HELM),
        ],
        spawn: spawn!(Slow 0 Body 1 Drift 2 Helm 3),
    },
    Kind {
        parts: &[part::<Racer>(RACER), part::<Body>(BODY)],
        spawn: spawn!(Racer 0 Body 1),
    },
];

/// Returns the registry of an end.
pub(super) fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<(Hub,)>("hub")
        .register::<(Buoy,)>("buoy")
        .register::<(Body, Rudder)>("ship")
        .register::<(Purse, Helm)>("chest")
        .register::<(Twin, Purse)>("pair")
        .register::<(Slow, Body, Drift, Helm)>("mixed")
        .register::<(Racer, Body)>("racer")
        .input::<u64>()
}
