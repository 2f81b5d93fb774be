//! The program of the page: writes of an owner, commands, messages.

use serde_json::{Value as Json, json};
use syncvar::calls::CallKind;
use syncvar::prelude::*;
use syncvar::schema::{Schema, Writers};

use super::json::{arguments, json};
use super::values::value;
use super::world::World;

/// Commands and messages of the page.
#[derive(Default)]
pub(super) struct Orders {
    /// Those that the page was told to send.
    pub(super) sent: Vec<Json>,
    arrived: Vec<Json>,
    /// Commands that crossed a change of the owner.
    refused: usize,
    /// Whether a link was cut since the last rest: what was on its way is lost.
    pub(super) is_cut: bool,
}

impl Orders {
    /// Notes an event of the server.
    pub(super) fn note(&mut self, schema: &Schema, server: &NetworkServer, event: &ServerEvent) {
        match event {
            ServerEvent::CommandRefused { .. } => self.refused += 1,
            ServerEvent::Called(called) => {
                let values = called.values().expect("arguments").into_iter();
                let values: Vec<_> = values.map(|(_, value)| value).collect();
                let prefab = server
                    .identity(called.object())
                    .expect("an object")
                    .prefab();
                let prefab = schema.prefabs.iter().find(|it| it.names.name == prefab);
                let behaviour = &prefab.expect("a prefab").behaviours[called.behaviour()];
                let mut calls = behaviour.calls();
                let of = calls.find(|it| it.names.name == called.name());
                let shown = arguments(&of.expect("a command").arguments, &values);
                self.arrived.push(json!([called.name(), shown]));
            }
            ServerEvent::Message { message, .. } => {
                let of = schema.message(message.name()).expect("a message");
                let shown = json(&of.value, message.value().expect("a value"));
                self.arrived.push(json!([message.name(), shown]));
            }
            _ => {}
        }
    }

    /// Checks that all has arrived, in its order, and begins anew.
    pub(super) fn check(&mut self) {
        let Self {
            sent,
            arrived,
            refused,
            is_cut,
        } = std::mem::take(self);
        let mut rest = sent.iter();
        for it in &arrived {
            assert!(rest.any(|sent| sent == it), "{it} has arrived, of {sent:?}");
        }
        let lost = sent.len() - arrived.len();
        assert!(
            lost == refused || is_cut,
            "{sent:?} was sent, and {arrived:?} has arrived"
        );
    }
}

impl World {
    /// Lets the page write a field of its own, call a command or send a message.
    pub(super) fn act(&mut self) -> Option<Json> {
        if !self.twin.is_connected() {
            return None;
        }
        if self.random.chance(150) {
            let of = &self.schema.message("news").expect("a message").value;
            let shown = json(of, &value(&mut self.random, of));
            self.orders.sent.push(json!(["news", shown]));
            return Some(json!({ "send": ["news", shown] }));
        }
        let twin = &self.twin;
        let own = twin.identities().filter(|it| twin.is_owner(it.net_id()));
        let mut own: Vec<_> = own.map(|it| (it.net_id(), it.prefab())).collect();
        own.sort_unstable();
        let (id, prefab) = *self.random.pick(&own)?;
        let mut prefabs = self.schema.prefabs.iter();
        let prefab = prefabs.find(|it| it.names.name == prefab)?;
        let behaviour = self.random.pick(&prefab.behaviours)?;
        let name = behaviour.names.name.as_str();
        let commands: Vec<_> = behaviour
            .calls()
            .filter(|it| it.kind == CallKind::Command)
            .collect();
        if let Some(command) = self
            .random
            .pick(&commands)
            .filter(|_| self.random.chance(300))
        {
            let values = command
                .arguments
                .iter()
                .map(|it| value(&mut self.random, &it.value));
            let values: Vec<_> = values.collect();
            let shown = arguments(&command.arguments, &values);
            let command = &command.names.name;
            self.orders.sent.push(json!([command, shown]));
            return Some(json!({ "call": [id.0, name, command, shown] }));
        }
        let fields = behaviour
            .fields()
            .filter(|it| it.writers != Writers::Server);
        let fields: Vec<_> = fields.collect();
        let field = self.random.pick(&fields)?;
        let new = value(&mut self.random, &field.value);
        let shown = json(&field.value, &new);
        let written = self.twin.set_value(id, name, &field.names.name, new);
        written.expect("a field of the owner");
        Some(json!({ "set": [id.0, name, field.names.name, shown] }))
    }
}
