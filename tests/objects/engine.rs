//! A small world of plain structs, through the glue of the example `ecs`, in both directions.

#[path = "../../examples/ecs/components.rs"]
mod components;
#[path = "../../examples/ecs/glue.rs"]
mod glue;
#[path = "../../examples/ecs/world.rs"]
mod world;

use std::mem::swap;

use proptest::prelude::*;
use syncvar::behaviour::Optional;
use syncvar::prelude::*;
use syncvar::testing::Conditions;
use syncvar::{Callbacks, ClientConfig, Framing, ServerConfig};

use components::{Burning, Player, prefabs};
use world::{Entity, World};

struct Game {
    net: MemoryNetwork,
    world: World,
    views: Vec<World>,
}

impl Game {
    fn new() -> Self {
        let config = ServerConfig {
            callbacks: Callbacks::Events,
            ..ServerConfig::default()
        };
        let mut game = Self {
            net: MemoryNetwork::with_config(prefabs, config, Conditions::default()),
            world: World::default(),
            views: Vec::new(),
        };
        game.join();
        game
    }

    fn join(&mut self) {
        let config = ClientConfig {
            callbacks: Callbacks::Events,
            framing: if self.views.len().is_multiple_of(2) {
                Framing::Compact
            } else {
                Framing::Unet
            },
            ..ClientConfig::default()
        };
        let client = NetworkClient::with_config(prefabs(), config);
        self.net.connect_client(client);
        self.views.push(World::default());
    }

    fn spawn(&mut self, name: &str) -> Entity {
        self.world.spawn(&mut self.net.server, Player::new(name))
    }

    fn player(&mut self, entity: Entity) -> &mut Player {
        self.world.players.get_mut(&entity).unwrap()
    }

    /// One tick, after which every view equals the world.
    fn check(&mut self) {
        self.world.send(&mut self.net.server);
        self.net.settle();
        self.world.receive_commands(&mut self.net.server);
        self.world.send(&mut self.net.server);
        self.net.settle();
        for (index, view) in self.views.iter_mut().enumerate() {
            view.receive(self.net.client_mut(index));
            assert_eq!(contents(view), contents(&self.world), "client {index}");
        }
    }

    fn seen(&self, client: usize, entity: Entity) -> &Player {
        let view = &self.views[client];
        &view.players[&view.entities[&self.world.ids[&entity]]]
    }
}

/// Synchronised content of a world by id, with the targets that it knows.
fn contents(world: &World) -> Vec<String> {
    let ids = world.entities.iter();
    ids.map(|(id, entity)| {
        let player = &world.players[entity];
        let target = player.target.id();
        format!(
            "{id} {} {} {:?} {target} {} {:?}",
            player.name,
            player.health,
            player.items,
            world.entities.contains_key(&target),
            world.burning[entity],
        )
    })
    .collect()
}

#[test]
fn components_go_out_and_come_in() {
    let mut game = Game::new();
    let (ada, bob) = (game.spawn("Ada"), game.spawn("Bob"));
    let ids = [ada, bob].map(|entity| game.world.ids[&entity]);
    game.player(ada).target.set(NetRef::reserved(ids[1]));
    game.player(bob).target.set(NetRef::reserved(ids[0]));
    game.check();
    game.player(ada).health -= 30;
    game.check();
    assert_eq!(game.seen(0, ada).log, ["0 -> 100", "100 -> 70"]);
    game.join();
    game.check();
    assert_eq!(game.seen(1, ada).log, ["0 -> 70"]);
    game.world.despawn(bob);
    game.check();
}

#[test]
fn swapped_and_cloned_components_arrive() {
    let mut game = Game::new();
    let (ada, bob) = (game.spawn("Ada"), game.spawn("Bob"));
    game.check();
    game.player(ada).items.push(1);
    game.check();
    let mut of_ada = game.world.players.remove(&ada).unwrap();
    swap(&mut of_ada, game.player(bob));
    game.world.players.insert(ada, of_ada);
    game.player(bob).items.push(2);
    game.check();
    let clone = game.player(bob).clone();
    *game.player(ada) = clone;
    game.check();
}

#[test]
fn one_push_to_a_moved_list_stays_short() {
    let mut game = Game::new();
    let (ada, bob) = (game.spawn("Ada"), game.spawn("Bob"));
    game.player(ada).items.extend(0..10_000);
    game.check();
    let sent = |game: &Game| game.net.server.stats().sent.bytes;
    let before = sent(&game);
    game.player(ada).items.push(1);
    game.check();
    assert!(sent(&game) - before < 60, "{} bytes", sent(&game) - before);
    let items = std::mem::take(&mut game.player(ada).items);
    game.player(bob).items = items;
    game.check();
}

