//! Values that the server has taken over: connections, writes, commands and inputs of the clients.

use std::collections::BTreeSet;

use syncvar::motion::Input;
use syncvar::prelude::*;

use super::Checked;
use super::calls::{Buoy, Hub};
use super::ends::{End, World};
use super::field::Writer;
use super::replica::check_pairs;
use super::world::{CHECKED, KINDS, is_legal};

impl World {
    /// Takes over the changes of connections.
    pub(super) fn note_connections(&mut self) -> Checked {
        while let Some(event) = self.server.poll_event() {
            match event {
                ServerEvent::Disconnected {
                    connection, reason, ..
                } => {
                    let Some(client) = self.client_of(connection) else {
                        continue;
                    };
                    let end = &mut self.ends[client];
                    end.view.heard.expected.clear();
                    if end.link == Some(connection) && !end.is_leaving {
                        return Err(format!("thrown out: client {client}: {reason}"));
                    }
                    self.oracle.close(client);
                }
                // With another token than that of the connection.
                ServerEvent::Connected { connection } => {
                    let mut ends = self.ends.iter_mut();
                    if let Some(end) = ends.find(|end| end.link == Some(connection)) {
                        end.connection = connection;
                    }
                }
                ServerEvent::Returned {
                    connection,
                    resumed,
                } => {
                    let Some(client) = self.client_of(connection) else {
                        continue;
                    };
                    self.oracle.returning[client] = resumed;
                    if !resumed {
                        self.ends[client].view.heard.expected.clear();
                        self.ends[client].ordered.clear();
                    }
                }
                // The server has forgotten a client that was not ready.
                ServerEvent::Refused { connection, .. } => {
                    let mut ends = self.ends.iter();
                    let is_it =
                        |end: &End| end.link == Some(connection) || end.connection == connection;
                    let Some(client) = ends.position(is_it) else {
                        continue;
                    };
                    self.oracle.close(client);
                }
                ServerEvent::CommandRefused { connection, .. } => {
                    if let Some(client) = self.client_of(connection) {
                        self.ends[client].ordered.clear();
                    }
                }
                ServerEvent::Misbehaved { .. }
                | ServerEvent::WriteRefused { .. }
                | ServerEvent::SerializeFailed { .. }
                | ServerEvent::CallFailed { .. }
                | ServerEvent::CallbackFailed { .. } => return Err(format!("event: {event:?}")),
                _ => {}
            }
        }
        for client in 0..self.ends.len() {
            let is_ready = self.server.is_ready(self.connection(client));
            self.oracle.set_ready(client, is_ready);
        }
        Ok(())
    }

    /// Takes over the contents of an object on the server.
    pub(super) fn note(&mut self, id: NetId) {
        let kind = self.oracle.objects[&id].kind;
        let mut at = 0;
        for part in KINDS[kind].parts {
            if let Some(behaviour) = (part.on_server)(&self.server, id) {
                behaviour.visit(&mut |_, value| {
                    self.oracle.record(id, at, value.content());
                    at += 1;
                });
            }
        }
    }

    /// Takes over the writes and calls of a client: by an owner, whole, newer, checked; in order.
    pub(super) fn note_writes(&mut self, client: usize) -> Checked {
        for id in self.slots.into_iter().flatten() {
            let before: Vec<_> = {
                let fields = self.oracle.objects[&id].fields.iter();
                fields.map(|field| field.history.len()).collect()
            };
            self.note(id);
            let object = &self.oracle.objects[&id];
            let mut contents = Vec::new();
            for (field, before) in object.fields.iter().zip(before) {
                let content = field.history.last().expect("a content").content;
                contents.push(content);
                if field.history.len() == before {
                    continue;
                }
                let origin = self.oracle.origin(content);
                let is_owned = object.owner == Some(client) && field.rule.write != Writer::Server;
                let is_own = origin.is_none_or(|origin| origin.writer == Some(client));
                let former = before
                    .checked_sub(1)
                    .map_or(0, |last| field.history[last].content);
                // The last write to arrive wins where the server writes, too. Hashes of lists ignore the order.
                let is_marked = content >> 63 == 0 && former >> 63 == 0 && content != 0;
                let is_newer = content > former || field.rule.write == Writer::Both || !is_marked;
                let is_legal = field.rule.name != CHECKED || is_legal(content);
                if !(is_owned && is_own && is_newer && is_legal) {
                    let name = field.rule.name;
                    return Err(format!(
                        "written: {name} of {id} by client {client}: {former} -> {content}"
                    ));
                }
            }
            check_pairs(object, &contents)
                .map_err(|error| format!("{error} of {id} on the server"))?;
        }
        let orders = self
            .server
            .get::<Hub>(self.hubs[0])
            .map_or(&[][..], |hub| &hub.calls.orders);
        let end = &mut self.ends[client];
        let runs = orders
            .iter()
            .filter(|(sender, _)| *sender == end.connection)
            .map(|(_, number)| *number);
        let mut former = 0;
        for number in runs {
            if number <= former {
                return Err(format!(
                    "call: command {number} of client {client} after {former}"
                ));
            }
            former = number;
            end.ordered.remove(&number);
        }
        let hints =
            { self.server.get::<Buoy>(self.hubs[1]) }.map_or(&[][..], |buoy| &buoy.calls.hints);
        let (mut runs, connection) = (BTreeSet::new(), end.connection);
        for (_, number) in hints.iter().filter(|(sender, _)| *sender == connection) {
            if !runs.insert(number) {
                return Err(format!(
                    "call: command {number} of client {client} runs twice"
                ));
            }
        }
        Ok(())
    }

    /// Takes the inputs of the coming ticks: each is that which its client has recorded for the tick.
    pub(super) fn take_inputs(&mut self) -> Checked {
        for tick in self.server.ticks_until(self.now) {
            for (client, end) in self.ends.iter().enumerate() {
                let input = self.server.input::<u64>(end.connection, tick);
                if let Input::Known(input) = input
                    && end.inputs.get(&tick).is_some_and(|own| *own != input)
                {
                    let own = end.inputs[&tick];
                    return Err(format!(
                        "input: {input} of client {client} in tick {tick}, not {own}"
                    ));
                }
            }
        }
        Ok(())
    }
}
