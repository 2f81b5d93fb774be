//! The page that plays a log file; the file of the tests of the replay in TypeScript, and its states at random times.
//!
//! After a deliberate change write the file anew: `SYNCVAR_VECTORS=write cargo test -p syncvar-cli replays::`.

use std::io::Cursor;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value, json};
use syncvar::NetworkIdentity;
use syncvar::interest::Tag;
use syncvar::log::{
    LogEntry, LogHeader, LogKind, LogReader, LogWriter, Marker, Player, rotated_path, to_json,
};
use syncvar::prelude::*;
use syncvar::testing::Random;

use crate::support::{Page, file as stored, run};

/// Time between two ticks, in whole microseconds as the times of records.
const TICK: Duration = Duration::from_micros(33_333);

const TICKS: u32 = 1200;

/// Ticks from keyframe to keyframe.
const KEYFRAMES: u32 = 150;

const SEEKS: u32 = 200;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Car {
    #[sync_var]
    position: SyncVar<Vector3>,
    #[sync_var]
    speed: SyncVar<f32>,
    #[sync_var]
    lap: SyncVar<u32>,
    #[sync_var]
    driver: SyncVar<String>,
    #[sync_var]
    stickers: SyncList<String>,
    #[sync_var(read = owner)]
    fuel: SyncVar<f32>,
}

#[network_calls]
impl Car {
    #[client_rpc]
    fn honk(&mut self, _volume: u8) {}
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Light {
    #[sync_var]
    is_green: SyncVar<bool>,
    #[sync_var]
    times: SyncDictionary<String, u32>,
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Panel {
    #[sync_var]
    text: SyncVar<String>,
}

/// Sign beside a light: its delta has three masks, with values before the last one.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Sign {
    #[network_behaviour(base)]
    panel: Panel,
    #[sync_var]
    glow: SyncVar<f32>,
    #[sync_var]
    turns: SyncVar<u16>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Car>("car")
        .register::<Light>("light")
        .register::<(Sign, Panel)>("sign")
}

/// Race of cars on a circle.
struct Race {
    server: NetworkServer,
    random: Random,
    cars: Vec<NetId>,
    light: NetId,
    sign: NetId,
}

impl Race {
    fn new() -> Self {
        let mut server = NetworkServer::new(prefabs());
        let light = server.spawn(Light::default());
        let sign = server.spawn((Sign::default(), Panel::default()));
        Self {
            server,
            random: Random::new(37),
            cars: Vec::new(),
            light,
            sign,
        }
    }

    fn tick(&mut self, tick: u32) {
        if tick.is_multiple_of(40) && self.cars.len() < 4 {
            let mut car = Car::default();
            car.driver.set(format!("driver {}", tick / 40));
            self.cars.push(self.server.spawn(car));
        }
        if tick % 260 == 259 {
            let car = self.cars.remove(0);
            self.server.despawn(car).unwrap();
        }
        for (lane, car) in (1_u16..).zip(self.cars.clone()) {
            self.drive(car, lane, tick);
        }
        if tick.is_multiple_of(90) {
            let mut light = self.server.get_mut::<Light>(self.light).unwrap();
            let is_green = !*light.is_green;
            light.is_green.set(is_green);
            light.times.insert(format!("phase {}", tick / 90 % 5), tick);
        }
        self.turn_sign(tick);
        self.server.update(Duration::from_secs(10) + tick * TICK);
    }

    /// Changes fields of the sign, each at its own moments.
    fn turn_sign(&mut self, tick: u32) {
        let mut sign = self.server.get_mut::<Sign>(self.sign).unwrap();
        if tick.is_multiple_of(2) {
            sign.glow.set(f32::from(u16::try_from(tick % 100).unwrap()));
        }
        if tick.is_multiple_of(7) {
            sign.panel.text.set(format!("lap {}", tick / 7));
        }
        if tick.is_multiple_of(11) {
            *sign.turns += 1;
        }
        drop(sign);
        if tick.is_multiple_of(5) {
            let mut panel = self.server.get_mut::<Panel>(self.sign).unwrap();
            panel.text.set(format!("time {tick}"));
        }
    }

