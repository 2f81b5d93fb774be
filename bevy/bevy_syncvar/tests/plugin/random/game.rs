//! A game that does one random thing after another.

use std::mem;

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::OnlyFor;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::testing::{Conditions, Random};

use super::components::*;
use crate::support::app;

/// Entities above which the game despawns as many as it spawns.
const MOST: usize = 80;

pub(super) struct Game {
    pub(super) server: App,
    listener: Connector,
    pub(super) clients: Vec<App>,
    options: Options,
    /// Whether entities have owners and are hidden.
    pub(super) shares: bool,
    random: Random,
    pub(super) entities: Vec<Entity>,
}

type Connector = Box<dyn Fn() -> MemoryLink>;

impl Game {
    pub(super) fn new(seed: u64, conditions: Conditions, options: Options) -> Self {
        let listener = MemoryListener::new(conditions);
        let connector = listener.connector();
        let mut server = app();
        server.add_plugins(ServerPlugin::new(listener));
        register(&mut server, options);
        observe_server(&mut server);
        let mut game = Self {
            server,
            listener: Box::new(move || connector.link()),
            clients: Vec::new(),
            options,
            shares: seed % 4 > 1,
            random: Random::new(seed),
            entities: Vec::new(),
        };
        game.join();
        game.step();
        game
    }

    pub(super) fn join(&mut self) {
        let mut client = app();
        client.add_plugins(ClientPlugin::new((self.listener)()));
        register(&mut client, self.options);
        observe_client(&mut client);
        self.clients.push(client);
    }

    /// Ends the app of the first client.
    pub(super) fn leave(&mut self) {
        drop(self.clients.remove(0));
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.random
            .below(bound.try_into().unwrap())
            .try_into()
            .unwrap()
    }

    fn world(&mut self) -> &mut World {
        self.server.world_mut()
    }

    fn some(&mut self) -> Entity {
        let index = self.below(self.entities.len());
        self.entities[index]
    }

    fn unit(&mut self) -> Unit {
        let is_free = self.below(3) == 0;
        let target = self.some();
        Unit {
            health: self.random.below(4),
            name: "x".repeat(self.below(4)),
            target: (!is_free).then_some(target),
        }
    }

    fn crew(&mut self) -> Crew {
        let members = (0..self.below(3)).map(|_| self.some()).collect();
        Crew(members, self.random.below(3))
    }

    fn order(&mut self) -> Order {
        let target = self.some();
        match self.below(3) {
            0 => Order::Wait,
            1 => Order::Follow(target),
            _ => Order::Carry {
                load: self.random.below(3),
                to: target,
            },
        }
    }

    fn spawn(&mut self) {
        let entity = self.world().spawn_empty().id();
        self.entities.push(entity);
        for _ in 0..3 {
            self.insert(entity);
        }
        if self.below(8) > 0 {
            self.world().entity_mut(entity).insert(Replicated);
        }
    }

    fn insert(&mut self, entity: Entity) {
        match self.below(7) {
            0 => {
                let unit = self.unit();
                self.world().entity_mut(entity).insert(unit);
            }
            1 => {
                let crew = self.crew();
                self.world().entity_mut(entity).insert(crew);
            }
            2 => {
                let order = self.order();
                self.world().commands().entity(entity).insert(order);
                self.world().flush();
            }
            3 => {
                let rank = Rank(self.random.below(3));
                self.world().entity_mut(entity).insert(rank);
            }
            4 => {
                let loot = Loot(self.random.below(3));
                let mut commands = self.server.world_mut().commands();
                let mut entity = commands.entity(entity);
                entity
                    .entry::<Loot>()
                    .and_modify(|mut own| own.0 += 1)
                    .or_insert(loot);
                self.world().flush();
            }
            5 => {
                let mut deck = Deck::default();
                deck.cards.push(self.random.below(3));
                self.world().entity_mut(entity).insert(deck);
            }
            _ => {
                self.world().entity_mut(entity).insert(Flag);
            }
        }
    }

