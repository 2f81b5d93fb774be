//! `Resolution`: the agreement of a client with a server of another build.
//!
//! Prefabs, behaviours, fields, calls and messages are matched by their names, present and former. For each pair the
//! resolution has a plan in both directions, or a reason why the two builds cannot play together; it lists all
//! reasons, not the first alone.

mod behaviours;
mod calls;
mod compare;
mod messages;

pub use calls::CallPlan;
pub use compare::SchemaComparison;

use super::behaviour::{BehaviourPlan, Rules};
use super::change::{SchemaChange, SchemaEffect, SchemaPlace};
use std::cell::Cell;

use super::conversion::{Conversion, MAX_INSERTED, Types, find};
use super::layout::Measures;
use crate::schema::{Names, Schema, SchemaPrefab, SchemaType};
use crate::value::Value;

/// Part of the traffic between the two builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// A connection: traffic in both directions.
    Connection,
    /// A recording: traffic of the server alone.
    Recording,
}

/// Sources of a client beyond its schema.
pub trait Sources {
    /// Measures of the types without a layout.
    fn measures(&self) -> &Measures;

    /// Returns the value of a field in a new object of a prefab, by the positions in the schema.
    fn present(&self, prefab: usize, behaviour: usize, field: usize) -> Option<Value>;
}

/// Plans and differences between a server and a client.
#[derive(Clone, Debug, Default)]
pub struct Resolution {
    /// Differences of the schemas.
    pub changes: Vec<SchemaChange>,
    /// Plans of the server's prefabs, in the order of names.
    pub prefabs: Vec<PrefabPlan>,
    /// Messages of the server, in the order of names.
    pub received: Vec<MessagePlan>,
    /// Messages of the client, in the order of names.
    pub sent: Vec<MessagePlan>,
}

/// Plan of a prefab of the server.
#[derive(Clone, Debug, Default)]
pub struct PrefabPlan {
    /// Position of the prefab among the prefabs of the client, in the order of names; `None` if the client lacks it.
    pub target: Option<usize>,
    /// Set if the bytes of all objects are equal in both builds.
    pub is_direct: bool,
    /// Plans of the server's behaviours, in order.
    pub behaviours: Vec<SlotPlan>,
    /// Calls of the server to the client, by their numbers on the server; `None` for a command, and if the client lacks it.
    pub received: Vec<Option<CallPlan>>,
    /// Commands of the client, by their numbers on the client; `None` for another call, and if the server lacks it.
    pub sent: Vec<Option<CallPlan>>,
}

/// Plan of a behaviour of the server.
#[derive(Clone, Debug)]
pub struct SlotPlan {
    /// Position of the behaviour on the client's object; `None` if the client lacks it.
    pub target: Option<usize>,
    /// Channel on the server.
    pub channel: u8,
    /// Rules of the server for the fields of the client.
    pub rules: Rules,
    /// Set if channel or rules differ from those of the client.
    pub has_rules: bool,
    /// Set if data of the server follows the snapshots.
    pub has_data: bool,
    /// Set if the behaviour is optional on the client: its snapshots are read as deltas.
    pub is_optional: bool,
    /// State of the server; `None` if its bytes are equal in both builds.
    pub state: Option<BehaviourPlan>,
    /// Writes of an owner; `None` if their bytes are equal in both builds.
    pub writes: Option<BehaviourPlan>,
}

/// Plan of a message of the program.
#[derive(Clone, Debug)]
pub struct MessagePlan {
    /// Number in the build of the sender.
    pub from: i16,
    /// Number in the build of the receiver; `None` if the receiver lacks it.
    pub to: Option<i16>,
    /// Conversion of the value.
    pub value: Conversion,
    /// Name of the message in the build of the client, or of the server if the client lacks it.
    pub name: String,
}

/// Resolution in progress.
struct Resolver<'a> {
    server: &'a Schema,
    client: &'a Schema,
    sources: &'a dyn Sources,
    traffic: Traffic,
    changes: Vec<SchemaChange>,
    inserted: Cell<usize>,
}

