//! Bytes of a server of another build: its state, operations of collections, calls and messages, translated by the client.

use std::sync::OnceLock;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::schema::Schema;
use syncvar::untyped::Value;
use syncvar::{ConnectionId, Endpoint};

use crate::limits::bounded;
use crate::packet::Packet;
use crate::protocol::{Compact, Protocol};
use crate::script::{Script, Step};
use crate::world::TICK;

/// Edits of the server's schema. Each bit of an input's first byte chooses one for the client.
const EDITS: [(&str, &str); 6] = [
    ("health: u32", "life was health: u8"),
    ("numbers: SyncList<u16>", "numbers: [u8]"),
    ("prices: SyncDictionary<i16, i32>", "prices: [u8: i64]"),
    (
        "items: SyncList<Item { id: i16, name: String }>",
        "items: SyncList<Item { name: [FixedString; 4], id: i8, new: u8? }>",
    ),
    (
        "mood: Mood [Calm = 0, Angry = 1 { at: String }, Lost = 2]",
        "mood: Mood [Calm = 5, Other = 7 other]",
    ),
    ("      marks: SyncHashSet<i16>\n", "      fresh: [u64; 3]\n"),
];

/// Builds of the client.
const BUILDS: usize = 1 << EDITS.len();

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
struct Item {
    id: i16,
    name: String,
}

#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
enum Mood {
    #[default]
    Calm,
    Angry {
        at: String,
    },
    Lost,
}

#[derive(NetworkBehaviour, Default)]
struct Bag {
    #[sync_var]
    health: SyncVar<u32>,
    #[sync_var]
    mood: SyncVar<Mood>,
    #[sync_var]
    numbers: SyncList<u16>,
    #[sync_var]
    items: SyncList<Item>,
    #[sync_var]
    prices: SyncDictionary<i16, i32>,
    #[sync_var]
    marks: SyncHashSet<i16>,
}

#[derive(NetworkBehaviour, Default)]
struct Lid {
    #[sync_var(read = owner)]
    weight: SyncVar<u16>,
}

#[network_calls]
impl Bag {
    #[client_rpc]
    fn shake(&mut self, item: Item, moods: Vec<Mood>) {
        let _ = (item, moods);
    }
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<(Bag, Optional<Lid>)>("bag")
        .message::<Item>("news")
}

/// Returns a client of a build.
fn client(build: usize) -> NetworkClient {
    static TEXTS: OnceLock<Vec<Schema>> = OnceLock::new();
    let texts = TEXTS.get_or_init(|| (0..BUILDS).map(schema).collect());
    let schema = texts.get(build).expect("a build");
    NetworkClient::new(Prefabs::from_schema(schema).expect("a schema without types by hand"))
}

fn schema(build: usize) -> Schema {
    let mut text = prefabs().schema_text().to_string();
    for (at, (from, to)) in EDITS.iter().enumerate() {
        assert_eq!(text.matches(from).count(), 1, "{from}\n{text}");
        if build >> at & 1 == 1 {
            text = text.replace(from, to);
        }
    }
    Schema::parse(&text).expect("a schema")
}

/// Runs an input.
///
/// # Panics
///
/// When the client exceeds a limit.
pub fn run(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let build = usize::from(script.byte()) % BUILDS;
    let packets = packets(build);
    let mut client = client(build);
    Endpoint::handle_connect(&mut client, Compact::LIMITS);
    let (mut next, mut now) = (0, Duration::ZERO);
    for step in script {
        next = take(&mut client, packets, next, step);
        now += TICK;
        client.update(now);
        while client.poll_transmit().is_some() {}
        while let Some(event) = client.poll_event() {
            assert!(!format!("{event:?}").is_empty());
        }
        while client.poll_close().is_some() {}
    }
}

