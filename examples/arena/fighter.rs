//! A fighter: public fields, fields for its owner alone, and its commands.

use syncvar::prelude::*;

use crate::body::Body;

/// Health of a new fighter.
pub(crate) const FULL_HEALTH: i32 = 100;

/// A fighter; each bot owns one.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0.05)]
pub(crate) struct Fighter {
    #[sync_var]
    pub(crate) name: SyncVar<String>,
    #[sync_var(hook = on_health_changed)]
    pub(crate) health: SyncVar<i32>,
    #[sync_var(hook = on_buffs_changed)]
    pub(crate) buffs: SyncList<Buff>,
    /// Inventory, sent to the owner alone.
    #[sync_var(read = owner)]
    pub(crate) pack: SyncList<Item>,
    /// Stance, written by the owner and relayed to all observers.
    #[sync_var(write = owner)]
    pub(crate) stance: SyncVar<Stance>,
    /// Output of hooks and calls of this replica. Not annotated, so it does not travel.
    pub(crate) seen: Vec<String>,
}

/// A temporary effect.
#[derive(SyncValue, Clone, Debug, PartialEq, Default)]
pub(crate) struct Buff {
    pub(crate) name: String,
    /// Damage that the effect adds to a blow.
    pub(crate) strength: i32,
}

/// An item of the inventory.
#[derive(SyncValue, Clone, Copy, Debug, PartialEq, Default)]
pub(crate) enum Item {
    #[default]
    Potion,
    Whetstone,
}

/// Stance of a fighter; `OnGuard` halves the damage.
#[derive(SyncValue, Clone, Copy, Debug, PartialEq, Default)]
pub(crate) enum Stance {
    #[default]
    Open,
    OnGuard,
}

impl Fighter {
    /// Creates a fighter with full health.
    pub(crate) fn new() -> Self {
        Self {
            health: FULL_HEALTH.into(),
            pack: [Item::Potion, Item::Whetstone, Item::Potion]
                .into_iter()
                .collect(),
            ..Self::default()
        }
    }

    /// Returns the damage of its blows.
    fn strength(&self) -> i32 {
        34 + self.buffs.iter().map(|buff| buff.strength).sum::<i32>()
    }

    /// Takes a blow and returns the damage.
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

/// Longest name, in characters.
const MAX_NAME: usize = 16;

#[network_calls]
impl Fighter {
    /// Sets the name of the fighter.
    #[command]
    pub(crate) fn introduce(&mut self, name: String) {
        let shown = name.chars().filter(|it| !it.is_control());
        self.name.set(shown.take(MAX_NAME).collect());
    }

    /// Strikes another fighter within reach, at most twice a second.
    #[command(rate = 2.0)]
    pub(crate) fn strike(&mut self, ctx: &mut CallContext<'_>, target: NetRef) {
        let (name, blow) = (self.name.to_string(), self.strength());
        let place = ctx.sibling::<Body>().map(|body| *body.position);
        let server = ctx.expect_server();
        let body = server.get::<Body>(target.id());
        if !matches!((place, body), (Some(place), Some(body)) if body.is_within_reach(place)) {
            return;
        }
        let Ok(mut other) = server.get_mut::<Self>(target.id()) else {
            return;
        };
        let damage = other.take(blow);
        let fallen = *other.health <= 0;
        if fallen {
            other.health.set(FULL_HEALTH);
            other.buffs.clear();
        }
        drop(other);
        // All observers receive the blow.
        let _ = server
            .calls::<Self>(target.id())
            .struck(name.clone(), damage);
        if fallen {
            let _ = server.calls::<Self>(target.id()).fallen(name);
        }
    }

    /// Uses the topmost item of the pack.
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

    /// Shows a blow to all observers.
    #[client_rpc]
    pub(crate) fn struck(&mut self, by: String, damage: i32) {
        let name = &self.name;
        self.seen
            .push(format!("RPC: {by} strikes {name} for {damage}"));
    }

    /// Sends a message to one client.
    #[target_rpc]
    pub(crate) fn tell(&mut self, text: String) {
        self.seen.push(format!("RPC to me alone: {text}"));
    }

    /// Announces a fallen fighter to all observers.
    #[sync_event]
    pub(crate) fn fallen(by: String);
}