impl Resolution {
    /// Resolves the schemas of a server and a client.
    ///
    /// # Errors
    ///
    /// With all differences, where one of them is refused.
    pub fn new(
        server: &Schema,
        client: &Schema,
        sources: &dyn Sources,
        traffic: Traffic,
    ) -> Result<Self, Vec<SchemaChange>> {
        let mut resolver = Resolver {
            server,
            client,
            sources,
            traffic,
            changes: Vec::new(),
            inserted: Cell::new(MAX_INSERTED),
        };
        let (received, sent) = resolver.messages();
        let prefabs = resolver.prefabs();
        if resolver.changes.iter().any(SchemaChange::is_refused) {
            return Err(resolver.changes);
        }
        Ok(Self {
            changes: resolver.changes,
            prefabs,
            received,
            sent,
        })
    }

    /// Returns the plan of the prefab of the client at a position in the order of names.
    pub fn plan_of(&self, client: usize) -> Option<&PrefabPlan> {
        self.prefabs.iter().find(|plan| plan.target == Some(client))
    }
}

impl Resolver<'_> {
    fn add(&mut self, place: &SchemaPlace, effect: SchemaEffect) {
        let place = place.clone();
        self.changes.push(SchemaChange { place, effect });
    }

    /// Adds the present name of the second build, if it differs.
    fn compare_names(&mut self, place: &SchemaPlace, first: &Names, second: &Names) {
        if first.name != second.name {
            self.add(place, SchemaEffect::Renamed(second.name.clone()));
        }
    }

    /// Adds the types of a server and a client, if they differ.
    fn compare_types(&mut self, place: &SchemaPlace, server: &SchemaType, client: &SchemaType) {
        let (server, client) = (server.to_string(), client.to_string());
        if server != client {
            self.add(place, SchemaEffect::Converted { server, client });
        }
    }

    /// Builder of conversions.
    fn types(&self) -> Types<'_> {
        Types {
            measures: self.sources.measures(),
            inserted: &self.inserted,
        }
    }

    fn prefabs(&mut self) -> Vec<PrefabPlan> {
        let (server, client) = (self.server, self.client);
        let mut taken = vec![false; client.prefabs.len()];
        let mut plans = Vec::new();
        for prefab in &server.prefabs {
            let own = client.prefabs.iter().map(|it| &it.names);
            let at = find(
                &prefab.names,
                own,
                server.prefabs.iter().map(|it| &it.names),
            );
            let place = place_of(prefab);
            let found = at.and_then(|at| Some((at, client.prefabs.get(at)?, taken.get_mut(at)?)));
            let Some((at, own, taken)) = found.filter(|(_, _, taken)| !**taken) else {
                self.add(&place, SchemaEffect::Extra);
                plans.push(PrefabPlan::default());
                continue;
            };
            *taken = true;
            self.compare_names(&place, &prefab.names, &own.names);
            plans.push(self.prefab(&place, prefab, at, own));
        }
        for (prefab, taken) in client.prefabs.iter().zip(taken) {
            if !taken {
                self.add(&place_of(prefab), SchemaEffect::Missing);
            }
        }
        plans
    }

    fn prefab(
        &mut self,
        place: &SchemaPlace,
        server: &SchemaPrefab,
        at: usize,
        client: &SchemaPrefab,
    ) -> PrefabPlan {
        let targets = behaviours::match_behaviours(server, client);
        let mut behaviours = Vec::new();
        for (behaviour, target) in server.behaviours.iter().zip(&targets) {
            let place = SchemaPlace {
                behaviour: Some(behaviour.names.name.clone()),
                ..place.clone()
            };
            behaviours.push(self.behaviour(&place, behaviour, at, *target));
        }
        for (index, behaviour) in client.behaviours.iter().enumerate() {
            if !targets.contains(&Some(index)) {
                let place = SchemaPlace {
                    behaviour: Some(behaviour.names.name.clone()),
                    ..place.clone()
                };
                self.add(&place, SchemaEffect::Missing);
            }
        }
        let calls = self.calls(place, server, client, &targets);
        self.check_positions(place, &targets);
        let in_place = |(index, slot): (usize, &SlotPlan)| {
            slot.target == Some(index) && slot.state.is_none() && !slot.has_rules
        };
        PrefabPlan {
            target: Some(at),
            is_direct: server.behaviours.len() == client.behaviours.len()
                && behaviours.iter().enumerate().all(in_place)
                && calls.are_direct,
            behaviours,
            received: calls.received,
            sent: calls.sent,
        }
    }
}

fn place_of(prefab: &SchemaPrefab) -> SchemaPlace {
    SchemaPlace {
        prefab: Some(prefab.names.name.clone()),
        ..SchemaPlace::default()
    }
}
