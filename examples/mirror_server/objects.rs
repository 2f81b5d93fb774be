//! The prefabs: counterparts of the components on the Unity side, field by field.

use syncvar::mirror::components::{
    AnimatorLayer, AnimatorState, AnimatorValue, NetworkAnimator, NetworkTransformReliable,
    animator_hash,
};
use syncvar::mirror::{
    Component, MirrorMessage, MirrorPrefab, MirrorPrefabs, SceneId, SyncDirection, SyncMode,
};
use syncvar::prelude::*;
use syncvar::values::{Color32, Vector3};

/// Scene id of the door, assigned by Unity.
pub(crate) const SCENE_DOOR: SceneId = SceneId(0x1234_5678_0000_0001);

/// Returns the prefabs by asset id. The server and a bot build the same registry; Unity's prefabs have
/// the same components in the same order.
pub(crate) fn prefabs() -> MirrorPrefabs {
    let wallet = Component::new().sync_mode(SyncMode::Owner);
    let aim = Component::new().sync_direction(SyncDirection::ClientToServer);
    let player = MirrorPrefab::new("Player", 1001.into());
    MirrorPrefabs::new()
        .register::<(Player, Wallet, Aim)>(player.component(1, wallet).component(2, aim))
        .register::<Monster>(MirrorPrefab::new("Monster", 1002.into()))
        .register::<Door>(MirrorPrefab::new("Door", 1003.into()))
        .register::<NetworkTransformReliable>(MirrorPrefab::new("Platform", 1004.into()))
        .register_with(MirrorPrefab::new("Windmill", 1005.into()), windmill)
        .message::<GlobalMsg>()
}

/// Position of the windmill's parameter `Speed`.
pub(crate) const SPEED: usize = 0;
/// Position of the windmill's parameter `Storm`.
pub(crate) const STORM: usize = 1;

/// Returns the animator of a windmill. Its controller has the parameters `Speed` (float), `Storm` (bool) and `Creak`
/// (trigger), and one layer, `Base Layer`, with the states `Still` and `Turning`.
pub(crate) fn windmill() -> NetworkAnimator {
    let speed = AnimatorValue::Float(0.0);
    let storm = AnimatorValue::Bool(false);
    let layer = AnimatorLayer::new(state("Base Layer.Still"));
    NetworkAnimator::new([speed, storm, AnimatorValue::Trigger], [layer])
}

/// Returns a state at its beginning.
pub(crate) fn state(path: &str) -> AnimatorState {
    AnimatorState {
        hash: animator_hash(path),
        normalized_time: 0.0,
    }
}

/// A player.
#[derive(NetworkBehaviour)]
pub(crate) struct Player {
    #[sync_var(hook = on_name_changed)]
    pub(crate) name: SyncVar<String>,
    #[sync_var(hook = on_health_changed)]
    pub(crate) health: SyncVar<i32>,
    #[sync_var]
    pub(crate) position: SyncVar<Vector3>,
    #[sync_var(hook = on_inventory_changed)]
    pub(crate) inventory: SyncList<i32>,
    /// Output of hooks and calls on a bot. Not annotated, so it does not travel.
    pub(crate) seen: Vec<String>,
}

impl Default for Player {
    fn default() -> Self {
        Self {
            name: "unnamed".to_owned().into(),
            health: 100.into(),
            position: SyncVar::default(),
            inventory: SyncList::default(),
            seen: Vec::new(),
        }
    }
}

impl Player {
    fn on_name_changed(&mut self, previous: String) {
        self.seen.push(previous + " is called " + &self.name);
    }

    fn on_health_changed(&mut self, previous: i32) {
        let health = &self.health;
        self.seen.push(format!("health {previous} -> {health}"));
    }

    fn on_inventory_changed(&mut self, change: &ListChange<i32>) {
        self.seen.push(format!("inventory: {change:?}"));
    }
}

#[network_calls]
impl Player {
    /// Takes damage.
    #[command]
    pub(crate) fn damage(&mut self, amount: i32) {
        self.health -= amount;
    }

    /// Sends a chat message in this player's name. In C# it has a second parameter, the sender.
    #[command(
        requires_ownership = false,
        mirror = "System.Void Player::CmdChat(System.String,Mirror.NetworkConnectionToClient)"
    )]
    pub(crate) fn chat(&mut self, ctx: &mut CallContext<'_>, text: String) {
        let (id, name) = (ctx.net_id(), self.name.to_string());
        if let Some(server) = ctx.side::<syncvar::mirror::MirrorServer>() {
            // Without observers the call has no receiver.
            let _ = server.calls::<Self>(id).chat_heard(name, text);
        }
    }

    /// Picks an item up, at a position of the inventory or at its end.
    #[command]
    pub(crate) fn pickup(&mut self, item: i32, at: i32) {
        match usize::try_from(at) {
            Ok(at) if at < self.inventory.len() => self.inventory.insert(at, item),
            _ => self.inventory.push(item),
        }
    }

    /// Shows a chat message to all observers.
    #[client_rpc(mirror = "System.Void Player::RpcChat(System.String,System.String)")]
    pub(crate) fn chat_heard(&mut self, name: String, text: String) {
        self.seen.push(format!("{name}: {text}"));
    }

    /// Runs on all observers except the owner.
    #[client_rpc(target = not_owner)]
    pub(crate) fn others(&mut self, number: i32) {
        self.seen.push(format!("others {number}"));
    }

    /// Runs on the owner alone.
    #[target_rpc]
    pub(crate) fn notify(&mut self, text: String) {
        self.seen.push(format!("a note: {text}"));
    }
}

