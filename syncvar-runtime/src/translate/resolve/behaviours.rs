//! Behaviours by name.

use super::{Resolver, SlotPlan};
use crate::schema::{SchemaBehaviour, SchemaField, SchemaPrefab, SchemaType, Writers};
use crate::translate::behaviour::{BehaviourPlan, Classes, Rules, matches, rules};
use crate::translate::change::{SchemaEffect, SchemaPlace};
use crate::translate::conversion::{TypeRefusal, find};

impl Resolver<'_> {
    /// Refuses references to behaviours where their positions differ: the position is on the wire, and the prefab of the
    /// object may be unknown.
    pub(super) fn check_positions(&mut self, place: &SchemaPlace, targets: &[Option<usize>]) {
        let is_moved = |(at, target): (usize, &Option<usize>)| target.is_some_and(|it| it != at);
        let mut has_references = false;
        self.client.each_type(&mut |of| {
            has_references |= matches!(of, SchemaType::Named(name) if name == "BehaviourRef");
        });
        if has_references && targets.iter().enumerate().any(is_moved) {
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
        self.compare_names(place, &server.names, &own.names);
        if own.is_optional != server.is_optional {
            let reason = "the behaviour is optional in one of the builds";
            self.add(place, SchemaEffect::Refused(reason.into()));
        }
        let targets = matches(server, own);
        self.compare_fields(place, server, own, &targets);
        let theirs = rules(server, own, &targets);
        let is_moved = theirs.policy != *Classes::of(own).policy() || server.channel != own.channel;
        if is_moved || server.has_data != own.has_data {
            self.add(place, SchemaEffect::Moved);
        }
        let (state, writes) = if self.is_direct(server, own, &targets) {
            (None, None)
        } else {
            let position = (prefab, target.unwrap_or_default());
            self.plans(place, (server, own), &targets, position)
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
        let targets = matches(server, &nothing);
        let state = BehaviourPlan::new(server, &nothing, &targets, &self.types(), &|_| None);
        SlotPlan {
            target: None,
            channel: server.channel,
            rules: Rules::default(),
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
        (server, own): (&SchemaBehaviour, &SchemaBehaviour),
        targets: &[Option<usize>],
        (prefab, behaviour): (usize, usize),
    ) -> (Option<BehaviourPlan>, Option<BehaviourPlan>) {
        let (types, sources) = (self.types(), self.sources);
        let present = |field| sources.present(prefab, behaviour, field);
        let mut plain = own.clone();
        for field in plain.classes.iter_mut().flat_map(|it| &mut it.fields) {
            field.value = field.value.clone().plain();
        }
        let state = BehaviourPlan::new(server, &plain, targets, &types, &present);
        let state = self.planned(place, server, state);
        if self.traffic == super::Traffic::Recording {
            return (state, None);
        }
        let fields: Vec<_> = server.fields().collect();
        let accepts = |at: &usize| {
            let field: Option<&&SchemaField> = fields.get(*at);
            field.is_some_and(|it| it.writers != Writers::Server)
        };
        let targets = matches(own, server).into_iter();
        let targets: Vec<_> = targets.map(|target| target.filter(accepts)).collect();
        let writes = BehaviourPlan::new(own, server, &targets, &self.types(), &|_| None);
        (state, self.planned(place, own, writes))
    }

    /// Takes a plan, or adds its refusals. `from`: behaviour of the writer.
    fn planned(
        &mut self,
        place: &SchemaPlace,
        from: &SchemaBehaviour,
        plan: Result<BehaviourPlan, Vec<(usize, TypeRefusal)>>,
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
    fn is_direct(
        &self,
        server: &SchemaBehaviour,
        own: &SchemaBehaviour,
        targets: &[Option<usize>],
    ) -> bool {
        let mut positions = targets.iter().enumerate();
        let in_place = positions.all(|(at, target)| *target == Some(at));
        let types = self.types();
        let is_copy = |from: &SchemaField, to: &SchemaField| {
            let conversion = types.convert(&from.value, &to.value, None);
            conversion.is_ok_and(|conversion| conversion.is_copy())
        };
        let same = |(a, b): (&SchemaField, &SchemaField)| {
            (a.readers, a.writers, a.initial_only) == (b.readers, b.writers, b.initial_only)
                && is_copy(a, b)
                // A long text of the owner does not fit a `FixedString` of the server, though each such text is one of the client.
                && (a.writers == Writers::Server || is_copy(b, a))
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
        targets: &[Option<usize>],
    ) {
        let at = |name: &str| SchemaPlace {
            field: Some(name.into()),
            ..place.clone()
        };
        for (index, (field, target)) in server.fields().zip(targets).enumerate() {
            let place = at(&field.names.name);
            let Some((position, own)) = target.and_then(|at| Some((at, own.fields().nth(at)?)))
            else {
                self.add(&place, SchemaEffect::Extra);
                continue;
            };
            self.compare_names(&place, &field.names, &own.names);
            self.compare_types(&place, &field.value, &own.value);
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
