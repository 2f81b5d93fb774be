//! A fighter: what everybody sees of it, what its owner alone sees, and what can be asked of it.

use syncvar::prelude::*;

/// How much a fighter can take.
pub(crate) const FULL_HEALTH: i32 = 100;

/// Somebody who strikes and is struck; each bot owns one.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.05)]
pub(crate) struct Fighter {
    #[sync_var]
    pub(crate) name: SyncVar<String>,
    #[sync_var(hook = on_health_changed)]
    pub(crate) health: SyncVar<i32>,
    #[sync_var(hook = on_buffs_changed)]
    pub(crate) buffs: SyncList<Buff>,
    /// What it carries: its owner is told, and nobody else.
    #[sync_var(read = owner)]
    pub(crate) pack: SyncList<Item>,
    /// How it stands: its owner says, and everybody sees it.
    #[sync_var(write = owner)]
    pub(crate) stance: SyncVar<Stance>,
    /// Does not travel: what this replica has noticed.
    pub(crate) seen: Vec<String>,
}

/// Something that works for a while.
#[derive(SyncValue, Clone, Debug, PartialEq, Default)]
pub(crate) struct Buff {
    pub(crate) name: String,
    /// What it adds to a blow.
    pub(crate) strength: i32,
}

/// Something that can be carried.
#[derive(SyncValue, Clone, Copy, Debug, PartialEq, Default)]
pub(crate) enum Item {
    #[default]
    Potion,
    Whetstone,
}

/// How a fighter stands: on guard it takes half the damage.
#[derive(SyncValue, Clone, Copy, Debug, PartialEq, Default)]
pub(crate) enum Stance {
    #[default]
    Open,
    OnGuard,
}

impl Fighter {
    /// A fighter that has just come in.
    pub(crate) fn new() -> Self {
        Self {
            health: FULL_HEALTH.into(),
            pack: [Item::Potion, Item::Whetstone, Item::Potion]
                .into_iter()
                .collect(),
            ..Self::default()
        }
    }

    /// How hard it strikes.
    fn strength(&self) -> i32 {
        34 + self.buffs.iter().map(|buff| buff.strength).sum::<i32>()
    }

    /// Takes a blow and returns what it has cost.
    fn take(&mut self, blow: i32) -> i32 {
        let damage = match *self.stance {
            Stance::Open => blow,
            Stance::OnGuard => blow / 2,
        };
        self.health -= damage;
        damage
    }

    fn on_health_changed(&mut self, previous: i32) {
        let (name, health) = (&self.name, &self.health);
        self.seen
            .push(format!("{name}'s health {previous} -> {health}"));
    }

    fn on_buffs_changed(&mut self, change: &ListChange<Buff>) {
        let name = &self.name;
        self.seen.push(format!("{name}'s buffs: {change:?}"));
    }
}

#[network_calls]
impl Fighter {
    /// The owner says what the fighter is called.
    #[command]
    pub(crate) fn introduce(&mut self, name: String) {
        self.name.set(name);
    }

    /// The owner has it strike another one, twice a second at most.
    #[command(rate = 2.0)]
    pub(crate) fn strike(&mut self, ctx: &mut CallContext<'_>, target: NetRef) {
        let (name, blow) = (self.name.to_string(), self.strength());
        let Some(server) = ctx.server() else { return };
        let Some(mut other) = server.get_mut::<Self>(target.id()) else {
            return;
        };
        let damage = other.take(blow);
        let fallen = *other.health <= 0;
        if fallen {
            other.health.set(FULL_HEALTH);
            other.buffs.clear();
        }
        drop(other);
        // What everybody sees, and what everybody hears of.
        let _ = server
            .calls::<Self>(target.id())
            .struck(name.clone(), damage);
        if fallen {
            let _ = server.calls::<Self>(target.id()).fallen(name);
        }
    }

    /// The owner has it use what is on top of its pack.
    #[command]
    pub(crate) fn use_item(&mut self, ctx: &mut CallContext<'_>) {
        let (id, owner) = (ctx.net_id(), ctx.sender());
        let text = match self.pack.pop() {
            Some(Item::Potion) => {
                self.health.set(FULL_HEALTH);
                "the potion tastes of iron"
            }
            Some(Item::Whetstone) => {
                let (name, strength) = ("sharp".into(), 16);
                self.buffs.push(Buff { name, strength });
                "the blade is sharp now"
            }
            None => "the pack is empty",
        };
        if let (Some(server), Some(owner)) = (ctx.server(), owner) {
            let _ = server.calls::<Self>(id).tell(owner, text.into());
        }
    }

    /// Everybody is shown a blow.
    #[client_rpc]
    pub(crate) fn struck(&mut self, by: String, damage: i32) {
        let name = &self.name;
        self.seen
            .push(format!("RPC: {by} strikes {name} for {damage}"));
    }

    /// One client is told something.
    #[target_rpc]
    pub(crate) fn tell(&mut self, text: String) {
        self.seen.push(format!("RPC to me alone: {text}"));
    }

    /// Everybody hears that a fighter has fallen.
    #[sync_event]
    pub(crate) fn fallen(by: String);
}
