//! The world: its objects, its players, and a script that runs for the first player.

use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::mirror::components::{
    AnimatorValue, NetworkAnimator, NetworkTransformReliable, animator_hash,
};
use syncvar::mirror::{MirrorServer, MirrorServerEvent, MirrorSpawnOptions};
use syncvar::prelude::*;
use syncvar::values::{Color32, Vector3};

use crate::objects::{
    Aim, Door, GlobalMsg, Item, Kind, Loot, Monster, Player, SCENE_DOOR, SPEED, STORM, Wallet,
    prefabs, state, windmill,
};

/// Creates a server with the objects of the start.
pub(crate) fn server() -> MirrorServer {
    MirrorServer::new(prefabs())
}

/// Objects of the world, and progress of the script.
#[derive(Debug)]
pub(crate) struct World {
    door: NetId,
    /// Monsters in order of spawn.
    monsters: Vec<NetId>,
    /// Moves in the first two seconds.
    platform: NetId,
    /// Turns in the second second, and creaks.
    windmill: NetId,
    /// First player, and the time of its entry.
    first: Option<(NetId, Duration)>,
    /// Number of finished steps of the script.
    done: usize,
}

impl World {
    pub(crate) fn new(server: &mut MirrorServer) -> Self {
        let at = |x, y, z| MirrorSpawnOptions {
            position: Vector3::new(x, y, z),
            ..MirrorSpawnOptions::default()
        };
        let door = server.spawn_scene_object(SCENE_DOOR, Door::default(), at(7.0, 0.0, -7.0));
        let goblin = server.try_spawn(Monster::born(Kind::Goblin), at(1.0, 0.0, 0.0));
        let orc = server.try_spawn(Monster::born(Kind::Orc), at(-2.0, 0.5, 3.0));
        let platform = server.spawn(NetworkTransformReliable::default());
        let windmill = server.try_spawn(windmill(), at(0.0, 0.0, 20.0));
        Self {
            platform,
            windmill: windmill.expect("the registry has a windmill"),
            door: door.expect("the registry has a door"),
            monsters: [goblin, orc].into_iter().flatten().collect(),
            first: None,
            done: 0,
        }
    }

    /// Runs one tick of the game.
    pub(crate) fn tick(&mut self, server: &mut MirrorServer, now: Duration) -> ControlFlow<()> {
        while let Some(event) = server.poll_event() {
            match event {
                MirrorServerEvent::AddPlayerRequested { connection } => {
                    self.add_player(server, connection, now);
                }
                MirrorServerEvent::Message {
                    connection,
                    message,
                } => {
                    if let Some(GlobalMsg { a, item }) = message.get() {
                        let answer = GlobalMsg {
                            a: a.wrapping_add(1),
                            item: item.clone(),
                        };
                        let _ = server.send(connection, &answer);
                    }
                }
                MirrorServerEvent::Disconnected { connection, .. } => {
                    println!("{connection} is gone");
                }
                // Arrives each time a client aims.
                MirrorServerEvent::Written { .. } => {}
                other => println!("{other:?}"),
            }
        }
        if server.connections().next().is_none() && self.first.is_some() {
            // The next player finds the world of the start.
            *server = self::server();
            *self = Self::new(server);
        }
        self.play(server, now);
        ControlFlow::Continue(())
    }

    fn add_player(&mut self, server: &mut MirrorServer, connection: ConnectionId, now: Duration) {
        let behaviours = <(Player, Wallet, Aim)>::default();
        let Ok(player) = server.add_player(connection, behaviours) else {
            return;
        };
        println!("{connection} plays {player}");
        if let Ok(mut player) = server.get_mut::<Player>(player) {
            player.name.set(format!("player{}", connection.0));
        }
        self.first.get_or_insert((player, now));
    }

    /// Plays the due steps of the script.
    fn play(&mut self, server: &mut MirrorServer, now: Duration) {
        let Some((player, since)) = self.first else {
            return;
        };
        let elapsed = now.saturating_sub(since);
        if let Ok(mut platform) = server.get_mut::<NetworkTransformReliable>(self.platform) {
            platform.position.x = 2.0 * elapsed.as_secs_f32().min(2.0);
        }
        let elapsed = elapsed.as_millis();
        while let Some((at, step)) = SCRIPT.get(self.done)
            && elapsed >= *at
        {
            self.done += 1;
            self.run(server, player, step);
        }
    }

    fn run(&mut self, server: &mut MirrorServer, player: NetId, step: &Step) {
        match *step {
            Step::Monster(number, change) => {
                let id = self.monsters.get(number).copied();
                if let Some(mut monster) = id.and_then(|id| server.get_mut::<Monster>(id).ok()) {
                    change(&mut monster, player);
                }
            }
            Step::Player(change) => {
                if let Ok(mut player) = server.get_mut::<Player>(player) {
                    change(&mut player);
                }
            }
            Step::World(action) => action(self, server, player),
        }
    }
}

/// An action of the script.
enum Step {
    /// An action on a monster, by number; it receives the player's id.
    Monster(usize, fn(&mut Monster, NetId)),
    Player(fn(&mut Player)),
    World(fn(&mut World, &mut MirrorServer, NetId)),
}

