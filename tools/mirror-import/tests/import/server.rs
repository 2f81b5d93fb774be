//! A server of the imported project: the bodies of its commands, and its players.

use syncvar::mirror::{MirrorPrefab, MirrorServer, MirrorServerEvent, MirrorSpawnOptions};
use syncvar::prelude::*;
use syncvar::values::Vector3;

use super::game::{Door, Player, door, player, prefabs};

/// Creates the server. The door of the scene is no prefab's.
pub(crate) fn server() -> MirrorServer {
    let scene_door = MirrorPrefab::scene("SceneDoor");
    MirrorServer::new(prefabs().register_with(scene_door, door))
}

/// Gives each connection that asks for it a player, beside those of the others.
pub(crate) fn add_players(server: &mut MirrorServer) {
    while let Some(event) = server.poll_event() {
        if let MirrorServerEvent::AddPlayerRequested { connection } = event {
            let place = u16::try_from(connection.0).expect("few connections");
            let options = MirrorSpawnOptions {
                position: Vector3::new(place.into(), 0.0, 0.0),
                ..MirrorSpawnOptions::default()
            };
            let added = server.add_player_with(connection, player(), options);
            added.expect("the prefab is registered");
        }
    }
}

impl Player {
    pub(crate) fn on_cmd_damage(&mut self, _ctx: &mut CallContext<'_>, amount: i32) {
        self.health -= amount;
    }

    pub(crate) fn on_cmd_chat(&mut self, ctx: &mut CallContext<'_>, text: String) {
        let (id, name) = (ctx.net_id(), self.player_name.to_string());
        if let Some(server) = ctx.side::<MirrorServer>() {
            let _ = server.calls::<Self>(id).rpc_chat(name, text);
        }
    }

    pub(crate) fn on_cmd_pickup(&mut self, _ctx: &mut CallContext<'_>, item: i32, index: i32) {
        match usize::try_from(index) {
            Ok(index) if index < self.inventory.len() => self.inventory.insert(index, item),
            _ => self.inventory.push(item),
        }
    }
}

impl Door {
    pub(crate) fn on_cmd_toggle(&mut self, _ctx: &mut CallContext<'_>) {
        let open = !*self.open;
        self.open.set(open);
    }
}
