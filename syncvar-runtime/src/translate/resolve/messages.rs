//! Messages of the program by name.

use super::{MessagePlan, Resolver, Traffic};
use crate::schema::SchemaMessage;
use crate::translate::change::{SchemaEffect, SchemaPlace};
use crate::translate::conversion::{Conversion, find};
use crate::translate::layout::Layout;

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
            self.compare_names(&place, &message.names, &own.names);
            self.compare_types(&place, &message.value, &own.value);
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
            if self.traffic == Traffic::Connection {
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
        match self.types().convert(&from.value, &to.value, None) {
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