/// Takes a step. Returns the number of the next legal packet.
fn take(
    client: &mut NetworkClient,
    packets: &[Packet],
    mut next: usize,
    mut step: Step<'_>,
) -> usize {
    let mut receive = |packet: &Packet| {
        let _ = bounded(packet.bytes.len(), || {
            packet.arrive(client, ConnectionId::SERVER)
        });
    };
    match step.op % 5 {
        0 => {
            for _ in 0..=step.byte() % 64 {
                receive(&packets[next % packets.len()]);
                next += 1;
            }
        }
        1 | 2 => {
            let mut packet = packets[next % packets.len()].clone();
            next += 1;
            step.patch(&mut packet.bytes);
            receive(&packet);
        }
        3 => {
            let mut packet = packets[next % packets.len()].clone();
            next += 1;
            packet.bytes.truncate(usize::from(step.byte()));
            packet.bytes.extend_from_slice(step.bytes);
            receive(&packet);
        }
        _ => {
            let kind = step.byte();
            let message = Compact::message(kind & 0x7f, step.bytes);
            receive(&Compact::packet(kind >> 7, 9_000, &message));
        }
    }
    next
}

/// Returns the packets of a server to a client of a build.
fn packets(build: usize) -> &'static [Packet] {
    static PACKETS: [OnceLock<Vec<Packet>>; BUILDS] = [const { OnceLock::new() }; BUILDS];
    PACKETS[build].get_or_init(|| record(build))
}

fn record(build: usize) -> Vec<Packet> {
    let (mut server, mut client) = (NetworkServer::new(prefabs()), client(build));
    Endpoint::handle_connect(&mut client, Compact::LIMITS);
    let connection = Endpoint::handle_connect(&mut server, Compact::LIMITS);
    let id = server.spawn((Bag::default(), Optional::<Lid>::default()));
    let (mut packets, mut now) = (Vec::new(), Duration::ZERO);
    for step in 0..40 {
        change(&mut server, id, step);
        if step == 20 {
            server.set_owner(id, Some(connection)).expect("an object");
        }
        now += TICK;
        client.update(now);
        while let Some(packet) = client.poll_transmit() {
            let packet = Packet {
                carrier: packet.delivery,
                channel: packet.channel,
                bytes: packet.bytes.to_vec(),
            };
            let taken = packet.arrive(&mut server, connection);
            taken.expect("a legal packet");
        }
        server.update(now);
        while let Some(packet) = server.poll_transmit() {
            let packet = Packet::of(Compact::LIMITS, &packet);
            let taken = packet.arrive(&mut client, ConnectionId::SERVER);
            taken.expect("a legal packet");
            packets.push(packet);
        }
    }
    let numbers = client.value(id, "Bag", "numbers").map(Value::to_string);
    assert!(numbers.is_some_and(|numbers| numbers.len() > 2));
    packets
}

fn change(server: &mut NetworkServer, id: NetId, step: u16) {
    let item = Item {
        id: i16::try_from(step).unwrap_or_default() * 9 - 100,
        name: "ab".repeat(usize::from(step % 5)),
    };
    {
        let mut bag = server.get_mut::<Bag>(id).expect("a bag");
        bag.health.set(u32::from(step) * 11);
        bag.mood.set(match step % 3 {
            0 => Mood::Calm,
            1 => Mood::Angry { at: "x".into() },
            _ => Mood::Lost,
        });
        bag.numbers.push(step * 9);
        if step % 4 == 3 {
            bag.numbers.remove(0);
            bag.items.clear();
        }
        bag.items.insert(0, item.clone());
        bag.prices.insert(item.id, i32::from(step));
        bag.prices.remove(&(item.id - 27));
        bag.marks.insert(item.id % 7);
    }
    if step % 6 == 5 {
        let mut lid = server.get_mut::<Optional<Lid>>(id).expect("a lid");
        let is_there = lid.is_some();
        lid.set((!is_there).then(Lid::default));
    }
    let _ = server
        .calls::<Bag>(id)
        .shake(item.clone(), vec![Mood::Lost, Mood::Calm]);
    let _ = server.send_to_ready(&item);
}
