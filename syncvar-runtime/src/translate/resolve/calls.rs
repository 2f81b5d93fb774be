//! Remote calls by name.

use super::{Resolver, Traffic};
use crate::schema::{CallKind, CallSchema, SchemaBehaviour, SchemaCall, SchemaPrefab};
use crate::translate::change::{SchemaEffect, SchemaPlace};
use crate::translate::conversion::{MembersConversion, Step, find};

/// Plan of a remote call, from the build of its sender to the build of its receiver.
#[derive(Clone, Debug)]
pub struct CallPlan {
    /// Number of the call on the receiver's object.
    pub number: u64,
    /// UNet's hash of the call in the build of the sender.
    pub from_hash: u32,
    /// UNet's hash of the call in the build of the receiver.
    pub hash: u32,
    /// Conversion of the arguments.
    pub arguments: MembersConversion,
    /// Set if the bytes of the call are equal in both builds.
    is_direct: bool,
}

/// Call on an object, with its behaviour.
struct Numbered<'a> {
    number: u64,
    behaviour: usize,
    class: &'a str,
    call: &'a SchemaCall,
}

impl Numbered<'_> {
    fn hash(&self) -> u32 {
        CallSchema::hash_of(self.class, self.call.kind, &self.call.unity_name)
    }
}

/// Returns the calls of an object, in the order of their numbers.
fn calls_of(prefab: &SchemaPrefab) -> Vec<Numbered<'_>> {
    let behaviours = prefab.behaviours.iter().enumerate();
    let calls = behaviours.flat_map(|(behaviour, it): (usize, &SchemaBehaviour)| {
        let classes = it.classes.iter();
        classes.flat_map(move |class| class.calls.iter().map(move |call| (behaviour, class, call)))
    });
    (0..)
        .zip(calls)
        .map(|(number, (behaviour, class, call))| Numbered {
            number,
            behaviour,
            class: &class.name,
            call,
        })
        .collect()
}

/// Plans of the calls of an object.
#[derive(Debug, Default)]
pub(super) struct CallPlans {
    /// Calls to the client, by their numbers on the server; `None` for a command.
    pub(super) received: Vec<Option<CallPlan>>,
    /// Commands, by their numbers on the client; `None` for another call.
    pub(super) sent: Vec<Option<CallPlan>>,
    /// Set if both builds have the same calls with the same bytes.
    pub(super) are_direct: bool,
}

impl Resolver<'_> {
    /// Plans the calls to the client, and the commands to the server. `targets`: positions of the client's behaviours by those
    /// of the server.
    pub(super) fn calls(
        &mut self,
        place: &SchemaPlace,
        server: &SchemaPrefab,
        client: &SchemaPrefab,
        targets: &[Option<usize>],
    ) -> CallPlans {
        let (server_calls, client_calls) = (calls_of(server), calls_of(client));
        let to_client = |at: usize| targets.get(at).copied().flatten();
        let to_server = |at: usize| targets.iter().position(|target| *target == Some(at));
        let mut received = Vec::new();
        for call in &server_calls {
            let is_sent = call.call.kind == CallKind::Command;
            let partner = to_client(call.behaviour);
            received.push(match partner {
                Some(behaviour) if !is_sent => {
                    self.call(place, server, call, behaviour, &client_calls)
                }
                _ => None,
            });
        }
        let mut sent = Vec::new();
        for call in &client_calls {
            let is_sent =
                call.call.kind == CallKind::Command && self.traffic == Traffic::Connection;
            let partner = to_server(call.behaviour);
            sent.push(match partner {
                Some(behaviour) if is_sent => {
                    self.call(place, client, call, behaviour, &server_calls)
                }
                _ => None,
            });
        }
        let is_direct = |plans: &[Option<CallPlan>], calls: &[Numbered<'_>], commands: bool| {
            let mut pairs = plans.iter().zip(calls);
            pairs.all(|(plan, call)| {
                let is_here = (call.call.kind == CallKind::Command) == commands;
                !is_here || plan.as_ref().is_some_and(|plan| plan.is_direct)
            })
        };
        CallPlans {
            are_direct: server_calls.len() == client_calls.len()
                && is_direct(&received, &server_calls, false)
                && (self.traffic == Traffic::Recording || is_direct(&sent, &client_calls, true)),
            received,
            sent,
        }
    }

    /// Plans a call of a sender to a behaviour of the receiver.
    fn call(
        &mut self,
        place: &SchemaPlace,
        sender: &SchemaPrefab,
        call: &Numbered<'_>,
        behaviour: usize,
        receiver: &[Numbered<'_>],
    ) -> Option<CallPlan> {
        let name = sender
            .behaviours
            .get(call.behaviour)
            .map(|it| it.names.name.clone());
        let place = SchemaPlace {
            behaviour: name,
            call: Some(call.call.names.name.clone()),
            ..place.clone()
        };
        let Some(partner) = partner_of(sender, call, behaviour, receiver) else {
            let is_command = call.call.kind == CallKind::Command;
            let effect = if is_command {
                SchemaEffect::Missing
            } else {
                SchemaEffect::Extra
            };
            self.add(&place, effect);
            return None;
        };
        if kind_on_wire(call.call.kind) != kind_on_wire(partner.call.kind) {
            let (from, to) = (call.call.kind, partner.call.kind);
            let reason = format!("a `{from}` cannot become a `{to}`");
            self.add(&place, SchemaEffect::Refused(reason));
            return None;
        }
        self.compare_names(&place, &call.call.names, &partner.call.names);
        let (from, to) = (&call.call.arguments, &partner.call.arguments);
        let arguments = match self.types().members(from, to, None) {
            Ok(arguments) => arguments,
            Err(refusal) => {
                self.add(&place, SchemaEffect::Refused(refusal.to_string()));
                return None;
            }
        };
        let is_same = |step: &Step| matches!(step, Step::Take(_, it) if it.is_copy());
        let is_same = arguments.permuted.is_none() && arguments.steps.iter().all(is_same);
        if !is_same {
            self.add(&place, converted(call.call, partner.call));
        }
        let number = partner.number;
        Some(CallPlan {
            is_direct: is_same && call.number == number && call.hash() == partner.hash(),
            number,
            from_hash: call.hash(),
            hash: partner.hash(),
            arguments,
        })
    }
}

/// Returns the call of a behaviour of the receiver that a call of the sender is.
fn partner_of<'a>(
    sender: &SchemaPrefab,
    call: &Numbered<'_>,
    behaviour: usize,
    receiver: &'a [Numbered<'a>],
) -> Option<&'a Numbered<'a>> {
    let own = sender.behaviours.get(call.behaviour).into_iter();
    let own = own.flat_map(|it| it.calls().map(|call| &call.names));
    let mut partners = receiver.iter().filter(|it| it.behaviour == behaviour);
    let names = partners.clone().map(|it| &it.call.names);
    let found = find(&call.call.names, names, own)?;
    partners.nth(found)
}

/// Describes a call whose arguments are converted.
fn converted(sender: &SchemaCall, receiver: &SchemaCall) -> SchemaEffect {
    let (sender_text, receiver_text) = (sender.to_string(), receiver.to_string());
    let (server, client) = if sender.kind == CallKind::Command {
        (receiver_text, sender_text)
    } else {
        (sender_text, receiver_text)
    };
    SchemaEffect::Converted { server, client }
}

/// Returns the kind of the message that carries a call: commands, calls and events.
const fn kind_on_wire(kind: CallKind) -> u8 {
    match kind {
        CallKind::Command => 0,
        CallKind::ClientRpc | CallKind::TargetRpc => 1,
        CallKind::SyncEvent => 2,
    }
}
