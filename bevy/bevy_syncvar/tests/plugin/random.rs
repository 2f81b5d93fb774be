//! Random worlds: whatever the game does, the clients have the entities of the server.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::time::Duration;

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use bevy_syncvar::syncvar::ClientEvent;
use bevy_syncvar::syncvar::prelude::EventReader;
use bevy_syncvar::syncvar::testing::{Conditions, Random};

use crate::support::app;

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
struct Unit {
    health: u32,
    name: String,
    target: Option<Entity>,
}

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
struct Crew(Vec<Entity>, u32);

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
enum Order {
    Wait,
    Follow(Entity),
    Carry { load: u32, to: Entity },
}

#[derive(Component, Replicate, Clone, Debug, PartialEq)]
struct Flag;

/// Only the owner reads it.
#[derive(Component, Replicate, Clone, Debug, PartialEq)]
struct Purse(#[sync_var(read = owner)] u32);

fn register(app: &mut App, with_bundles: bool) {
    app.replicate::<Purse>();
    if with_bundles {
        app.replicate_bundle::<(Unit, Crew)>()
            .replicate_bundle::<(Unit, Order, Flag)>();
    } else {
        app.replicate::<Unit>()
            .replicate::<Crew>()
            .replicate::<Order>()
            .replicate::<Flag>();
    }
}

/// Fields of an entity by `behaviour.field`, as text. Entities are objects there; `None` is a reference to an entity
/// without an object, about which the ends may differ.
type Fields = BTreeMap<String, Option<String>>;

/// What a client sees of a server; everything for a client itself.
struct Sight<'a> {
    server: &'a Server,
    connection: ConnectionId,
}

impl Sight<'_> {
    fn sees(&self, id: NetId) -> bool {
        self.server.is_visible(id, self.connection)
    }

    fn owns(&self, id: NetId) -> bool {
        self.server.owner(id) == Some(self.connection)
    }
}

fn fields(world: &World, entity: Entity, sight: Option<&Sight<'_>>) -> Fields {
    let entities = world.resource::<NetEntities>();
    let sees = |id: &NetId| sight.is_none_or(|sight| sight.sees(*id));
    let name = |target: Entity| entities.id(target).filter(sees).map(|id| id.to_string());
    let list = |targets: &[Entity]| {
        let names: Option<Vec<String>> = targets.iter().map(|target| name(*target)).collect();
        names.map(|names| names.join(" "))
    };
    let mut fields = Fields::new();
    let mut add = |field: &str, value: Option<String>| fields.insert(field.into(), value);
    if let Some(unit) = world.get::<Unit>(entity) {
        add("UnitShadow.health", Some(unit.health.to_string()));
        add("UnitShadow.name", Some(unit.name.clone()));
        add(
            "UnitShadow.target",
            unit.target.map_or(Some("none".into()), name),
        );
    }
    if let Some(crew) = world.get::<Crew>(entity) {
        add("CrewShadow.field_0", list(&crew.0));
        add("CrewShadow.field_1", Some(crew.1.to_string()));
    }
    match world.get::<Order>(entity) {
        Some(Order::Wait) => add("OrderShadow.value", Some("wait".into())),
        Some(Order::Follow(target)) => add("OrderShadow.value", name(*target)),
        Some(Order::Carry { load, to }) => add(
            "OrderShadow.value",
            name(*to).map(|to| format!("{load} to {to}")),
        ),
        None => None,
    };
    if let (Some(purse), Some(id)) = (world.get::<Purse>(entity), entities.id(entity)) {
        let gold = if sight.is_none_or(|sight| sight.owns(id)) {
            purse.0
        } else {
            0
        };
        add("PurseShadow.field_0", Some(gold.to_string()));
    }
    if world.get::<Flag>(entity).is_some() {
        add("FlagShadow", Some("set".into()));
    }
    fields
}

/// Replicated entities by their objects: parent and fields.
type Picture = BTreeMap<NetId, (Option<NetId>, Fields)>;

fn picture(world: &World, sight: Option<&Sight<'_>>) -> Picture {
    let entities = world.resource::<NetEntities>();
    let sees = |id: &NetId| sight.is_none_or(|sight| sight.sees(*id));
    let entry = |(id, entity): (NetId, Entity)| {
        let parent = world.get::<ChildOf>(entity).map(ChildOf::parent);
        let parent = parent.and_then(|parent| entities.id(parent)).filter(sees);
        (id, (parent, fields(world, entity, sight)))
    };
    entities
        .iter()
        .filter(|(id, _)| sees(id))
        .map(entry)
        .collect()
}

/// A game that does one random thing after another.
struct Game {
    server: App,
    listener: Connector,
    clients: Vec<App>,
    with_bundles: bool,
    /// Whether entities have owners and are hidden.
    shares: bool,
    random: Random,
    entities: Vec<Entity>,
}

type Connector = Box<dyn Fn() -> MemoryLink>;

