//! What an end has: entities by their objects, as text.

use std::collections::{BTreeMap, BTreeSet};

use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;

use super::components::*;

/// Fields of an entity by `behaviour.field`, as text. Entities are objects there; `None` is a value about which the ends may
/// differ, such as a reference to an entity without an object.
pub(super) type Fields = BTreeMap<String, Option<String>>;

/// What a client sees of a server; everything for a client itself.
pub(super) struct Sight<'a> {
    pub(super) server: &'a Server,
    pub(super) connection: ConnectionId,
}

impl Sight<'_> {
    fn sees(&self, id: NetId) -> bool {
        self.server.is_visible(id, self.connection)
    }

    fn owns(&self, id: NetId) -> bool {
        self.server.owner(id) == Some(self.connection)
    }
}

/// Reads the fields of an end.
struct Reader<'a> {
    world: &'a World,
    entities: &'a NetEntities,
    sight: Option<&'a Sight<'a>>,
    fields: Fields,
}

impl Reader<'_> {
    fn sees(&self, id: NetId) -> bool {
        self.sight.is_none_or(|sight| sight.sees(id))
    }

    fn name(&self, target: Entity) -> Option<String> {
        let id = self.entities.id(target).filter(|id| self.sees(*id));
        id.map(|id| id.to_string())
    }

    fn add(&mut self, field: &str, value: Option<String>) {
        self.fields.insert(field.into(), value);
    }

    fn add_values(&mut self, entity: Entity) {
        if let Some(unit) = self.world.get::<Unit>(entity) {
            self.add("UnitShadow.health", Some(unit.health.to_string()));
            self.add("UnitShadow.name", Some(unit.name.clone()));
            let target = unit.target.map_or(Some("none".into()), |it| self.name(it));
            self.add("UnitShadow.target", target);
        }
        if let Some(crew) = self.world.get::<Crew>(entity) {
            let names: Option<Vec<String>> = crew.0.iter().map(|it| self.name(*it)).collect();
            self.add("CrewShadow.field_0", names.map(|names| names.join(" ")));
            self.add("CrewShadow.field_1", Some(crew.1.to_string()));
        }
        let order = self.world.get::<Order>(entity);
        if let Some(order) = order {
            let text = match order {
                Order::Wait => Some("wait".into()),
                Order::Follow(target) => self.name(*target),
                Order::Carry { load, to } => self.name(*to).map(|to| format!("{load} to {to}")),
            };
            self.add("OrderShadow.value", text);
        }
        if let Some(deck) = self.world.get::<Deck>(entity) {
            self.add("Deck.cards", Some(format!("{:?}", deck.cards)));
            self.add("Deck.top", Some(deck.top.to_string()));
        }
        if let Some(rank) = self.world.get::<Rank>(entity) {
            self.add("RankShadow.field_0", Some(rank.0.to_string()));
        }
        if self.world.get::<Flag>(entity).is_some() {
            self.add("FlagShadow", Some("set".into()));
        }
    }

    fn add_rules(&mut self, entity: Entity) {
        let is_server = self.world.contains_resource::<Server>();
        let sends = !is_server || self.world.get::<Open>(entity).is_some();
        if let Some(loot) = self.world.get::<Loot>(entity).filter(|_| sends) {
            self.add("LootShadow.field_0", Some(loot.0.to_string()));
        }
        if let (Some(purse), Some(id)) = (self.world.get::<Purse>(entity), self.entities.id(entity))
        {
            let reads = self.sight.is_none_or(|sight| sight.owns(id));
            let gold = if reads { purse.0 } else { 0 };
            self.add("PurseShadow.field_0", Some(gold.to_string()));
        }
        let rides = self.world.get::<Rides>(entity).map(|it| it.0);
        let part_of = self.world.get::<PartOf>(entity).map(|it| it.0);
        for (field, target) in [
            ("RidesShadow.field_0", rides),
            ("PartOfShadow.field_0", part_of),
        ] {
            if let Some(target) = target {
                let name = self.name(target);
                // A client has no relationship with an entity that it does not see.
                if self.sight.is_none() || name.is_some() {
                    self.add(field, name);
                }
            }
        }
    }
}

fn fields(world: &World, entity: Entity, sight: Option<&Sight<'_>>) -> Fields {
    let mut reader = Reader {
        world,
        entities: world.resource::<NetEntities>(),
        sight,
        fields: Fields::new(),
    };
    reader.add_values(entity);
    reader.add_rules(entity);
    reader.fields
}

/// Returns the resource of an end, and the object to which it refers; `None` where the ends may differ.
pub(super) fn weather(world: &World, sight: Option<&Sight<'_>>) -> Option<(u32, Option<String>)> {
    let reader = Reader {
        world,
        entities: world.resource::<NetEntities>(),
        sight,
        fields: Fields::new(),
    };
    let weather = world.get_resource::<Weather>()?;
    let over = weather
        .over
        .map_or(Some("none".into()), |it| reader.name(it));
    Some((weather.wind, over))
}

/// Replicated entities by their objects: parent and fields.
pub(super) type Picture = BTreeMap<NetId, (Option<NetId>, Fields)>;

pub(super) fn picture(world: &World, sight: Option<&Sight<'_>>) -> Picture {
    let entities = world.resource::<NetEntities>();
    let is_filtered = world.contains_resource::<Server>() && world.contains_resource::<HasFilter>();
    let sees = |id: &NetId| sight.is_none_or(|sight| sight.sees(*id));
    let entry = |(id, entity): (NetId, Entity)| {
        let sends = !is_filtered || world.get::<Loose>(entity).is_none();
        let parent = world.get::<ChildOf>(entity).filter(|_| sends);
        let parent = parent.and_then(|parent| entities.id(parent.parent()));
        (id, (parent.filter(sees), fields(world, entity, sight)))
    };
    entities
        .iter()
        .filter(|(id, _)| sees(id))
        .map(entry)
        .collect()
}

/// Returns the fields that an exact comparison of two pictures sends, and those where the ends may differ.
pub(super) fn difference(before: &Picture, after: &Picture) -> [BTreeSet<String>; 2] {
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
    [sent, unsure]
}
