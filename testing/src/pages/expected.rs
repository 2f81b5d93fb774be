//! State that the page must have, by the twin.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use syncvar::NetworkIdentity;
use syncvar::interest::ViewReason;
use syncvar::prelude::*;
use syncvar::schema::{Readers, SchemaBehaviour, SchemaField, Writers};
use syncvar::untyped::Value;

use super::json::json;
use super::radio::{Aerial, CRACKLE, RADIO, Radio};
use super::world::World;
use crate::schemas::typed;

/// A field of an object.
#[derive(Clone, Copy)]
struct Place<'a> {
    id: NetId,
    behaviour: &'a str,
    field: &'a SchemaField,
}

impl World {
    /// Returns the objects of the page.
    ///
    /// # Errors
    ///
    /// With the place where the twin differs from the server.
    pub(super) fn objects_of_page(&self) -> Result<Json, String> {
        let connection = self.connection().ok_or("no connection")?;
        for id in &self.objects {
            let is_visible = self
                .server
                .why_visible(*id, connection)
                .is_ok_and(ViewReason::is_visible);
            if is_visible != self.twin.identity(*id).is_some() {
                return Err(format!("{id} is visible: {is_visible}"));
            }
        }
        let twins: BTreeMap<_, _> = self.twin.identities().map(|it| (it.net_id(), it)).collect();
        let all = twins.into_values().map(|it| self.object(it));
        all.collect::<Result<Vec<_>, _>>().map(Json::Array)
    }

    fn object(&self, identity: NetworkIdentity<'_>) -> Result<Json, String> {
        let id = identity.net_id();
        if self.twin.is_owner(id) != (self.server.owner(id) == self.connection()) {
            return Err(format!("the owner of {id}"));
        }
        let prefab = self
            .schema
            .prefabs
            .iter()
            .find(|it| it.names.name == identity.prefab());
        let behaviours = prefab.expect("a prefab").behaviours.iter();
        let behaviours: Result<Vec<_>, _> = behaviours.map(|it| self.behaviour(id, it)).collect();
        Ok(json!({
            "id": id.0,
            "prefab": identity.prefab(),
            "owned": self.twin.is_owner(id),
            "parent": identity.parent().map_or(0, |it| it.0),
            "behaviours": behaviours?,
        }))
    }

    fn behaviour(&self, id: NetId, of: &SchemaBehaviour) -> Result<Json, String> {
        let mut fields = Map::new();
        for field in of.fields() {
            let behaviour = of.names.name.as_str();
            let place = Place {
                id,
                behaviour,
                field,
            };
            fields.insert(field.names.name.clone(), self.field(place)?);
        }
        Ok(json!({ "name": of.names.name, "fields": fields }))
    }

    /// Returns the value of a field.
    fn field(&self, place: Place<'_>) -> Result<Json, String> {
        let Place {
            id,
            behaviour,
            field,
        } = place;
        let unknown = json!({ "$undefined": true });
        if !self.reads(id, field) {
            return Ok(unknown);
        }
        let of = &field.value;
        let twin = self.twin.value(id, behaviour, &field.names.name);
        let twin = twin.map_or_else(|| unknown.clone(), |value| json(of, value));
        let server = self.value(place);
        let server = server.map_or(unknown, |value| json(of, &value));
        // The twin's own writes do not travel.
        if self.twin.is_owner(id) && field.writers != Writers::Server {
            return Ok(server);
        }
        if twin != server && !field.initial_only {
            return Err(format!("{id} {behaviour}.{field} is {twin}, not {server}"));
        }
        Ok(twin)
    }

    fn reads(&self, id: NetId, field: &SchemaField) -> bool {
        let is_owner = self.twin.is_owner(id);
        let connection = self.connection().expect("a connection");
        let group = self.server.group(id);
        let is_member = group.is_some_and(|it| self.server.is_in_group(connection, it));
        match field.readers {
            Readers::Everyone => true,
            Readers::Owner => is_owner,
            Readers::Others => !is_owner,
            Readers::Group => is_owner || is_member,
            Readers::Server => false,
        }
    }

    /// Returns the value of the server; `None` for an absent behaviour.
    fn value(
        &self,
        Place {
            id,
            behaviour,
            field,
        }: Place<'_>,
    ) -> Option<Value> {
        let (server, name) = (&self.server, field.names.name.as_str());
        match server.identity(id)?.prefab() {
            typed::BAG => typed::value(server, id, name),
            RADIO => {
                let (radio, aerial) = (server.get::<Radio>(id)?, server.get::<Aerial>(id)?);
                Some(match name {
                    "volume" => (*radio.volume).into(),
                    "code" => (*radio.code).into(),
                    "rumour" => (*radio.rumour).into(),
                    "plans" => Value::List(radio.plans.iter().map(|it| (*it).into()).collect()),
                    "beat" => (*aerial.beat).into(),
                    "angle" => (*aerial.angle).into(),
                    "tuning" => (*aerial.tuning).into(),
                    _ => Value::List(aerial.echoes.iter().map(|it| (*it).into()).collect()),
                })
            }
            _ => server.value(id, behaviour, name).cloned(),
        }
    }

    /// Notes the calls and messages that the twin has heard since the last time.
    pub(super) fn hear(&mut self) {
        while let Some(event) = self.twin.poll_event() {
            match event {
                ClientEvent::Called(called) => {
                    let values = called.values().expect("arguments").into_iter();
                    let calls = self.schema.prefabs.iter().flat_map(|it| &it.behaviours);
                    let mut calls = calls.flat_map(|it| it.calls().map(move |call| (it, call)));
                    let found = calls.find(|(_, call)| call.names.name == called.name());
                    let (of, call) = found.expect("a call of the schema");
                    let name = json!(format!("{}.{}", of.names.name, call.names.name));
                    let values = values
                        .zip(&call.arguments)
                        .map(|((_, it), of)| json(&of.value, &it));
                    if call.after_state {
                        let object = json!(called.object().0);
                        self.heard
                            .late
                            .push([object, name].into_iter().chain(values).collect());
                    } else {
                        let heard = match called.name() {
                            CRACKLE => &mut self.heard.lossy,
                            _ => &mut self.heard.at_once,
                        };
                        heard.push([name].into_iter().chain(values).collect());
                    }
                }
                ClientEvent::Message(message) => {
                    let of = self
                        .schema
                        .message(message.name())
                        .expect("a message of the schema");
                    let value = json(&of.value, message.value().expect("a value"));
                    self.heard
                        .at_once
                        .push(json!(["message", message.name(), value]));
                }
                ClientEvent::Poisoned { object, error, .. } => panic!("{object}: {error}"),
                ClientEvent::CallFailed(failure) => panic!("{failure:?}"),
                ClientEvent::SpawnFailed { object, reason, .. } => panic!("{object}: {reason:?}"),
                _ => {}
            }
        }
    }
}