    fn drive(&mut self, id: NetId, lane: u16, tick: u32) {
        let chance = self.random.below(60);
        let mut car = self.server.get_mut::<Car>(id).unwrap();
        // The functions of the standard library for angles differ from system to system; a square has none.
        let side = tick % 120;
        let along = f32::from(u16::try_from(side % 30).unwrap()) * 2.0 - 30.0;
        let out = 30.0 + f32::from(lane) * 4.0;
        let (x, z) = match side / 30 {
            0 => (along, -out),
            1 => (out, along),
            2 => (-along, out),
            _ => (-out, -along),
        };
        if (tick + u32::from(lane)).is_multiple_of(3) {
            car.position.set(Vector3::new(x, 0.0, z));
            car.speed.set(self.random.between(20.0, 60.0));
        }
        if side == 0 {
            *car.lap += 1;
            car.fuel.set(f32::from(lane));
        }
        match chance {
            0 => car.stickers.push(format!("sticker {tick}")),
            1 => car.stickers.clear(),
            2 if !car.stickers.is_empty() => car.stickers[0] = "flame".into(),
            _ => {}
        }
        drop(car);
        if chance == 3 {
            self.server.calls::<Car>(id).honk(7).unwrap();
        }
    }
}

fn file() -> Vec<u8> {
    file_of(LogKind::Recording)
}

fn file_of(kind: LogKind) -> Vec<u8> {
    files_of(kind, TICKS).remove(0)
}

/// Returns the files of a recording with a rotation.
fn files_of(kind: LogKind, ticks: u32) -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    let mut race = Race::new();
    race.server.start_recording();
    let mut header = LogHeader::of(&race.server);
    header.kind = kind;
    header.program.insert("map".into(), "harbour".into());
    let mut writer = LogWriter::new(&header).unwrap();
    let mut last = 0;
    for tick in 0..TICKS {
        let has_keyframe = tick.is_multiple_of(KEYFRAMES);
        if has_keyframe {
            race.server.request_keyframe();
        }
        race.tick(tick);
        for record in race.server.records_after(last) {
            if record.is_keyframe() && tick > 0 {
                let name = if tick.is_multiple_of(300) {
                    "round"
                } else {
                    "check"
                };
                let value = json!({ "leader": tick / KEYFRAMES });
                if tick.is_multiple_of(ticks) {
                    let next = LogWriter::new(&header).unwrap();
                    let ended = std::mem::replace(&mut writer, next);
                    files.push(ended.finish_continued().unwrap());
                }
                writer
                    .mark(&[Marker::new(record.time(), record.tick(), name, value)])
                    .unwrap();
            }
            writer.push(&LogEntry::from(record)).unwrap();
            last = record.seq();
        }
    }
    files.push(writer.finish().unwrap());
    files
}

fn state(client: &NetworkClient) -> Value {
    let mut objects = Map::new();
    for id in client.identities().map(NetworkIdentity::net_id) {
        let fields = client.untyped_behaviours(id).map(|behaviour| {
            let fields = behaviour.fields();
            let fields = fields.map(|(name, value)| (name.to_owned(), to_json(value)));
            Value::Object(fields.collect())
        });
        objects.insert(id.0.to_string(), fields.collect());
    }
    Value::Object(objects)
}

/// Returns the states at random times: the microseconds, the tick, the fields by object and behaviour.
fn states(file: Vec<u8>) -> String {
    let mut player = Player::new(LogReader::new(Cursor::new(file)).unwrap());
    let mut client = player.untyped_client().unwrap();
    let mut random = Random::new(73);
    let length = u32::try_from(player.duration().as_micros()).unwrap();
    let lines = (0..SEEKS).map(|_| {
        let time = player.start() + Duration::from_micros(random.below(length + 1).into());
        player.seek(&mut client, time).unwrap();
        let micros = u64::try_from(time.as_micros()).unwrap();
        json!([micros, player.tick(), state(&client)]).to_string()
    });
    format!("[\n{}\n]\n", lines.collect::<Vec<_>>().join(",\n"))
}

/// Returns a file of the tests in TypeScript.
fn fixture(name: &str) -> PathBuf {
    let tests = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../clients/typescript/tests"
    );
    PathBuf::from(tests).join(name)
}

