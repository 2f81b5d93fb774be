//! Cases of two builds, which the client in TypeScript runs, too: `clients/typescript/tests/resolution.json`.
//!
//! The server is written by hand: its bytes are those of a case. The client has its types from the schema of the case.

use std::time::Duration;

use serde_json::{Value as Json, json};
use syncvar::ClientConfig;
use syncvar::prelude::*;
use syncvar::schema::{Schema, SchemaChange};
use syncvar::untyped::Value;

/// Object of the cases.
const ORC: NetId = NetId(1);

/// Returns the cases, each with its name.
fn cases() -> Vec<(String, Json)> {
    let text = include_str!("../../../clients/typescript/tests/resolution.json");
    let cases: Vec<Json> = serde_json::from_str(text).expect("JSON");
    let name = |case: &Json| text_of(&case["name"]);
    cases.into_iter().map(|case| (name(&case), case)).collect()
}

fn text_of(json: &Json) -> String {
    json.as_str().expect("a text").to_owned()
}

fn bytes_of(json: &Json) -> Vec<u8> {
    hex::decode(text_of(json)).expect("hexadecimal digits")
}

fn list_of(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn schema(case: &Json, end: &str) -> Schema {
    Schema::parse(&text_of(&case[end])).expect("a schema")
}

#[test]
fn differences_are_those_of_the_client_in_typescript() {
    for (name, case) in cases() {
        let (server, client) = (schema(&case, "server"), schema(&case, "client"));
        let changes = client.compare(&server).old_client;
        let texts: Vec<_> = changes.iter().map(ToString::to_string).collect();
        assert_eq!(texts, list_of(&case["differences"]), "{name}");
        let is_refused = changes.iter().any(SchemaChange::is_refused);
        assert_eq!(is_refused, case["refused"] == true, "{name}");
    }
}

fn message(number: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(payload.len()).expect("a short message");
    [&length.to_le_bytes()[..], &[number, 0], payload].concat()
}

/// Returns an entry of the object in a batch.
fn entry(number: u8, contents: &[u8]) -> Vec<u8> {
    let length = u8::try_from(contents.len()).expect("a short entry");
    let head = match length {
        0..7 => vec![length],
        _ => vec![7, length - 7],
    };
    message(number, &[&head, contents].concat())
}

/// Returns a value of a case as JSON of serde.
fn plain(json: &Json) -> Json {
    match json {
        Json::Array(all) => all.iter().map(plain).collect(),
        Json::Object(members) => match members.iter().next() {
            Some((key, value)) if key == "$big" => {
                text_of(value).parse::<i64>().expect("a number").into()
            }
            Some((key, value)) if key == "$bytes" => json!(bytes_of(value)),
            Some((key, value)) if key == "$map" || key == "$set" => plain(value),
            _ => members
                .iter()
                .map(|(key, value)| (key.clone(), plain(value)))
                .collect(),
        },
        other => other.clone(),
    }
}

/// Returns JSON whose numbers are floats, for a comparison.
fn comparable(json: &Json) -> Json {
    match json {
        Json::Number(number) => json!(number.as_f64()),
        Json::Array(all) => all.iter().map(comparable).collect(),
        Json::Object(members) => members
            .iter()
            .map(|(key, value)| (key.clone(), comparable(value)))
            .collect(),
        other => other.clone(),
    }
}

/// Client of a case.
struct Session {
    client: NetworkClient,
    now: Duration,
}

impl Session {
    /// Connects the client to the server of a case.
    fn begin(case: &Json) -> Self {
        let prefabs = Prefabs::from_schema(&schema(case, "client")).expect("prefabs");
        let config = ClientConfig {
            ping_interval: Duration::ZERO,
            ..ClientConfig::default()
        };
        let client = NetworkClient::with_config(prefabs, config);
        let now = Duration::from_secs(1);
        let mut session = Self { client, now };
        session.client.handle_connect();
        session.handle(&message(
            21,
            &[&[1], text_of(&case["server"]).as_bytes()].concat(),
        ));
        // `Compact`, any incarnation, tick 1 is 300, 30 ticks a second, a reliable and an unreliable channel.
        let answer = [&[7][..], &[0; 8], &[1], &[9; 8], &[241, 60, 30, 0, 2, 0, 1]].concat();
        session.handle(&message(32, &answer));
        session.sent();
        session
    }

    fn handle(&mut self, packet: &[u8]) {
        self.client.handle_packet(0, packet).expect("a packet");
        self.client.update(self.now);
    }

    /// Handles messages of the next tick.
    fn update(&mut self, messages: &[Vec<u8>]) {
        self.handle(&[&[3, 1][..], &messages.concat()].concat());
    }

    /// Takes the messages of the client.
    fn sent(&mut self) -> Vec<u8> {
        self.now += Duration::from_millis(200);
        self.client.update(self.now);
        let mut sent = Vec::new();
        while let Some(packet) = self.client.poll_transmit() {
            let header =
                1 + usize::from(packet.bytes[0] & 1) + 5 * usize::from(packet.bytes[0] >> 4 & 1);
            sent.extend_from_slice(&packet.bytes[header..]);
        }
        sent
    }

    /// Handles a state of the object, and compares the fields and the values that do not fit.
    fn read(&mut self, step: &Json, name: &str) {
        if step["snapshot"].is_null() {
            self.update(&[entry(22, &bytes_of(&step["delta"]))]);
        } else {
            let spawn = entry(23, &[&[0], &bytes_of(&step["snapshot"])[..]].concat());
            let owner = [message(15, &[1, 1]), message(30, &[1, 1])].concat();
            self.update(&[message(12, &[0]), spawn, owner, message(12, &[1])]);
        }
        for (behaviour, fields) in step["fields"].as_object().expect("fields") {
            for (field, expected) in fields.as_object().expect("values") {
                let value = self.client.value(ORC, behaviour, field);
                let value = value.unwrap_or_else(|| panic!("{name}: {behaviour}.{field}"));
                let value = serde_json::to_value(value).expect("JSON");
                let expected = comparable(&plain(expected));
                assert_eq!(comparable(&value), expected, "{name}: {behaviour}.{field}");
            }
        }
        let mut unfit = Vec::new();
        while let Some(event) = self.client.poll_event() {
            if let ClientEvent::Unfit { fields, .. } = event {
                let names = fields.names();
                unfit.extend(names.map(|name| format!("{}.{name}", fields.behaviour())));
            }
        }
        assert_eq!(unfit, list_of(&step["unfit"]), "{name}");
    }

    /// Handles a call or message of the server, and compares the event of the client.
    fn receive(&mut self, step: &Json, name: &str) {
        match step["message"].as_array() {
            Some(parts) => {
                let number = parts[0].as_u64().and_then(|it| u8::try_from(it).ok());
                self.update(&[message(number.expect("a number"), &bytes_of(&parts[1]))]);
            }
            None => self.update(&[message(25, &[&[1], &bytes_of(&step["call"])[..]].concat())]),
        }
        let heard = std::iter::from_fn(|| self.client.poll_event());
        let heard = heard.filter_map(|event| match event {
            ClientEvent::Message(message) => {
                let value = serde_json::to_value(message.value()?).expect("JSON");
                Some(json!(["message", message.name(), value]))
            }
            ClientEvent::Called(called) => {
                let values = called.values().expect("values").into_iter();
                let values = values.map(|(_, value)| serde_json::to_value(value).expect("JSON"));
                let name = json!(format!("Orc.{}", called.name()));
                Some(std::iter::once(name).chain(values).collect())
            }
            _ => None,
        });
        let heard: Vec<_> = heard.map(|it| comparable(&it)).collect();
        assert_eq!(heard, [comparable(&plain(&step["hears"]))], "{name}");
    }

    /// Lets the client write, call or send, and compares the bytes.
    fn send(&mut self, step: &Json, name: &str) {
        let value =
            |json: &Json| -> Value { serde_json::from_value(plain(json)).expect("a value") };
        let (number, head, is_sent) = if let [behaviour, call, values @ ..] = list_of(&step["call"])
        {
            let values: Vec<_> = values.iter().map(value).collect();
            let called = self
                .client
                .call(ORC, &text_of(behaviour), &text_of(call), &values);
            (25, &[1][..], called.is_ok())
        } else if let [behaviour, field, json] = list_of(&step["write"]) {
            let written =
                self.client
                    .set_value(ORC, &text_of(behaviour), &text_of(field), value(json));
            (26, &[1, 1, 0][..], written.is_ok())
        } else {
            let [message, json] = list_of(&step["message"]) else {
                panic!("{name}: {step}");
            };
            let number = step["number"].as_u64().unwrap_or_default();
            let sent = self.client.send_value(&text_of(message), value(json));
            (
                u8::try_from(number).expect("a number"),
                &[][..],
                sent.is_ok(),
            )
        };
        let sent = self.sent();
        if step["error"] == true && number == 26 {
            // The type of the client holds the value, that of the server does not: the client asks for the snapshot again.
            assert_ne!(sent.get(2), Some(&26), "{name}: {step}");
            return;
        }
        if step["error"] == true {
            assert_eq!((sent, is_sent), (Vec::new(), false), "{name}: {step}");
            return;
        }
        let expected = message(number, &[head, &bytes_of(&step["bytes"])].concat());
        assert_eq!(hex::encode(sent), hex::encode(expected), "{name}: {step}");
    }
}

#[test]
fn builds_play_together_as_in_typescript() {
    for (name, case) in cases() {
        if case["refused"] == true {
            continue;
        }
        let mut session = Session::begin(&case);
        for step in list_of(&case["state"]) {
            session.read(step, &name);
        }
        session.sent();
        for step in list_of(&case["received"]) {
            session.receive(step, &name);
        }
        for step in list_of(&case["sent"]) {
            session.send(step, &name);
        }
    }
}
