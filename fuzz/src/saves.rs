//! Saves and records of a journal: legal ones with changed bytes behind their checksums, for a server that loads them.

use std::sync::OnceLock;
use std::time::Duration;

use syncvar::records::TickRecord;
use syncvar::saving::{Save, SaveError};
use syncvar::{NetId, NetworkIdentity, NetworkServer, ServerConfig};

use crate::limits::bounded;
use crate::objects::{Body, Mind, Purse, Wheel, digest, prefabs};
use crate::pawn::Pawn;
use crate::protocol::{Compact, Protocol};
use crate::script::{Script, Step};
use crate::world::{TICK, World};

/// Length of the checksum.
const CHECKSUM: usize = 4;

/// Bytes that a change reaches from its place on.
const WINDOW: usize = 64;

/// Updates of the session behind its save.
const UPDATES: u8 = 12;

/// State of a server: objects with their fields and owners.
type Objects = Vec<(NetId, Vec<u8>, u32)>;

/// A save and the records behind it.
#[derive(Clone)]
struct Saved {
    schema: String,
    keyframe: Vec<u8>,
    records: Vec<Vec<u8>>,
}

/// Runs an input.
///
/// # Panics
///
/// When a loading exceeds a limit, leaves objects behind an error, or makes a server that cannot be saved and loaded.
pub fn run(bytes: &[u8]) {
    let mut saved = legal().clone();
    for step in Script::new(bytes) {
        saved.change(step);
    }
    let length = saved.length();
    let mut server = new_server();
    let loaded = bounded(length, || saved.save().and_then(|save| server.load(&save)));
    if loaded.is_err() {
        assert_eq!(server.object_count(), 0, "{loaded:?}");
        // The server is as before.
        let save = legal().save().expect("a legal save");
        server.load(&save).expect("a legal save");
        assert_eq!(&objects(&server), expected());
        return;
    }
    let save = server.save().expect("a loaded server can be saved");
    let mut again = new_server();
    again.load(&save).expect("a save of a loaded server");
    assert_eq!(objects(&again), objects(&server));
    for _ in 0..3 {
        bounded(length, || server.update(server.now() + TICK));
        while server.poll_transmit().is_some() {}
        while server.poll_event().is_some() {}
    }
}

/// Returns a save of a session, and the records of a journal behind it.
fn legal() -> &'static Saved {
    static LEGAL: OnceLock<Saved> = OnceLock::new();
    LEGAL.get_or_init(|| {
        let mut world = World::<Compact>::default();
        let connections = world.connections;
        let server = &mut world.server;
        let key = server.set_player_key(connections[3], "ann");
        key.expect("a client");
        let play = |server: &mut NetworkServer, what: u8| {
            for number in 0..4 {
                let what = what * 4 + number;
                let bytes = [what % 5, what, 3, what / 20, 0, 0, b'a', b'b', what];
                let step = Step {
                    op: 0,
                    bytes: &bytes,
                };
                Compact::change(server, &connections, step);
            }
            server.update(server.now() + TICK);
        };
        (0..UPDATES).for_each(|what| play(server, what));
        let save = server.start_journal().expect("a state");
        (UPDATES..2 * UPDATES).for_each(|what| play(server, what));
        let records = std::iter::from_fn(|| server.poll_journal());
        Saved {
            schema: save.schema().to_owned(),
            keyframe: save.keyframe().as_bytes().to_vec(),
            records: records.map(|record| record.as_bytes().to_vec()).collect(),
        }
    })
}

/// Returns the objects of the legal save.
fn expected() -> &'static Objects {
    static EXPECTED: OnceLock<Objects> = OnceLock::new();
    EXPECTED.get_or_init(|| {
        let mut server = new_server();
        let save = legal().save().expect("a legal save");
        server.load(&save).expect("a legal save");
        objects(&server)
    })
}

/// Returns a server with sessions, without objects.
fn new_server() -> NetworkServer {
    let config = ServerConfig {
        reconnect_grace: Duration::from_secs(5),
        session_tokens: Some(|| [7; 16]),
        ..ServerConfig::default()
    };
    NetworkServer::with_config(prefabs(), config)
}

/// Returns the values of an object.
fn values(server: &NetworkServer, id: NetId) -> Vec<u8> {
    let mut values = digest(
        server.get::<Body>(id),
        server.get::<Mind>(id),
        server.get::<Purse>(id),
        server.get::<Wheel>(id),
    );
    values.extend(server.get::<Pawn>(id).into_iter().flat_map(Pawn::digest));
    values
}

/// Returns the objects of a server.
fn objects(server: &NetworkServer) -> Objects {
    let ids = server.identities().map(NetworkIdentity::net_id);
    let objects = ids.map(|id| {
        let owner = server.owner(id).map_or(0, |owner| owner.0);
        (id, values(server, id), owner)
    });
    objects.collect()
}

impl Saved {
    fn length(&self) -> usize {
        let records = self.records.iter().map(Vec::len);
        self.schema.len() + self.keyframe.len() + records.sum::<usize>()
    }

    /// Changes the state, a record, or their order.
    fn change(&mut self, mut step: Step<'_>) {
        let place = usize::try_from(step.number()).unwrap_or_default();
        let count = self.records.len().max(1);
        match step.op % 6 {
            0 => change_from(&mut self.keyframe, place, &step),
            // The facts are at the end.
            1 => {
                let length = self.keyframe.len();
                change_from(
                    &mut self.keyframe,
                    length - 1 - place % length.min(256),
                    &step,
                );
            }
            2 => {
                if let Some(record) = self.records.get_mut(place % count) {
                    change_from(record, place / count, &step);
                }
            }
            3 => self.records.truncate(place % (count + 1)),
            4 => {
                if !self.records.is_empty() {
                    let record = self.records[place % count].clone();
                    let to = usize::from(step.byte()) % self.records.len();
                    self.records.insert(to, record);
                }
            }
            _ => {
                let mut schema = std::mem::take(&mut self.schema).into_bytes();
                let start = place % (schema.len() + 1);
                let end = (start + step.bytes.len()).min(schema.len());
                schema.splice(start..end, step.bytes.iter().copied());
                self.schema = String::from_utf8_lossy(&schema).into_owned();
            }
        }
    }

    /// Returns the save, by way of its bytes.
    fn save(&self) -> Result<Save, SaveError> {
        let keyframe = TickRecord::from_bytes(&self.keyframe)?;
        let save = Save::new(&self.schema, keyframe)?;
        let mut save = Save::from_bytes(&save.to_bytes())?;
        for record in &self.records {
            save.push(TickRecord::from_bytes(record)?)?;
        }
        Ok(save)
    }
}

/// Changes bytes of a record from a place on, and its checksum.
fn change_from(record: &mut Vec<u8>, place: usize, step: &Step<'_>) {
    if record.len() <= CHECKSUM {
        return;
    }
    let start = CHECKSUM + place % (record.len() - CHECKSUM);
    let end = (start + WINDOW).min(record.len());
    let mut window = record[start..end].to_vec();
    step.patch(&mut window);
    record.splice(start..end, window);
    let checksum = crc32c::crc32c(&record[CHECKSUM..]);
    record[..CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
}
