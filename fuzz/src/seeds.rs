//! First inputs of the targets: recorded sessions, golden vectors, and legal sequences of steps.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use syncvar::Channel;
use syncvar::stats::MessageType;
use syncvar::wire::{Encoding, NetworkWriter};

use crate::packet::Packet;
use crate::protocol::{Compact, Mirror, Protocol, Unet};
use crate::script::push_step;
use crate::server::INPUTS;
use crate::values;
use crate::world::Recording;

/// Longest golden vector among the seeds, in bytes.
const MAX_GOLDEN: usize = 200;

/// Returns the inputs of a target. `root` is the folder of the repository.
pub fn seeds(target: &str, root: &Path) -> Vec<Vec<u8>> {
    match target {
        "server_compact" => [server::<Compact>(), runs(Encoding::Compact)].concat(),
        "server_unet" => [server::<Unet>(), runs(Encoding::Unet)].concat(),
        "mirror_server" => server::<Mirror>(),
        "client_compact" => client::<Compact>(&[]),
        "client_unet" => client::<Unet>(&golden(&root.join("tests/golden/unet"))),
        "mirror_client" => {
            client::<Mirror>(&golden(&root.join("protocols/mirror/tests/golden/data")))
        }
        "schema" => schema(),
        "foreign" => foreign(),
        "values" => values_of(root),
        "collections" => collections(),
        "records" => records(),
        "logs" => logs(),
        "saves" => saves(),
        "kcp" => kcp(root),
        "udp" => udp(),
        "frames" => frames(root),
        _ => Vec::new(),
    }
}

/// Returns the inputs of a target with which each run begins: short, and hard to find.
pub fn scripts(target: &str) -> Vec<Vec<u8>> {
    match target {
        "server_compact" | "server_unet" => streams_of_inputs(),
        "client_compact" | "client_unet" => reports_of_inputs(),
        _ => Vec::new(),
    }
}

/// Inputs of an attacker in time, late, too far ahead, repeated, and relative to those that the server has and has not.
fn streams_of_inputs() -> Vec<Vec<u8>> {
    const RELATIVE: u8 = 32;
    const VIEW: u8 = 64;
    let update: (u8, &[u8]) = (44, &[]);
    let mut scripts = Vec::new();
    for channel in 0..2 {
        for shape in [0, 3, 31, VIEW, VIEW + 7] {
            let ahead = [2, 4, 33, 60, 253].map(|ahead| [channel, ahead, shape, 1]);
            for first in &ahead {
                for second in &ahead {
                    let [_, tick, ..] = *second;
                    let relative = [channel, tick, (shape % RELATIVE).min(1) + RELATIVE, 1];
                    scripts.push(of_steps(&[
                        (INPUTS, first),
                        update,
                        (INPUTS, &relative),
                        (INPUTS, second),
                        update,
                        (INPUTS, &relative),
                        update,
                    ]));
                }
            }
        }
    }
    scripts
}

/// Inputs of a client, and reports of their leads from a server.
fn reports_of_inputs() -> Vec<Vec<u8>> {
    let kind = MessageType::ALL
        .iter()
        .position(|kind| *kind == MessageType::InputState);
    let kind = kind
        .and_then(|kind| u8::try_from(kind).ok())
        .unwrap_or_default();
    let input = [1, 3, 0, 0, 128, 63];
    let update: (u8, &[u8]) = (11, &[]);
    let mut scripts = Vec::new();
    for lead in [0, 100, 127, 129, 140] {
        for refused in [0, 3] {
            let report = [kind, 12, lead, 12, refused];
            let mut steps: Vec<(u8, &[u8])> = vec![(4, &[15]), (4, &[15]), (8, &input)];
            steps.extend([update; 6]);
            let report: (u8, &[u8]) = (2, &report);
            steps.extend([report, update, update, report, update]);
            scripts.push(of_steps(&steps));
        }
    }
    scripts
}

/// Returns all byte strings of the recordings in a folder.
fn golden(folder: &Path) -> Vec<Vec<u8>> {
    let mut found = BTreeSet::new();
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for file in files.filter(|file| file.path().extension().is_some_and(|end| end == "json")) {
        let text = std::fs::read_to_string(file.path()).unwrap_or_default();
        collect(&serde_json::from_str(&text).unwrap_or_default(), &mut found);
    }
    found.into_iter().collect()
}