    fn remove(&mut self, entity: Entity) {
        let choice = self.below(7);
        let mut entity = self.server.world_mut().entity_mut(entity);
        match choice {
            0 => entity.remove::<Unit>(),
            1 => entity.remove::<Crew>(),
            2 => entity.remove::<Order>(),
            3 => entity.remove::<Rank>(),
            4 => entity.remove::<Loot>(),
            5 => entity.remove::<Deck>(),
            _ => entity.remove::<Flag>(),
        };
    }

    fn write(&mut self, entity: Entity) {
        let (unit, crew, order) = (self.unit(), self.crew(), self.order());
        let choice = self.below(7);
        let mut entity = self.server.world_mut().entity_mut(entity);
        if let Some(mut own) = entity.get_mut::<Unit>() {
            match choice {
                0 => own.health = unit.health,
                1 => own.name = unit.name,
                2 => own.target = unit.target,
                3 => *own = unit,
                4 => drop(own.replace_if_neq(unit)),
                _ => own.set_changed(),
            }
        }
        if let Some(mut own) = entity.get_mut::<Crew>()
            && choice > 3
        {
            *own = crew;
        }
        if let Some(mut own) = entity.get_mut::<Order>()
            && choice == 5
        {
            own.set_if_neq(order);
        }
        if let Some(mut own) = entity.get_mut::<Deck>() {
            match choice {
                0 => own.cards.push(9),
                1 => drop(own.cards.pop()),
                2 => own.cards.clear(),
                3 => *own.top += 1,
                4 => drop(mem::take(&mut *own)),
                _ => {}
            }
        }
    }

    /// Writes as a query of all parts of an entity does.
    fn write_any(&mut self, entity: Entity) {
        let value = self.random.below(4);
        let mut all = self.world().query::<EntityMut>();
        let Ok(mut entity) = all.get_mut(self.server.world_mut(), entity) else {
            return;
        };
        if let Some(mut unit) = entity.get_mut::<Unit>() {
            unit.health = value;
        }
        if let Some(mut loot) = entity.get_mut::<Loot>() {
            loot.0 = value;
        }
    }

    fn exchange(&mut self, a: Entity, b: Entity) {
        let choice = self.below(4);
        let world = self.server.world_mut();
        match choice {
            0 => {
                let mut units = world.query::<&mut Unit>();
                if let Ok([mut a, mut b]) = units.get_many_mut(world, [a, b]) {
                    mem::swap(&mut *a, &mut *b);
                }
            }
            1 => {
                let mut decks = world.query::<&mut Deck>();
                if let Ok([mut a, mut b]) = decks.get_many_mut(world, [a, b]) {
                    mem::swap(&mut *a, &mut *b);
                }
            }
            _ => {
                let to = if choice == 2 { a } else { b };
                if let Some(taken) = world.entity_mut(a).take::<Unit>() {
                    world.entity_mut(to).insert(taken);
                }
                if let Some(taken) = world.entity_mut(a).take::<Deck>() {
                    world.entity_mut(to).insert(taken);
                }
            }
        }
    }

    fn attach(&mut self, child: Entity, parent: Entity) {
        let choice = self.below(7);
        let world = self.server.world_mut();
        let mut above = Some(parent);
        while let Some(entity) = above {
            if entity == child {
                return;
            }
            above = world.get::<ChildOf>(entity).map(ChildOf::parent);
        }
        match choice {
            0 => drop(world.entity_mut(child).remove::<ChildOf>()),
            1 => drop(world.entity_mut(parent).detach_all_children()),
            2 => drop(world.entity_mut(parent).replace_children(&[child])),
            3 => drop(world.commands().entity(child).insert(ChildOf(parent))),
            4 => drop(world.commands().entity(parent).insert_child(0, child)),
            _ => drop(world.entity_mut(parent).add_child(child)),
        }
        world.flush();
    }

    fn relate(&mut self, source: Entity, target: Entity) {
        let choice = self.below(6);
        if source == target {
            return;
        }
        let world = self.server.world_mut();
        let mut entity = world.entity_mut(source);
        match choice {
            0 => drop(entity.remove::<Rides>()),
            1 => drop(entity.remove::<PartOf>()),
            2 | 3 => drop(entity.insert(Rides(target))),
            _ => {
                // A ring of parts would end as a whole.
                if world.get::<PartOf>(target).is_none() && world.get::<Parts>(source).is_none() {
                    world.entity_mut(source).insert(PartOf(target));
                }
            }
        }
    }