impl Game {
    fn new(seed: u64, conditions: Conditions, with_bundles: bool) -> Self {
        let listener = MemoryListener::new(conditions);
        let connector = listener.connector();
        let mut server = app();
        server.add_plugins(ServerPlugin::new(listener));
        register(&mut server, with_bundles);
        let mut game = Self {
            server,
            listener: Box::new(move || connector.link()),
            clients: Vec::new(),
            with_bundles,
            shares: seed % 4 > 1,
            random: Random::new(seed),
            entities: Vec::new(),
        };
        game.join();
        game
    }

    fn join(&mut self) {
        let mut client = app();
        client.add_plugins(ClientPlugin::new((self.listener)()));
        register(&mut client, self.with_bundles);
        self.clients.push(client);
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random
            .below(bound.try_into().unwrap())
            .try_into()
            .unwrap()
    }

    fn some(&mut self) -> Entity {
        let index = self.below(self.entities.len());
        self.entities[index]
    }

    fn unit(&mut self) -> Unit {
        let target = if self.below(3) == 0 {
            None
        } else {
            Some(self.some())
        };
        Unit {
            health: self.random.below(4),
            name: "x".repeat(self.below(4)),
            target,
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
        let entity = self.server.world_mut().spawn_empty().id();
        self.entities.push(entity);
        for _ in 0..3 {
            self.insert(entity);
        }
        if self.below(8) > 0 {
            self.server
                .world_mut()
                .entity_mut(entity)
                .insert(Replicated);
        }
    }

    fn insert(&mut self, entity: Entity) {
        match self.below(4) {
            0 => {
                let unit = self.unit();
                self.server.world_mut().entity_mut(entity).insert(unit);
            }
            1 => {
                let crew = self.crew();
                self.server.world_mut().entity_mut(entity).insert(crew);
            }
            2 => {
                let order = self.order();
                self.server
                    .world_mut()
                    .commands()
                    .entity(entity)
                    .insert(order);
                self.server.world_mut().flush();
            }
            _ => {
                self.server.world_mut().entity_mut(entity).insert(Flag);
            }
        }
    }

    fn remove(&mut self, entity: Entity) {
        let choice = self.below(4);
        let mut entity = self.server.world_mut().entity_mut(entity);
        match choice {
            0 => entity.remove::<Unit>(),
            1 => entity.remove::<Crew>(),
            2 => entity.remove::<Order>(),
            _ => entity.remove::<Flag>(),
        };
    }

    fn write(&mut self, entity: Entity) {
        let (unit, crew, order) = (self.unit(), self.crew(), self.order());
        let choice = self.below(6);
        let mut entity = self.server.world_mut().entity_mut(entity);
        if let Some(mut own) = entity.get_mut::<Unit>() {
            match choice {
                0 => own.health = unit.health,
                1 => own.name = unit.name,
                2 => own.target = unit.target,
                3 => *own = unit,
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
    }

    fn exchange(&mut self, a: Entity, b: Entity) {
        let choice = self.below(3);
        let world = self.server.world_mut();
        if choice == 0 {
            let mut units = world.query::<&mut Unit>();
            if let Ok([mut a, mut b]) = units.get_many_mut(world, [a, b]) {
                mem::swap(&mut *a, &mut *b);
            }
        } else if let Some(taken) = world.entity_mut(a).take::<Unit>() {
            let to = if choice == 1 { a } else { b };
            world.entity_mut(to).insert(taken);
        }
    }

    fn attach(&mut self, child: Entity, parent: Entity) {
        let remove = self.below(3) == 0;
        let world = self.server.world_mut();
        let mut above = Some(parent);
        while let Some(entity) = above {
            if entity == child {
                return;
            }
            above = world.get::<ChildOf>(entity).map(ChildOf::parent);
        }
        if remove {
            world.entity_mut(child).remove::<ChildOf>();
        } else {
            world.entity_mut(parent).add_child(child);
        }
    }

    /// Shows or hides an entity, or gives it an owner.
    fn share(&mut self, entity: Entity) {
        let (choice, gold) = (self.below(5), self.random.below(9));
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
            _ => {
                world.entity_mut(entity).insert(Purse(gold));
            }
        }
    }

    /// Does one thing.
    fn act(&mut self) {
        if self.entities.len() < 3 {
            return self.spawn();
        }
        let (a, b) = (self.some(), self.some());
        match self.below(if self.shares { 25 } else { 20 }) {
            0 | 1 => self.spawn(),
            2 => {
                self.server.world_mut().despawn(a);
                let world = self.server.world();
                self.entities
                    .retain(|entity| world.get_entity(*entity).is_ok());
            }
            3..6 => self.insert(a),
            6 | 7 => self.remove(a),
            8..14 => self.write(a),
            14 => self.exchange(a, b),
            15 => {
                let twin = self.server.world_mut().entity_mut(a).clone_and_spawn();
                self.entities.push(twin);
            }
            16 | 17 => self.attach(a, b),
            20.. => self.share(a),
            _ => {
                let mut entity = self.server.world_mut().entity_mut(a);
                if entity.contains::<Replicated>() {
                    entity.remove::<Replicated>();
                } else {
                    entity.insert(Replicated);
                }
            }
        }
    }

    fn step(&mut self) {
        self.server.update();
        for client in &mut self.clients {
            client.update();
        }
    }

    /// Asserts that the clients have the entities of the server, and no others.
    fn compare(&mut self, step: usize) {
        let world = self.server.world();
        let server = world.resource::<Server>();
        let connections = self.clients.iter_mut().zip(server.connections());
        for (client, connection) in connections {
            let server = picture(world, Some(&Sight { server, connection }));
            let mut remote = client.world_mut().query_filtered::<(), With<Remote>>();
            assert_eq!(
                remote.iter(client.world()).count(),
                server.len(),
                "step {step}"
            );
            let view = picture(client.world(), None);
            assert!(server.keys().eq(view.keys()), "step {step}");
            for (id, (parent, own)) in &server {
                let (shown_parent, shown) = &view[id];
                assert_eq!(parent, shown_parent, "parent of {id}, step {step}");
                assert!(
                    own.keys().eq(shown.keys()),
                    "{id}, step {step}: {own:?}, {shown:?}"
                );
                for (field, value) in own.iter().filter(|(_, value)| value.is_some()) {
                    assert_eq!(value, &shown[field], "{field} of {id}, step {step}");
                }
            }
        }
    }
}

fn count() -> u64 {
    let count = std::env::var("RANDOM_WORLDS").ok();
    count.and_then(|count| count.parse().ok()).unwrap_or(12)
}

#[test]
fn clients_have_the_entities_of_the_server() {
    for seed in 0..count() {
        let mut game = Game::new(seed, Conditions::default(), seed % 2 == 1);
        for step in 0..150 {
            for _ in 0..game.below(6) {
                game.act();
            }
            game.step();
            if step == 60 {
                game.join();
            }
            if step % 30 == 29 {
                (0..8).for_each(|_| game.step());
                game.compare(step);
            }
        }
    }
}

#[test]
fn clients_behind_losses_have_the_entities_of_the_server() {
    for seed in 0..count() {
        let conditions = Conditions {
            delay: Duration::from_millis(40),
            jitter: Duration::from_millis(20),
            loss: 0.1,
            duplicate: 0.02,
            reorder: 0.05,
            seed,
            ..Conditions::default()
        };
        let mut game = Game::new(seed, conditions, seed % 2 == 1);
        for step in 0..150 {
            for _ in 0..game.below(6) {
                game.act();
            }
            game.step();
            if step == 60 {
                game.join();
            }
            if step % 75 == 74 {
                (0..240).for_each(|_| game.step());
                game.compare(step);
            }
        }
    }
}

/// Returns the fields that an exact comparison of two pictures sends; `None` where the ends may differ.
fn difference(before: &Picture, after: &Picture) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut sent, mut unsure) = (BTreeSet::new(), BTreeSet::new());
    for (id, (_, now)) in after {
        let Some((_, former)) = before.get(id) else {
            continue;
        };
        let behaviour = |field: &String| field.split('.').next().unwrap().to_owned();
        let had: BTreeSet<String> = former.keys().map(behaviour).collect();
        let has: BTreeSet<String> = now.keys().map(behaviour).collect();
        for changed in had.symmetric_difference(&has) {
            sent.insert(format!("{id} {changed}.present"));
        }
        for (field, value) in now.iter().filter(|(field, _)| field.contains('.')) {
            let place = format!("{id} {field}");
            let Some(before) = former.get(field) else {
                sent.insert(place);
                continue;
            };
            match (before, value) {
                (Some(before), Some(now)) if before == now => {}
                (Some(_), Some(_)) => drop(sent.insert(place)),
                _ => drop(unsure.insert(place)),
            }
        }
    }
    (sent, unsure)
}

