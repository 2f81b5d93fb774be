use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Player {
    #[sync_var]
    health: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
struct Monster {
    #[sync_var]
    health: SyncVar<i32>,
}

#[derive(NetworkBehaviour, Default)]
struct Boss {
    #[network_behaviour(base)]
    monster: Monster,
}

fn hurt(event: &ClientEvent) -> bool {
    let player = event.changed::<Player>();
    player.is_some_and(|changed| changed.contains(Monster::HEALTH))
}

fn hurt_boss(event: &ClientEvent) -> bool {
    let boss = event.changed::<Boss>();
    boss.is_some_and(|changed| changed.contains(Player::HEALTH))
}

fn misspelt(event: &ClientEvent) -> bool {
    let player = event.changed::<Player>();
    player.is_some_and(|changed| changed.contains(Player::HEALHT))
}

fn main() {}