/// A player's possessions, sent to the owner alone. In Unity its `syncMode` is `Owner`.
#[derive(NetworkBehaviour)]
pub(crate) struct Wallet {
    #[sync_var]
    pub(crate) gold: SyncVar<i32>,
    #[sync_var]
    pub(crate) secret: SyncVar<u64>,
}

impl Default for Wallet {
    fn default() -> Self {
        Self {
            gold: 10.into(),
            secret: 1.into(),
        }
    }
}

/// A player's aim, written by the client. In Unity its `syncDirection` is `ClientToServer`.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Aim {
    #[sync_var]
    pub(crate) yaw: SyncVar<f32>,
    #[sync_var]
    pub(crate) firing: SyncVar<bool>,
}

/// A monster.
#[derive(NetworkBehaviour)]
pub(crate) struct Monster {
    #[sync_var]
    pub(crate) kind: SyncVar<Kind>,
    #[sync_var]
    pub(crate) hp: SyncVar<u16>,
    #[sync_var]
    pub(crate) target: SyncVar<NetRef>,
    #[sync_var]
    pub(crate) bounty: SyncVar<Option<i32>>,
    #[sync_var]
    pub(crate) color: SyncVar<Color32>,
    #[sync_var]
    pub(crate) buffs: SyncDictionary<i32, String>,
    #[sync_var]
    pub(crate) tags: SyncHashSet<String>,
    #[sync_var]
    pub(crate) loot: SyncList<Loot>,
    /// Number of roars on a bot. Not annotated, so it does not travel.
    pub(crate) roars: u32,
}

/// An enumeration that is a `byte` in C#.
#[derive(SyncValue, Clone, Copy, Debug, PartialEq, Default)]
#[repr(u8)]
pub(crate) enum Kind {
    #[default]
    Goblin,
    Orc,
    Dragon,
}

/// An item that a monster leaves behind.
#[derive(SyncValue, Clone, Debug, PartialEq, Default)]
pub(crate) struct Loot {
    pub(crate) item: i32,
    pub(crate) label: String,
    pub(crate) chance: f32,
}

impl Default for Monster {
    fn default() -> Self {
        Self {
            kind: SyncVar::default(),
            hp: 50.into(),
            target: SyncVar::default(),
            bounty: SyncVar::default(),
            color: Color32 {
                r: 1,
                g: 2,
                b: 3,
                a: 255,
            }
            .into(),
            buffs: SyncDictionary::default(),
            tags: SyncHashSet::default(),
            loot: SyncList::default(),
            roars: 0,
        }
    }
}

impl Monster {
    /// Creates a monster with the values of its kind.
    pub(crate) fn born(kind: Kind) -> Self {
        Self {
            kind: kind.into(),
            buffs: [(100, "born".to_owned())].into_iter().collect(),
            tags: ["npc".to_owned()].into_iter().collect(),
            ..Self::default()
        }
    }
}

#[network_calls]
impl Monster {
    /// Runs on all observers.
    #[client_rpc]
    pub(crate) fn roar(&mut self, _loudness: i32, _at: Vector3) {
        self.roars += 1;
    }
}

/// A door; each client may open and shut it.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Door {
    #[sync_var(hook = on_open_changed)]
    pub(crate) open: SyncVar<bool>,
    /// Number of moves on a bot. Not annotated, so it does not travel.
    pub(crate) moved: u32,
}

impl Door {
    fn on_open_changed(&mut self, _previous: bool) {
        self.moved += 1;
    }
}

#[network_calls]
impl Door {
    /// Opens or shuts the door.
    #[command(requires_ownership = false)]
    pub(crate) fn toggle(&mut self) {
        let open = !*self.open;
        self.open.set(open);
    }
}

/// A custom message of the game: `GlobalMsg` in C#.
#[derive(SyncValue, Clone, Debug, PartialEq, Default)]
pub(crate) struct GlobalMsg {
    pub(crate) a: i32,
    pub(crate) item: Item,
}

/// Topic of the message.
#[derive(SyncValue, Clone, Debug, PartialEq, Default)]
pub(crate) struct Item {
    pub(crate) id: i32,
    pub(crate) name: String,
    pub(crate) weight: f32,
}

impl MirrorMessage for GlobalMsg {
    const NAME: &'static str = "GlobalMsg";
}