    /// Shows or hides an entity, or gives it an owner.
    fn share(&mut self, entity: Entity) {
        let (choice, gold) = (self.below(7), self.random.below(9));
        let world = self.server.world_mut();
        let connections: Vec<_> = world.resource::<Server>().connections().collect();
        let Some(&connection) = connections.get(choice % connections.len().max(1)) else {
            return;
        };
        let owner = world.resource::<Connections>().entity(connection);
        match (choice, owner, world.resource::<NetEntities>().id(entity)) {
            (0 | 1, _, Some(id)) => {
                let mut server = world.resource_mut::<Server>();
                if server.is_visible(id, connection) {
                    server.hide(id, connection).unwrap();
                } else {
                    server.show(id, connection).unwrap();
                }
            }
            (2, Some(owner), _) => {
                world.entity_mut(entity).insert((Owner(owner), Purse(gold)));
            }
            (3, ..) => {
                world.entity_mut(entity).remove::<Owner>();
            }
            (4, owner, _) => {
                let only = OnlyFor(owner.into_iter().collect());
                world.entity_mut(entity).insert(only);
            }
            (5, ..) => {
                world.entity_mut(entity).remove::<OnlyFor>();
            }
            _ => {
                world.entity_mut(entity).insert(Purse(gold));
            }
        }
    }

    /// Changes the resource.
    fn change_weather(&mut self) {
        let (choice, wind, over) = (self.below(5), self.random.below(4), self.some());
        let weather = Weather {
            wind,
            over: (wind > 1).then_some(over),
        };
        let world = self.world();
        match choice {
            0 => drop(world.remove_resource::<Weather>()),
            1 => world.commands().insert_resource(weather),
            2 if world.contains_resource::<Weather>() => {
                world.resource_scope(|_, mut own: Mut<Weather>| own.wind = wind);
            }
            _ => match world.get_resource_mut::<Weather>() {
                Some(mut own) => *own = weather,
                None => world.insert_resource(weather),
            },
        }
        world.flush();
    }

    /// Changes the components that filters ask for.
    fn mark(&mut self, entity: Entity) {
        let choice = self.below(4);
        let mut entity = self.world().entity_mut(entity);
        match choice {
            0 => entity.insert(Open),
            1 => entity.remove::<Open>(),
            2 => entity.insert(Loose),
            _ => entity.remove::<Loose>(),
        };
    }

    fn despawn(&mut self, entity: Entity) {
        match self.below(3) {
            0 => drop(self.world().despawn(entity)),
            1 => {
                self.world().commands().entity(entity).despawn();
                self.world().flush();
            }
            _ => drop(self.world().entity_mut(entity).insert(Doomed)),
        }
        self.world().flush();
    }

    /// Does one thing.
    pub(super) fn act(&mut self) {
        let world = self.server.world();
        self.entities
            .retain(|entity| world.get_entity(*entity).is_ok());
        if self.entities.len() < 3 {
            // References need an entity.
            if self.entities.is_empty() {
                let first = self.world().spawn(Replicated).id();
                self.entities.push(first);
            }
            return self.spawn();
        }
        let (a, b) = (self.some(), self.some());
        match self.below(if self.shares { 34 } else { 28 }) {
            0..3 if self.entities.len() < MOST => self.spawn(),
            0..4 => self.despawn(a),
            4..8 => self.insert(a),
            8 | 9 => self.remove(a),
            10..16 => self.write(a),
            16 => self.write_any(a),
            17 => self.exchange(a, b),
            18 => {
                let twin = self.world().entity_mut(a).clone_and_spawn();
                self.entities.push(twin);
            }
            19 | 20 => self.attach(a, b),
            21 | 22 => self.relate(a, b),
            23 | 24 => self.mark(a),
            25 => self.change_weather(),
            28.. => self.share(a),
            _ => {
                let mut entity = self.world().entity_mut(a);
                if entity.contains::<Replicated>() {
                    entity.remove::<Replicated>();
                } else {
                    entity.insert(Replicated);
                }
            }
        }
    }

    pub(super) fn step(&mut self) {
        self.server.update();
        for client in &mut self.clients {
            client.update();
        }
    }
}
