//! Behaviours by name.

use super::{Resolver, SlotPlan};
use crate::schema::{SchemaBehaviour, SchemaField, SchemaPrefab, SchemaType, Writers};
use crate::translate::behaviour::{BehaviourPlan, Classes, matches, rules};
use crate::translate::change::{SchemaEffect, SchemaPlace};
use crate::translate::conversion::{Refusal, find};

impl Resolver<'_> {
    /// Refuses references to behaviours where their positions differ: the position is on the wire, and the prefab of the
    /// object may be unknown.
    pub(super) fn check_positions(&mut self, place: &SchemaPlace, targets: &[Option<usize>]) {
        let is_moved = |(at, target): (usize, &Option<usize>)| target.is_some_and(|it| it != at);
        if targets.iter().enumerate().any(is_moved) && self.client.mentions("BehaviourRef") {
            let reason = "the positions of the behaviours differ, and a `BehaviourRef` names a behaviour by its position";
            self.add(place, SchemaEffect::Refused(reason.into()));
        }
    }

    pub(super) fn behaviour(
        &mut self,
        place: &SchemaPlace,
        server: &SchemaBehaviour,
        prefab: usize,
        target: Option<usize>,
    ) -> SlotPlan {
        let own = target.and_then(|at| self.client.prefabs.get(prefab)?.behaviours.get(at));
        let Some(own) = own else {
            self.add(place, SchemaEffect::Extra);
            return self.skipped(place, server);
        };
        if own.names.name != server.names.name {
            self.add(place, SchemaEffect::Renamed(own.names.name.clone()));
        }
        if own.is_optional != server.is_optional {
            let reason = "the behaviour is optional in one of the builds";
            self.add(place, SchemaEffect::Refused(reason.into()));
        }
        self.compare_fields(place, server, own);
        let (theirs, ours) = (rules(server, own), rules(own, own));
        let is_moved = theirs.policy != ours.policy || server.channel != own.channel;
        if is_moved || server.has_data != own.has_data {
            self.add(place, SchemaEffect::Moved);
        }
        let is_direct = self.is_direct(server, own);
        let (state, writes) = if is_direct {
            (None, None)
        } else {
            self.plans(place, server, own, prefab, target.unwrap_or_default())
        };
        SlotPlan {
            target,
            channel: server.channel,
            rules: theirs,
            has_rules: is_moved || theirs.missing != 0,
            has_data: server.has_data,
            is_optional: own.is_optional,
            state,
            writes,
        }
    }

    /// Plans a behaviour that the client lacks.
    fn skipped(&mut self, place: &SchemaPlace, server: &SchemaBehaviour) -> SlotPlan {
        let nothing = SchemaBehaviour {
            classes: Vec::new(),
            ..server.clone()
        };
        let types = self.state();
        let state = BehaviourPlan::new(server, &nothing, &types, &|_| None, &|_| false);
        SlotPlan {
            target: None,
            channel: server.channel,
            rules: rules(server, &nothing),
            has_rules: false,
            has_data: server.has_data,
            is_optional: server.is_optional,
            state: self.planned(place, server, state),
            writes: None,
        }
    }

    /// Plans the state of the server and the writes of an owner.
    fn plans(
        &mut self,
        place: &SchemaPlace,
        server: &SchemaBehaviour,
        own: &SchemaBehaviour,
        prefab: usize,
        behaviour: usize,
    ) -> (Option<BehaviourPlan>, Option<BehaviourPlan>) {
        let (types, sources) = (self.state(), self.sources);
        let present = |field| sources.present(prefab, behaviour, field);
        let state = BehaviourPlan::new(server, own, &types, &present, &|_| true);
        let state = self.planned(place, server, state);
        if self.scope == super::Scope::Recording {
            return (state, None);
        }
        let fields: Vec<_> = server.fields().collect();
        let accepts = |at: usize| {
            let field: Option<&&SchemaField> = fields.get(at);
            field.is_some_and(|it| it.writers != Writers::Server)
        };
        let writes = BehaviourPlan::new(own, server, &self.values(), &|_| None, &accepts);
        (state, self.planned(place, own, writes))
    }

    /// Takes a plan, or adds its refusals. `from`: behaviour of the writer.
    fn planned(
        &mut self,
        place: &SchemaPlace,
        from: &SchemaBehaviour,
        plan: Result<BehaviourPlan, Vec<(usize, Refusal)>>,
    ) -> Option<BehaviourPlan> {
        match plan {
            Ok(plan) => Some(plan),
            Err(refusals) => {
                for (index, refusal) in refusals {
                    let field = from.fields().nth(index);
                    let place = SchemaPlace {
                        field: field.map(|it| it.names.name.clone()),
                        ..place.clone()
                    };
                    self.add(&place, SchemaEffect::Refused(refusal.to_string()));
                }
                None
            }
        }
    }

    /// Returns whether deltas and snapshots have the same bytes, and the same rules decide about their fields.
    fn is_direct(&self, server: &SchemaBehaviour, own: &SchemaBehaviour) -> bool {
        let in_place = matches(server, own);
        let in_place = in_place
            .iter()
            .enumerate()
            .all(|(at, target)| *target == Some(at));
        let types = self.values();
        let same = |(a, b): (&SchemaField, &SchemaField)| {
            (a.readers, a.writers, a.initial_only) == (b.readers, b.writers, b.initial_only)
                && types
                    .convert(&a.value, &b.value, None)
                    .is_ok_and(|conversion| conversion.is_copy())
        };
        in_place
            && server.fields().count() == own.fields().count()
            && Classes::of(server) == Classes::of(own)
            && server.is_optional == own.is_optional
            && server.fields().zip(own.fields()).all(same)
    }

    /// Adds the differences of the fields.
    fn compare_fields(
        &mut self,
        place: &SchemaPlace,
        server: &SchemaBehaviour,
        own: &SchemaBehaviour,
    ) {
        let targets = matches(server, own);
        let at = |name: &str| SchemaPlace {
            field: Some(name.into()),
            ..place.clone()
        };
        for (index, (field, target)) in server.fields().zip(&targets).enumerate() {
            let place = at(&field.names.name);
            let Some((position, own)) = target.and_then(|at| Some((at, own.fields().nth(at)?)))
            else {
                self.add(&place, SchemaEffect::Extra);
                continue;
            };
            if own.names.name != field.names.name {
                self.add(&place, SchemaEffect::Renamed(own.names.name.clone()));
            }
            if !is_equal(&field.value, &own.value) {
                let (server, client) = (field.value.to_string(), own.value.to_string());
                self.add(&place, SchemaEffect::Converted { server, client });
            }
            let rules = |it: &SchemaField| (it.readers, it.writers, it.initial_only);
            if position != index || rules(field) != rules(own) {
                self.add(&place, SchemaEffect::Moved);
            }
        }
        for (index, field) in own.fields().enumerate() {
            if !targets.contains(&Some(index)) {
                self.add(&at(&field.names.name), SchemaEffect::Missing);
            }
        }
    }
}

/// Returns whether two types have equal texts, apart from former names.
pub(super) fn is_equal(server: &SchemaType, client: &SchemaType) -> bool {
    server.to_string() == client.to_string()
}

/// Returns for each behaviour of the server the position of the client's. Of two behaviours of one name, the first belongs to
/// the first.
pub(super) fn match_behaviours(server: &SchemaPrefab, client: &SchemaPrefab) -> Vec<Option<usize>> {
    let mut free: Vec<usize> = (0..client.behaviours.len()).collect();
    let mut targets = Vec::new();
    for behaviour in &server.behaviours {
        let names = free.iter().filter_map(|at| client.behaviours.get(*at));
        let theirs = server.behaviours.iter().map(|it| &it.names);
        let found = find(&behaviour.names, names.map(|it| &it.names), theirs);
        targets.push(found.map(|found| free.remove(found)));
    }
    targets
}
