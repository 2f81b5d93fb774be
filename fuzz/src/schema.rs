//! The text of a schema, and its parts, as a server sends them to a client of another build.

use syncvar::schema::{MAX_SCHEMA_TEXT, Schema};
use syncvar::stats::MessageType;
use syncvar::{Endpoint, PacketLimits};

use crate::limits::bounded;
use crate::protocol::{Compact, Protocol};
use crate::script::Script;

/// Messages that precede a session.
const KINDS: [MessageType; 4] = [
    MessageType::Schema,
    MessageType::Connect,
    MessageType::Disconnect,
    MessageType::Session,
];

/// Runs an input: as the text of a schema, and as messages to a client that has not joined.
///
/// # Panics
///
/// When a schema that was read cannot be written and read again.
pub fn run(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    if script.byte() < 128 {
        let text = String::from_utf8_lossy(&bytes[1.min(bytes.len())..]);
        bounded(bytes.len(), || describe(&text));
        return;
    }
    let mut client = Compact::client();
    Endpoint::handle_connect(&mut client, PacketLimits::STREAM);
    for step in script {
        let kind = KINDS[usize::from(step.op) % KINDS.len()];
        let kind = MessageType::ALL.iter().position(|it| *it == kind);
        let kind = kind.and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX);
        let packet = Compact::message(kind, step.bytes);
        bounded(packet.len(), || {
            let _ = client.handle_packet(0, &packet);
        });
        while let Some(event) = client.poll_event() {
            assert!(!format!("{event:?}").is_empty());
        }
    }
}

fn describe(text: &str) {
    let schema = match Schema::parse(text) {
        Ok(schema) => schema,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let canonical = schema.to_string();
    if canonical.len() > MAX_SCHEMA_TEXT {
        return;
    }
    let again = Schema::parse(&canonical).expect("a canonical text");
    assert_eq!(again, schema);
    assert_eq!(again.to_string(), canonical);
    assert_eq!(again.hash(), schema.hash());
    // Types without a layout are refused, also in equal schemas.
    let comparison = schema.compare(&again);
    let changes = comparison.old_client.iter();
    assert!(changes.filter(|change| !change.is_refused()).count() == 0);
}