fn entries(file: Vec<u8>) -> Vec<LogEntry> {
    let mut reader = LogReader::new(Cursor::new(file)).unwrap();
    std::iter::from_fn(|| reader.next_entry().unwrap()).collect()
}

#[test]
fn the_replay_of_typescript_plays_this_file() {
    let (file, path) = (file(), fixture("replay.mcap"));
    let states = states(file.clone());
    if std::env::var_os("SYNCVAR_VECTORS").is_some_and(|mode| mode == "write") {
        std::fs::write(&path, &file).unwrap();
        std::fs::write(fixture("replay.json"), &states).unwrap();
    }
    let stored = std::fs::read_to_string(fixture("replay.json")).unwrap();
    assert!(stored == states, "the states differ from replay.json");
    // The bytes of zstd differ from version to version: the stored file has the same records.
    let stored = std::fs::read(&path).unwrap();
    assert!(
        entries(stored) == entries(file),
        "the records differ from replay.mcap"
    );
}

#[test]
fn the_replay_of_typescript_plays_these_files() {
    let files = files_of(LogKind::Recording, 3 * KEYFRAMES);
    assert_eq!(files.len(), 3);
    let mut keyframes = Vec::new();
    for (number, file) in (0..).zip(files) {
        let path = rotated_path(&fixture("rotated.mcap"), number);
        if std::env::var_os("SYNCVAR_VECTORS").is_some_and(|mode| mode == "write") {
            std::fs::write(&path, &file).unwrap();
        }
        let stored = entries(std::fs::read(&path).unwrap());
        assert!(stored == entries(file), "{} differs", path.display());
        keyframes.push(stored[0].clone());
    }
    // The same records as those of the single file, whose states are stored.
    let mut all = entries(std::fs::read(fixture("replay.mcap")).unwrap());
    all.retain(|entry| keyframes.contains(entry));
    assert!(all == keyframes);
}