fn collect(value: &Value, found: &mut BTreeSet<Vec<u8>>) {
    match value {
        Value::String(text) if !text.is_empty() => {
            if let Ok(bytes) = hex::decode(text)
                && bytes.len() <= MAX_GOLDEN
            {
                found.insert(bytes);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
        Value::Object(values) => values.values().for_each(|value| collect(value, found)),
        _ => {}
    }
}

fn of_steps(steps: &[(u8, &[u8])]) -> Vec<u8> {
    let mut input = Vec::new();
    for (op, bytes) in steps {
        push_step(&mut input, *op, bytes);
    }
    input
}

/// Returns the operation that hands over the bytes of a packet: of a server's and of a client's input.
fn raw(packet: &Packet) -> u8 {
    u8::from(packet.carrier == Channel::Unreliable)
}

/// Legal packets, messages and changes.
fn server<P: Protocol>() -> Vec<Vec<u8>> {
    let recording = Recording::of::<P>();
    let mut inputs = Vec::new();
    for (index, packet) in (0_u8..=255).zip(&recording.up) {
        inputs.push(of_steps(&[
            (16, &[index]),
            (44, &[]),
            (17, &[index, 5, 1]),
            (44, &[]),
        ]));
        if packet.bytes.len() < 200 {
            let op = raw(packet);
            inputs.push(of_steps(&[(op, &packet.bytes), (44, &[]), (40, &[1])]));
        }
    }
    for what in 0..=255 {
        let change = [what, what, what, 1, 0, 0, b'a', b'b'];
        inputs.push(of_steps(&[
            (28, &change),
            (32, &change),
            (44, &[]),
            (28, &change),
            (36, &[]),
        ]));
        inputs.push(of_steps(&[
            (8, &[what % 40, 1, 2, 0, 1, 5, 0, 1]),
            (44, &[]),
        ]));
    }
    inputs
}

/// Long runs of an operation in each field of an owner.
fn runs(encoding: Encoding) -> Vec<Vec<u8>> {
    const OWNER_WRITE: u8 = 16;
    let units: [&[u8]; 6] = [&[4], &[5], &[0, 1], &[2, 0, 1], &[3, 0], &[6, 0, 1, 9]];
    let mut inputs = Vec::new();
    for field in 0..13_u32 {
        for unit in units {
            let mut head = NetworkWriter::with_encoding(encoding);
            head.write_bytes(&[3, 1, 1]);
            head.write_dirty_bits(1 << field);
            head.write(&60_000_u16);
            let length = u8::try_from(head.len()).unwrap_or(15);
            let step = [&[OWNER_WRITE, length, 255], head.as_bytes(), unit].concat();
            inputs.push(of_steps(&[(48, &step), (44, &[]), (48, &step)]));
        }
    }
    inputs
}

/// Legal packets in order, single messages, and golden packets.
fn client<P: Protocol>(golden: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let recording = Recording::of::<P>();
    let mut inputs = vec![of_steps(&[(4, &[15][..]); 16])];
    for (index, packet) in (0_u8..=255).zip(&recording.down) {
        inputs.push(of_steps(&[(4, &[15]), (7, &[index]), (4, &[0]), (11, &[])]));
        inputs.push(of_steps(&[
            (4, &[15]),
            (4, &[15]),
            (7, &[index]),
            (4, &[1, 7, 1]),
            (11, &[]),
        ]));
        if packet.bytes.len() < 200 {
            inputs.push(of_steps(&[(4, &[3]), (raw(packet), &packet.bytes)]));
        }
    }
    for what in 0..=255 {
        let write = [1, what, what, 1, 0, 0, b'a', b'b'];
        inputs.push(of_steps(&[
            (4, &[15]),
            (4, &[15]),
            (8, &write),
            (11, &[]),
            (9, &[]),
        ]));
        inputs.push(of_steps(&[
            (4, &[15]),
            (2, &[what % 40, 1, 2, 0, 1, 5, 0, 1]),
            (10, &[2]),
        ]));
    }
    inputs.extend(
        golden
            .iter()
            .map(|packet| of_steps(&[(4, &[3]), (0, packet)])),
    );
    inputs
}

fn schema() -> Vec<Vec<u8>> {
    use syncvar::Prefabs;

    let hero = || Prefabs::new().register_with("hero", crate::objects::hero);
    let texts = [
        hero().schema_text().to_string(),
        hero()
            .prefab_was("hero", &["a b", "player"])
            .message::<(u8, String)>("vote")
            .schema_text()
            .to_string(),
        "prefab lamp 691e9995f9757277b806e95d7fa0654b\n  behaviour Lamp was L, channel 0, optional\n    \
         class Lamp\n      lit: E [A = 0, B was C = 1 other]?, sent once\n    class present\n      present: bool\n"
            .into(),
        "message chat was say = 48: Chat { text: String, to: [u8; 4]? }\nmessage input = 49: { 0: f32 as Half, 1: \
         {u8}, 2: [u16: Percent measured] }\n"
            .into(),
        "prefab \"a \\\"b\\u{1}\" was c 000000000000000000000000000000a1\n  behaviour P, channel 1, with data\n    class \
         Base\n      command fire was shoot = CmdFire(at: i32), after the state\n    class P\n      hp: SyncList<E [A = \
         -1, B = 2 { x: u8 }]>, read by the owner, written by the owner and the server\n"
            .into(),
    ];
    let mut inputs = Vec::new();
    for text in &texts {
        inputs.push([&[0], text.as_bytes()].concat());
        let (first, rest) = text.as_bytes().split_at(text.len().min(200) / 2);
        let rest = &rest[..rest.len().min(200)];
        let (first, last) = ([&[0], first].concat(), [&[1], rest].concat());
        let steps = of_steps(&[(0, &first), (0, &last), (1, &[1, 0]), (2, &[1])]);
        inputs.push([&[255][..], &steps].concat());
    }
    inputs
}

/// Legal packets in order for each build, changed packets, and messages behind them.
fn foreign() -> Vec<Vec<u8>> {
    let mut inputs = Vec::new();
    for build in 0..64 {
        let legal: (u8, &[u8]) = (0, &[15 + build]);
        for changed in [
            (1, &[9, 1][..]),
            (1, &[5, 3, 12, 200]),
            (3, &[7, 1, 2]),
            (4, &[build, 1, 2]),
        ] {
            let steps = of_steps(&[legal, changed, legal]);
            inputs.push([&[build][..], &steps].concat());
        }
    }
    inputs
}

/// Golden vectors, as a value of every type.
fn values_of(root: &Path) -> Vec<Vec<u8>> {
    let unet = golden(&root.join("tests/golden/unet"));
    let mirror = golden(&root.join("protocols/mirror/tests/golden/data"));
    let short: BTreeSet<Vec<u8>> = unet
        .into_iter()
        .chain(mirror)
        .filter(|bytes| bytes.len() <= 24)
        .collect();
    let mut inputs = Vec::new();
    let types = 0..u8::try_from(values::NAMES.len()).unwrap_or(u8::MAX);
    for number in types {
        for encoding in 0..3 {
            let samples = short.iter().skip(usize::from(number)).step_by(97);
            inputs.extend(samples.map(|bytes| [&[number, encoding], &bytes[..]].concat()));
            for fill in [0, 1, 2, 65, 255] {
                inputs.push([&[number, encoding][..], &[fill; 40]].concat());
            }
        }
    }
    inputs
}

fn collections() -> Vec<Vec<u8>> {
    let mut inputs = Vec::new();
    for subject in 0..14 {
        for settings in 0..3 {
            let mut input = vec![subject, settings];
            for what in 0..12 {
                push_step(&mut input, 4, &[what, what, what + 1, 0, 0, 7, 8]);
                push_step(&mut input, 4, &[what, 1, what + 2, 1, 0, 0]);
                push_step(&mut input, 2, &[]);
                if what % 3 == 0 {
                    push_step(&mut input, 3, &[]);
                    push_step(&mut input, 2, &[what, 1]);
                }
            }
            inputs.push(input);
            let delta = of_steps(&[
                (0, &[1, 0, 0, 5, 0, 0, 0]),
                (0, &[2, 1, 0, 0, 3]),
                (1, &[1, 0, 7]),
            ]);
            inputs.push([&[subject, settings][..], &delta].concat());
        }
    }
    inputs
}

/// Legal records in order, changed records, and messages in a record.
fn records() -> Vec<Vec<u8>> {
    let mut inputs = vec![of_steps(&[(0, &[15][..]); 6])];
    let count = u8::try_from(crate::records::legal().len()).unwrap_or(u8::MAX);
    for index in 0..count {
        let start: [(u8, &[u8]); 2] = [(0, &[15]), (5, &[index])];
        let behind: [(u8, &[u8]); 3] = [(0, &[3]), (6, &[40]), (7, &[0])];
        for changed in [
            (2, &[5, 1][..]),
            (2, &[9, 200, 12]),
            (3, &[22, 1]),
            (3, &[5, 1]),
        ] {
            inputs.push(of_steps(&[&start[..], &[changed], &behind].concat()));
        }
    }
    for kind in 0..40 {
        for flags in [0, 4, 128] {
            let message = [kind, flags, 1, 2, 0, 1, 5, 0, 1];
            inputs.push(of_steps(&[(0, &[15]), (4, &message), (0, &[3])]));
        }
    }
    inputs
}

/// A cut, and a changed byte, at places over a whole log file.
fn logs() -> Vec<Vec<u8>> {
    let places = (0..200_u32).map(|place| place * 37);
    let changes = places.flat_map(|place| {
        let [a, b, c, d] = place.to_le_bytes();
        [
            of_steps(&[(0, &[a, b, c, d])]),
            of_steps(&[(1, &[a, b, c, d, 1 << (place % 8)])]),
        ]
    });
    changes.collect()
}

/// Changed bytes of the state and of the records behind it, and a changed order.
fn saves() -> Vec<Vec<u8>> {
    let places = (0..160_u32).map(|place| place * 7);
    let changes = places.flat_map(|place| {
        let [a, b, c, d] = place.to_le_bytes();
        [(0, 1), (1, 255), (2, 128), (0, 127)]
            .map(|(op, value)| of_steps(&[(op, &[a, b, c, d, 0, value])]))
    });
    let orders = (0..12).map(|place| of_steps(&[(3 + place % 2, &[place, 0, 0, 0, place / 2])]));
    changes.chain(orders).collect()
}

/// Steps of a session on a link.
fn talks() -> Vec<Vec<u8>> {
    let mut inputs = Vec::new();
    for op in 0..48 {
        let talk: &[(u8, &[u8])] = &[
            (16, &[9, 3, 1, 2]),
            (17, &[200, 5, 4]),
            (22, &[]),
            (23, &[]),
        ];
        let mut steps = talk.to_vec();
        steps.extend([(op, &[1, 0, 8, 1, 1, 3, 2][..]), (22, &[]), (18, &[60])]);
        steps.extend(talk);
        inputs.push(of_steps(&steps));
    }
    inputs
}

/// Sessions, and datagrams of every kind with the link's cookie.
fn udp() -> Vec<Vec<u8>> {
    let mut inputs = talks();
    for kind in 0..4 {
        for rest in [&[0, 0, 1, 7][..], &[2], &[44, 1, 0, 0, 0, 0, 84, 0]] {
            inputs.push(of_steps(&[
                (2, &[&[kind], rest].concat()),
                (3, &[&[kind], rest].concat()),
                (225, &[9, 1, 1, 7]),
                (22, &[]),
                (23, &[]),
            ]));
        }
    }
    inputs
}

/// Steps of a session, and recorded datagrams with the link's cookie.
fn kcp(root: &Path) -> Vec<Vec<u8>> {
    let mut inputs = talks();
    for datagram in golden(&root.join("protocols/mirror/tests/golden/data")) {
        if datagram.len() > 29 && matches!(datagram[0], 1 | 2) {
            inputs.push(of_steps(&[
                (2, &datagram[5..]),
                (3, &datagram[5..]),
                (22, &[]),
            ]));
        }
    }
    inputs
}

/// Recorded messages as frames, cut in several ways.
fn frames(root: &Path) -> Vec<Vec<u8>> {
    let messages = golden(&root.join("protocols/mirror/tests/golden/data"));
    let inputs = messages.iter().step_by(29).map(|message| {
        let length = u32::try_from(message.len()).unwrap_or(0).to_be_bytes();
        let frame = [&length, &message[..]].concat();
        let (first, second) = frame.split_at(frame.len() / 2);
        let mut input = vec![250, 0];
        for (op, bytes) in [
            (0, first),
            (1, second),
            (0, &frame[..]),
            (0, &[0, 0]),
            (0, &[0, 9, 9]),
        ] {
            push_step(&mut input, op, bytes);
        }
        input
    });
    inputs.collect()
}