/// Changes the animator of the windmill.
fn on_windmill(
    world: &World,
    server: &mut MirrorServer,
    change: impl FnOnce(&mut NetworkAnimator),
) {
    if let Ok(mut windmill) = server.get_mut::<NetworkAnimator>(world.windmill) {
        change(&mut windmill);
    }
}

/// Actions, with their delay in milliseconds after the entry of the first player.
const SCRIPT: &[(u128, Step)] = &[
    (
        300,
        Step::Monster(0, |goblin, _| {
            goblin.hp.set(40);
            goblin.buffs.insert(1, "haste".into());
        }),
    ),
    (
        500,
        Step::Monster(0, |goblin, _| {
            goblin.buffs.insert(2, "shield".into());
            goblin.buffs.insert(1, "slow".into());
            goblin.buffs.remove(&2);
        }),
    ),
    (
        600,
        Step::Monster(0, |goblin, _| {
            goblin.tags.insert("boss".into());
            goblin.loot.push(loot(5, "sword", 0.5));
            goblin.loot.push(loot(6, "bow", 0.25));
        }),
    ),
    (
        800,
        Step::World(|world, server, _| {
            let options = MirrorSpawnOptions {
                position: Vector3::new(10.0, 0.0, 10.0),
                ..MirrorSpawnOptions::default()
            };
            world
                .monsters
                .extend(server.try_spawn(Monster::born(Kind::Dragon), options));
        }),
    ),
    (
        900,
        Step::Monster(2, |dragon, player| {
            dragon.target.set(player.into());
            dragon.bounty.set(Some(500));
            dragon.hp.set(999);
        }),
    ),
    (
        1100,
        Step::World(|_, server, player| {
            if let Ok(mut wallet) = server.get_mut::<Wallet>(player) {
                wallet.gold.set(777);
            }
            if let Ok(mut player) = server.get_mut::<Player>(player) {
                player.inventory.extend([11, 22]);
                player.position.set(Vector3::new(1.0, 2.0, 3.0));
            }
        }),
    ),
    (
        1000,
        Step::World(|world, server, _| {
            on_windmill(world, server, |windmill| {
                windmill.parameters_mut()[SPEED] = AnimatorValue::Float(1.5);
                windmill.parameters_mut()[STORM] = AnimatorValue::Bool(true);
            });
        }),
    ),
    (
        1300,
        Step::World(|world, server, player| {
            if let Some(dragon) = world.monsters.get(2) {
                let _ = server
                    .calls::<Monster>(*dragon)
                    .roar(9, Vector3::new(1.0, 1.0, 1.0));
            }
            if let Some(owner) = server.owner(player) {
                let _ = server
                    .calls::<Player>(player)
                    .notify(owner, "hello-owner".into());
            }
            let _ = server.calls::<Player>(player).others(4);
        }),
    ),
    (
        1500,
        Step::Player(|player| {
            if player.inventory.len() > 1 {
                player.inventory.set(0, 33);
                player.inventory.remove(1);
            }
        }),
    ),
    (
        1550,
        Step::World(|world, server, _| {
            on_windmill(world, server, |windmill| {
                windmill.layers_mut()[0].state = state("Base Layer.Turning");
                windmill.layers_mut()[0].weight = 0.5;
            });
        }),
    ),
    (
        1600,
        Step::World(|world, server, player| {
            if let Some(orc) = world.monsters.get(1) {
                server.set_owner(*orc, server.owner(player)).ok();
            }
        }),
    ),
    (
        1700,
        Step::World(|world, server, _| {
            if let Some(orc) = world.monsters.get(1) {
                server.set_owner(*orc, None).ok();
            }
        }),
    ),
    (
        1800,
        Step::World(|world, server, _| {
            if let Some(orc) = world.monsters.get(1) {
                server.despawn(*orc).ok();
            }
        }),
    ),
    (
        1900,
        Step::Monster(0, |goblin, _| {
            goblin.color.set(Color32 {
                r: 9,
                g: 8,
                b: 7,
                a: 6,
            });
        }),
    ),
    (
        1950,
        Step::World(|world, server, _| {
            on_windmill(world, server, |windmill| {
                windmill.speed = 2.0;
                windmill.set_trigger(animator_hash("Creak"));
            });
        }),
    ),
    (
        2000,
        Step::World(|world, server, _| {
            if let Ok(mut door) = server.get_mut::<Door>(world.door) {
                let open = !*door.open;
                door.open.set(open);
            }
        }),
    ),
    (
        2100,
        Step::Monster(2, |dragon, _| {
            dragon.target.set(NetRef::NONE);
        }),
    ),
    (
        2200,
        Step::Player(|player| {
            player.inventory.clear();
            player.inventory.push(1);
        }),
    ),
    (
        2300,
        Step::World(|world, server, _| {
            if let Some(dragon) = world.monsters.get(2) {
                server.despawn(*dragon).ok();
            }
        }),
    ),
    (
        2400,
        Step::World(|_, server, _| {
            let item = Item {
                id: 3,
                name: "srv".into(),
                weight: 1.0,
            };
            let _ = server.send_to_all(&GlobalMsg { a: 41, item });
        }),
    ),
];

fn loot(item: i32, label: &str, chance: f32) -> Loot {
    let label = label.into();
    Loot {
        item,
        label,
        chance,
    }
}
