//! Messages of the program by name.

use super::{MessagePlan, Resolver, Scope};
use crate::schema::{Schema, SchemaMessage, SchemaType};
use crate::translate::change::{SchemaEffect, SchemaPlace};
use crate::translate::conversion::{Conversion, find};
use crate::translate::layout::{Layout, Measures};

/// Name of the message with the inputs of clients.
const INPUT: &str = "input";

impl Resolver<'_> {
    /// Plans the messages to the client, and the messages to the server.
    pub(super) fn messages(&mut self) -> (Vec<MessagePlan>, Vec<MessagePlan>) {
        let (server, client) = (self.server, self.client);
        let mut received = Vec::new();
        for message in &server.messages {
            let place = place(message);
            let own = client.messages.iter().map(|it| &it.names);
            let theirs = server.messages.iter().map(|it| &it.names);
            let at = find(&message.names, own, theirs);
            let found = at.and_then(|at| client.messages.get(at));
            let Some(own) = found else {
                self.add(&place, SchemaEffect::Extra);
                received.push(skipped(message));
                continue;
            };
            if own.names.name != message.names.name {
                self.add(&place, SchemaEffect::Renamed(own.names.name.clone()));
            }
            if !super::behaviours::is_equal(&message.value, &own.value) {
                let (server, client) = (message.value.to_string(), own.value.to_string());
                self.add(&place, SchemaEffect::Converted { server, client });
            }
            if message.names.name == INPUT {
                continue;
            }
            received.extend(self.message(&place, message, own, &own.names.name));
        }
        let mut sent = Vec::new();
        for message in &client.messages {
            let place = place(message);
            let theirs = server.messages.iter().map(|it| &it.names);
            let own = client.messages.iter().map(|it| &it.names);
            let at = find(&message.names, theirs, own);
            let found = at.and_then(|at| server.messages.get(at));
            let Some(partner) = found else {
                self.add(&place, SchemaEffect::Missing);
                sent.push(skipped(message));
                continue;
            };
            if self.scope == Scope::Connection {
                let name = &message.names.name;
                sent.extend(self.message(&place, message, partner, name));
            }
        }
        (received, sent)
    }

    fn message(
        &mut self,
        place: &SchemaPlace,
        from: &SchemaMessage,
        to: &SchemaMessage,
        name: &str,
    ) -> Option<MessagePlan> {
        match self.values().convert(&from.value, &to.value, None) {
            Ok(value) => Some(MessagePlan {
                from: from.number,
                to: Some(to.number),
                value,
                name: name.into(),
            }),
            Err(refusal) => {
                self.add(place, SchemaEffect::Refused(refusal.to_string()));
                None
            }
        }
    }
}

fn place(message: &SchemaMessage) -> SchemaPlace {
    SchemaPlace {
        message: Some(message.names.name.clone()),
        ..SchemaPlace::default()
    }
}

/// Plans a message that its receiver lacks.
fn skipped(message: &SchemaMessage) -> MessagePlan {
    MessagePlan {
        from: message.number,
        to: None,
        value: Conversion::Copy(Layout::Raw(0)),
        name: message.names.name.clone(),
    }
}

impl Schema {
    /// Returns measures for the types that the program of the schema can measure. They measure nothing: a comparison of
    /// two texts has no bytes.
    pub(super) fn measured_types(&self) -> Measures {
        let mut measures = Measures::default();
        self.each_type(&mut |of| {
            if let SchemaType::Measured(of) = of {
                measures.insert(of.to_string(), |_, _| None);
            }
        });
        measures
    }

    /// Returns whether a type of a name occurs in a field, a call or a message.
    pub(super) fn mentions(&self, name: &str) -> bool {
        let mut found = false;
        self.each_type(&mut |of| found |= matches!(of, SchemaType::Named(it) if it == name));
        found
    }

    /// Calls a function with each type, and with the types inside.
    fn each_type(&self, action: &mut dyn FnMut(&SchemaType)) {
        let behaviours = self.prefabs.iter().flat_map(|prefab| &prefab.behaviours);
        for behaviour in behaviours {
            let arguments = behaviour.calls().flat_map(|call| &call.arguments);
            behaviour
                .fields()
                .for_each(|field| each_within(&field.value, action));
            arguments.for_each(|argument| each_within(&argument.value, action));
        }
        for message in &self.messages {
            each_within(&message.value, action);
        }
    }
}

/// Calls a function with a type and with the types inside.
fn each_within(of: &SchemaType, action: &mut dyn FnMut(&SchemaType)) {
    action(of);
    match of {
        SchemaType::Named(_) => {}
        SchemaType::Struct { members, .. } => {
            for member in members {
                each_within(&member.value, action);
            }
        }
        SchemaType::Enum { variants, .. } => {
            let members = variants.iter().flat_map(|variant| &variant.members);
            members.for_each(|member| each_within(&member.value, action));
        }
        SchemaType::Sequence(part)
        | SchemaType::Array(part, _)
        | SchemaType::Optional(part)
        | SchemaType::Set(part)
        | SchemaType::Measured(part)
        | SchemaType::Encoded { value: part, .. } => each_within(part, action),
        SchemaType::Map(key, value) => {
            each_within(key, action);
            each_within(value, action);
        }
        SchemaType::Collection { parts, .. } => {
            for part in parts {
                each_within(part, action);
            }
        }
    }
}