#[test]
fn previous_values_are_as_visible_as_their_fields() {
    let mut own = Player::default();
    let taken = own.take_changes(&mut Player::new("Ada"), u64::MAX);
    assert_eq!(taken.previous.health, Some(0));
}

#[test]
fn component_comes_and_goes() {
    let mut game = Game::new();
    let ada = game.spawn("Ada");
    let burning = |until: u32| {
        Optional::from(Some(Burning {
            until: until.into(),
        }))
    };
    game.check();
    game.world.burning.insert(ada, burning(5));
    game.check();
    game.join();
    game.check();
    game.world.burning.insert(ada, Optional::default());
    game.check();
}

#[test]
fn calls_run_on_components_in_both_directions() {
    let mut game = Game::new();
    let ada = game.spawn("Ada");
    game.check();
    let id = game.world.ids[&ada];
    let client = game.net.client_mut(0);
    client.calls::<Player>(id).pick_up(7).unwrap();
    game.check();
    assert_eq!(game.player(ada).items, [7]);
    game.net
        .server
        .calls::<Player>(id)
        .cheer("hey".into())
        .unwrap();
    game.check();
    assert_eq!(game.seen(0, ada).log, ["0 -> 100", "hey"]);
}

#[derive(Clone, Debug)]
enum Step {
    Spawn,
    Despawn(usize),
    Health(usize, i32),
    Push(usize, u32),
    Clear(usize),
    Burn(usize, u32),
    Quench(usize),
    Swap(usize, usize),
    SwapLists(usize, usize),
    Clone(usize, usize),
    Target(usize, usize),
    Join,
    Check,
}

fn step() -> impl Strategy<Value = Step> {
    let which = || 0..6usize;
    prop_oneof![
        3 => Just(Step::Spawn),
        1 => which().prop_map(Step::Despawn),
        3 => (which(), -3..3).prop_map(|(a, b)| Step::Health(a, b)),
        3 => (which(), 0..9u32).prop_map(|(a, b)| Step::Push(a, b)),
        1 => which().prop_map(Step::Clear),
        2 => (which(), 0..3u32).prop_map(|(a, b)| Step::Burn(a, b)),
        1 => which().prop_map(Step::Quench),
        2 => (which(), which()).prop_map(|(a, b)| Step::Swap(a, b)),
        1 => (which(), which()).prop_map(|(a, b)| Step::SwapLists(a, b)),
        1 => (which(), which()).prop_map(|(a, b)| Step::Clone(a, b)),
        1 => (which(), which()).prop_map(|(a, b)| Step::Target(a, b)),
        1 => Just(Step::Join),
        5 => Just(Step::Check),
    ]
}

fn run(game: &mut Game, step: &Step) {
    let living: Vec<Entity> = game.world.players.keys().copied().collect();
    let find = |index: usize| living.get(index % living.len().max(1)).copied();
    let both = |a: usize, b: usize| find(a).zip(find(b)).filter(|(a, b)| a != b);
    match *step {
        Step::Spawn => drop(game.spawn("Eve")),
        Step::Join if game.views.len() < 3 => game.join(),
        Step::Join => {}
        Step::Check => game.check(),
        Step::Swap(a, b) | Step::SwapLists(a, b) | Step::Clone(a, b) | Step::Target(a, b) => {
            let Some((a, b)) = both(a, b) else { return };
            let id = game.world.ids[&b];
            let mut other = game.world.players.remove(&b).unwrap();
            let own = game.player(a);
            match step {
                Step::Swap(..) => swap(own, &mut other),
                Step::SwapLists(..) => swap(&mut own.items, &mut other.items),
                Step::Clone(..) => *own = other.clone(),
                _ => drop(own.target.set(NetRef::reserved(id))),
            }
            game.world.players.insert(b, other);
        }
        Step::Despawn(a)
        | Step::Health(a, _)
        | Step::Push(a, _)
        | Step::Clear(a)
        | Step::Burn(a, _)
        | Step::Quench(a) => {
            let Some(entity) = find(a) else { return };
            let burning = game.world.burning.get_mut(&entity).unwrap();
            match *step {
                Step::Despawn(_) => game.world.despawn(entity),
                Step::Health(_, by) => game.player(entity).health += by,
                Step::Push(_, item) => game.player(entity).items.push(item),
                Step::Burn(_, until) => burning.set(Some(Burning {
                    until: until.into(),
                })),
                Step::Quench(_) => drop(burning.take()),
                _ => game.player(entity).items.clear(),
            }
        }
    }
}

proptest! {
    #[test]
    fn views_equal_a_world_in_which_everything_moves(steps in proptest::collection::vec(step(), 1..80)) {
        let mut game = Game::new();
        for step in &steps {
            run(&mut game, step);
        }
        game.check();
    }
}
