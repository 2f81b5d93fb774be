//! Log files: `info` and `export`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use syncvar::log::{LogEntry, LogHeader, LogWriter, Marker};
use syncvar::prelude::*;

use crate::support::{file, run};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Car {
    #[sync_var]
    place: SyncVar<Vector3>,
    #[sync_var]
    lap: SyncVar<u32>,
    #[sync_var]
    stickers: SyncList<String>,
}

#[network_calls]
impl Car {
    #[client_rpc]
    fn honk(&mut self) {}
}

/// Writes a file of a car, whose lap is the number of the tick.
fn recorded(name: &str) -> String {
    let mut server = NetworkServer::new(Prefabs::new().register::<Car>("car, red"));
    let car = server.spawn(Car::default());
    server.start_recording();
    let mut header = LogHeader::of(&server);
    header.program.insert("map".into(), "harbour".into());
    let mut writer = LogWriter::new(&header).unwrap();
    let mut last = 0;
    for lap in 0..20_u32 {
        let mut guard = server.get_mut::<Car>(car).unwrap();
        guard.lap.set(lap);
        if lap % 3 == 1 {
            guard.place.x += 0.5;
            guard.stickers.push("flame".into());
        }
        drop(guard);
        server.calls::<Car>(car).honk().unwrap();
        server.update(Duration::from_secs(1) + lap * Duration::from_millis(100));
        for record in server.records_after(last) {
            writer.push(&LogEntry::from(record)).unwrap();
            last = record.seq();
        }
    }
    let (time, tick) = (server.now(), server.network_time().tick);
    let marker = Marker::new(time, tick, "end", "red".into());
    writer.mark(&[marker]).unwrap();
    file(name, writer.finish().unwrap())
}

#[test]
fn info_describes_a_file() {
    let path = recorded("info.mcap");
    let (code, output, errors) = run(&["info", &path]);
    assert_eq!((code, errors.as_str()), (0, ""));
    for line in [
        "duration  1.900 s",
        "ticks     20 with records, at 30 per second",
        "keyframes 1",
        "objects   1, at most 1 at a time",
        "markers   1 end",
        "program   map harbour",
        "car, red: Car.lap",
        "car, red: collections and masks",
        "calls",
    ] {
        assert!(output.contains(line), "{line}\n{output}");
    }
}

#[test]
fn bytes_of_info_are_those_of_the_records() {
    let (code, output, _) = run(&["info", &recorded("sums.mcap"), "--json"]);
    assert_eq!(code, 0);
    let info: Value = serde_json::from_str(&output).unwrap();
    let costs = info["costs"].as_array().unwrap();
    let sum: u64 = costs
        .iter()
        .map(|cost| cost["bytes"].as_u64().unwrap())
        .sum();
    assert_eq!(Some(sum), info["bytes"].as_u64());
    let cost = |name: &str| {
        let mut costs = costs.iter();
        let cost = costs.find(|cost| cost["name"] == format!("car, red: {name}"));
        let cost = cost.unwrap_or_else(|| panic!("{name}: {info}"));
        (
            cost["number"].as_u64().unwrap(),
            cost["bytes"].as_u64().unwrap(),
        )
    };
    assert_eq!(cost("Car.lap"), (19, 19));
    assert_eq!(cost("Car.place"), (7, 7 * 12));
    assert_eq!(info["markers"][0]["value"], "red");
}

#[test]
fn json_has_a_line_for_each_changed_behaviour() {
    let (code, output, _) = run(&["export", &recorded("lines.mcap"), "--json"]);
    assert_eq!(code, 0);
    let lines: Vec<Value> = { output.lines() }
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 20);
    assert_eq!(lines[0]["fields"]["stickers"], Value::Array(Vec::new()));
    let fields = lines[2]["fields"].as_object().unwrap();
    assert_eq!(fields.keys().collect::<Vec<_>>(), ["lap"]);
    assert_eq!(
        (&lines[2]["time"], &lines[2]["prefab"]),
        (&1.2.into(), &"car, red".into())
    );
    assert_eq!(lines[19]["fields"]["stickers"].as_array().unwrap().len(), 7);
}

#[test]
fn csv_has_a_row_for_each_changed_number() {
    let (code, output, _) = run(&["export", &recorded("rows.mcap"), "--csv"]);
    assert_eq!(code, 0);
    let mut rows = output.lines();
    assert_eq!(
        rows.next(),
        Some("time,tick,object,prefab,behaviour,field,value")
    );
    assert_eq!(rows.next(), Some("1,30,1,\"car, red\",Car,place.x,0.0"));
    let laps = rows.filter(|row| row.contains(",lap,"));
    let laps: Vec<_> = laps.map(|row| row.rsplit(',').next().unwrap()).collect();
    assert_eq!(laps, (0..20).map(|lap| lap.to_string()).collect::<Vec<_>>());
}

#[test]
fn channels_are_read_by_the_reader_of_the_crate() {
    let out = file("channels.mcap", "");
    let (code, _, _) = run(&["export", &recorded("plots.mcap"), "--mcap", "--out", &out]);
    assert_eq!(code, 0);
    let bytes = std::fs::read(out).unwrap();
    let mut laps = BTreeMap::new();
    for message in mcap::MessageStream::new(&bytes).unwrap() {
        let message = message.unwrap();
        let channel = &message.channel;
        assert_eq!(
            (channel.topic.as_str(), channel.message_encoding.as_str()),
            ("/car, red/1/Car", "json")
        );
        let schema = channel.schema.as_ref().unwrap();
        assert_eq!(
            (schema.name.as_str(), schema.encoding.as_str()),
            ("car, red.Car", "jsonschema")
        );
        let data: Value = serde_json::from_slice(&message.data).unwrap();
        laps.insert(message.log_time, data["lap"].as_u64().unwrap());
    }
    assert_eq!(
        laps.into_values().collect::<Vec<_>>(),
        (0..20).collect::<Vec<_>>()
    );
}

#[test]
fn files_of_another_kind_are_refused() {
    let text = file("no-log.mcap", "no log");
    let (code, _, errors) = run(&["info", &text]);
    assert_eq!(code, 2);
    assert!(
        errors.ends_with("not a log file: it is no MCAP file"),
        "{errors}"
    );
    let (code, _, errors) = run(&["export", &text]);
    assert_eq!(code, 2);
    assert!(errors.contains("in what form"), "{errors}");
    assert_eq!(run(&["info", &text, "--csv"]).0, 2);
}