#[test]
fn the_changed_fields_travel_once() {
    for seed in 100..100 + count() {
        let mut game = Game::new(seed, Conditions::default(), false);
        game.shares = false;
        (0..10).for_each(|_| game.step());
        let mut reader: EventReader = game.clients[0]
            .world_mut()
            .resource_mut::<Client>()
            .event_reader();
        let mut before = picture(game.server.world(), None);
        for step in 0..150 {
            for _ in 0..game.below(4) {
                game.act();
            }
            game.step();
            let after = picture(game.server.world(), None);
            let (sent, unsure) = difference(&before, &after);
            let client = game.clients[0].world().resource::<Client>();
            let mut received = Vec::new();
            for event in client.read_events(&mut reader) {
                if let ClientEvent::Changed { object, fields, .. } = event {
                    let behaviour = fields.behaviour();
                    let behaviour = behaviour
                        .trim_start_matches("Optional<")
                        .trim_end_matches('>');
                    received.extend(
                        fields
                            .names()
                            .map(|name| format!("{object} {behaviour}.{name}")),
                    );
                }
            }
            let count = received.len();
            let received: BTreeSet<String> = received.into_iter().collect();
            assert_eq!(received.len(), count, "twice in step {step} of {seed}");
            let known = |set: &BTreeSet<String>| set - &unsure;
            assert_eq!(known(&received), known(&sent), "step {step} of {seed}");
            before = after;
        }
    }
}
