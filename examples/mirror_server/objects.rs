//! What can be spawned: the counterparts of the components on the Unity side, field by field.

use syncvar::mirror::{
    Component, MirrorMessage, MirrorPrefab, MirrorPrefabs, SceneId, SyncDirection, SyncMode,
};
use syncvar::prelude::*;
use syncvar::values::{Color32, Vector3};

/// The door that stands in the scene: Unity gave it this number.
pub(crate) const SCENE_DOOR: SceneId = SceneId(0x1234_5678_0000_0001);

/// The prefabs, by their asset ids. The server and a bot build the same registry, and Unity's prefabs have
/// the same components in the same order.
pub(crate) fn prefabs() -> MirrorPrefabs {
    let wallet = Component::new().sync_mode(SyncMode::Owner);
    let aim = Component::new().sync_direction(SyncDirection::ClientToServer);
    let player = MirrorPrefab::new("Player", 1001.into());
    MirrorPrefabs::new()
        .register::<(Player, Wallet, Aim)>(player.component(1, wallet).component(2, aim))
        .register::<Monster>(MirrorPrefab::new("Monster", 1002.into()))
        .register::<Door>(MirrorPrefab::new("Door", 1003.into()))
        .message::<GlobalMsg>()
}

/// Somebody who plays.
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
    /// Does not travel: what a bot has noticed.
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
    /// The owner takes damage.
    #[command]
    pub(crate) fn damage(&mut self, amount: i32) {
        self.health -= amount;
    }

    /// Anybody says something with this player's mouth. In C# it has a second parameter, the sender.
    #[command(
        requires_ownership = false,
        mirror = "System.Void Player::CmdChat(System.String,Mirror.NetworkConnectionToClient)"
    )]
    pub(crate) fn chat(&mut self, ctx: &mut CallContext<'_>, text: String) {
        let (id, name) = (ctx.net_id(), self.name.to_string());
        if let Some(server) = ctx.side::<syncvar::mirror::MirrorServer>() {
            // Nobody observes it: nobody hears it.
            let _ = server.calls::<Self>(id).chat_heard(name, text);
        }
    }

    /// The owner picks something up, at a place in the inventory or at its end.
    #[command]
    pub(crate) fn pickup(&mut self, item: i32, at: i32) {
        match usize::try_from(at) {
            Ok(at) if at < self.inventory.len() => self.inventory.insert(at, item),
            _ => self.inventory.push(item),
        }
    }

    /// Everybody hears what was said.
    #[client_rpc(mirror = "System.Void Player::RpcChat(System.String,System.String)")]
    pub(crate) fn chat_heard(&mut self, name: String, text: String) {
        self.seen.push(format!("{name}: {text}"));
    }

    /// All but the owner.
    #[client_rpc(target = not_owner)]
    pub(crate) fn others(&mut self, number: i32) {
        self.seen.push(format!("others {number}"));
    }

    /// The owner alone.
    #[target_rpc]
    pub(crate) fn notify(&mut self, text: String) {
        self.seen.push(format!("a note: {text}"));
    }
}

/// What a player owns; nobody else is told. In Unity its `syncMode` is `Owner`.
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

/// Where a player aims: the client says. In Unity its `syncDirection` is `ClientToServer`.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Aim {
    #[sync_var]
    pub(crate) yaw: SyncVar<f32>,
    #[sync_var]
    pub(crate) firing: SyncVar<bool>,
}

/// Something to fight.
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
    /// Does not travel: what a bot has heard.
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

/// What a monster leaves behind.
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
    /// A monster as it is born.
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
    /// Everybody hears it.
    #[client_rpc]
    pub(crate) fn roar(&mut self, _loudness: i32, _at: Vector3) {
        self.roars += 1;
    }
}

/// A door that anybody may open and shut.
#[derive(NetworkBehaviour, Default)]
pub(crate) struct Door {
    #[sync_var(hook = on_open_changed)]
    pub(crate) open: SyncVar<bool>,
    /// Does not travel: what a bot has seen.
    pub(crate) moved: u32,
}

impl Door {
    fn on_open_changed(&mut self, _previous: bool) {
        self.moved += 1;
    }
}

#[network_calls]
impl Door {
    /// Opens or shuts it.
    #[command(requires_ownership = false)]
    pub(crate) fn toggle(&mut self) {
        let open = !*self.open;
        self.open.set(open);
    }
}

/// A message of the game's own: `GlobalMsg` in C#.
#[derive(SyncValue, Clone, Debug, PartialEq, Default)]
pub(crate) struct GlobalMsg {
    pub(crate) a: i32,
    pub(crate) item: Item,
}

/// What the message is about.
#[derive(SyncValue, Clone, Debug, PartialEq, Default)]
pub(crate) struct Item {
    pub(crate) id: i32,
    pub(crate) name: String,
    pub(crate) weight: f32,
}

impl MirrorMessage for GlobalMsg {
    const NAME: &'static str = "GlobalMsg";
}