/// Returns a journal of the race, with the facts about its objects that the server alone has. Its state was gathered in
/// slices, with the changes between them.
fn journal() -> Vec<u8> {
    let mut race = Race::new();
    (0..40).for_each(|tick| race.tick(tick));
    race.server.start_journal().unwrap();
    let lights = [(); 2].map(|()| race.server.spawn(Light::default()));
    let pending = race.server.begin_save(1).unwrap();
    let mut ticks = 40..120;
    let save = ticks.find_map(|tick| {
        if tick == 44 {
            // A slice has it.
            race.server.despawn(lights[0]).unwrap();
        }
        race.tick(tick);
        pending.poll()
    });
    let save = save.unwrap().unwrap();
    assert_eq!(ticks.start, 45, "slices in five ticks");
    while race.server.poll_journal().is_some() {}
    let mut header = LogHeader::of(&race.server);
    header.kind = LogKind::Journal;
    let mut writer = LogWriter::new(&header).unwrap();
    writer.push(&LogEntry::from(save.keyframe())).unwrap();
    for tick in ticks {
        if tick % 30 == 5 {
            race.server.hide_from_all(race.light).unwrap();
            race.server
                .set_group(race.cars[0], Some(Tag(tick.into())))
                .unwrap();
        }
        race.tick(tick);
        while let Some(record) = race.server.poll_journal() {
            writer.push(&LogEntry::from(&record)).unwrap();
        }
        writer.end_chunk().unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn the_replay_of_typescript_plays_this_journal() {
    let (file, path) = (journal(), fixture("journal.mcap"));
    let mut player = Player::new(LogReader::new(Cursor::new(file.clone())).unwrap());
    let mut client = player.untyped_client().unwrap();
    player.seek(&mut client, Duration::MAX).unwrap();
    let end = json!([player.tick(), state(&client)]).to_string() + "\n";
    assert!(end.contains(r#""fuel":1.0"#), "a journal has all fields");
    if std::env::var_os("SYNCVAR_VECTORS").is_some_and(|mode| mode == "write") {
        std::fs::write(&path, &file).unwrap();
        std::fs::write(fixture("journal.json"), &end).unwrap();
    }
    let stored = std::fs::read_to_string(fixture("journal.json")).unwrap();
    assert!(stored == end, "the state differs from journal.json");
    let stored = std::fs::read(&path).unwrap();
    assert!(
        entries(stored) == entries(file),
        "the records differ from journal.mcap"
    );
}

#[test]
fn a_page_serves_its_file_by_ranges() {
    let bytes = file();
    let page = Page::start(&stored("served.mcap", &bytes), &[]);
    let (head, body) = page.ask("GET / HTTP/1.1\r\nHost: localhost");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(String::from_utf8(body).unwrap().contains("replay.js"));
    let file = "/recording.mcap HTTP/1.1\r\nHost: localhost";
    let (head, body) = page.ask(&format!("GET {file}\r\nRange: bytes=8-99"));
    assert!(
        head.starts_with("HTTP/1.1 206 Partial Content\r\n"),
        "{head}"
    );
    let range = format!("Content-Range: bytes 8-99/{}\r\n", bytes.len());
    assert!(head.contains(&range), "{head}");
    assert!(body == bytes[8..100]);
    assert!(page.ask(&format!("GET {file}")).1 == bytes);
    let (head, body) = page.ask(&format!("HEAD {file}"));
    assert!(head.contains(&format!("Content-Length: {}\r\n", bytes.len())));
    assert!(body.is_empty());
    let range = format!("Range: bytes={}-", bytes.len());
    let (head, _) = page.ask(&format!("GET {file}\r\n{range}"));
    assert!(head.starts_with("HTTP/1.1 416 "), "{head}");
}

#[test]
fn a_page_answers_only_what_it_has() {
    let page = Page::start(&stored("refused.mcap", file()), &[]);
    for (request, status) in [
        ("GET /../Cargo.toml HTTP/1.1\r\nHost: localhost", "404"),
        ("POST / HTTP/1.1\r\nHost: localhost", "405"),
        // A web site whose name has the address of this machine.
        ("GET / HTTP/1.1\r\nHost: site.example", "421"),
    ] {
        let (head, _) = page.ask(request);
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
    }
}

#[test]
fn an_export_has_the_page_and_the_file() {
    let bytes = file();
    let path = stored("exported.mcap", &bytes);
    let folder = format!("{}/exported", env!("CARGO_TARGET_TMPDIR"));
    // A second time in the same folder, from the file in the folder.
    for path in [path, format!("{folder}/recording.mcap")] {
        let (code, output, errors) = run(&["replay", &path, "--export", &folder]);
        assert_eq!((code, errors.as_str()), (0, ""));
        assert!(output.trim().ends_with("index.html"));
        for name in ["index.html", "replay.js", "style.css"] {
            assert!(std::fs::metadata(format!("{folder}/{name}")).unwrap().len() > 1000);
        }
        assert!(std::fs::read(format!("{folder}/recording.mcap")).unwrap() == bytes);
    }
}

#[test]
fn a_journal_stays_on_its_machine() {
    let path = stored("journal.mcap", file_of(LogKind::Journal));
    let folder = format!("{}/journal", env!("CARGO_TARGET_TMPDIR"));
    for place in [["--export", folder.as_str()], ["--listen", "0.0.0.0:0"]] {
        let (code, _, errors) = run(&["replay", &path, place[0], place[1]]);
        assert_eq!(code, 2);
        assert!(errors.contains("tokens of sessions"), "{errors}");
    }
    let (head, _) = Page::start(&path, &[]).ask("GET / HTTP/1.1\r\nHost: localhost");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
}

#[test]
fn a_file_without_records_has_no_page() {
    let path = stored("no-log.txt", "no log");
    let (code, _, errors) = run(&["replay", &path]);
    assert_eq!(code, 2);
    assert!(errors.contains("not a log file"), "{errors}");
    for (options, error) in [
        (
            ["info", &path, "--listen", "127.0.0.1:0"],
            "options of `replay`",
        ),
        (["info", &path, "--delay", "1"], "options of `replay`"),
    ] {
        let (code, _, errors) = run(&options);
        assert_eq!(code, 2);
        assert!(errors.contains(error), "{errors}");
    }
    let (code, _, errors) = run(&["replay", &path, "--export", "folder", "--delay", "1"]);
    assert_eq!(code, 2);
    assert!(errors.contains("options of a port"), "{errors}");
}
