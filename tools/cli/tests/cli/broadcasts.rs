//! A page that follows a file that is being written.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use syncvar::log::{LogEntry, LogHeader, LogWriter, rotated_path};
use syncvar::prelude::*;

use crate::support::{Page, run};

/// Server whose recording goes to a file, a chunk for each second.
struct Broadcast {
    server: NetworkServer,
    writer: LogWriter,
    file: File,
    path: PathBuf,
    /// Number of the present file.
    number: u32,
    second: u64,
    last: u64,
}

impl Broadcast {
    fn start(name: &str) -> Self {
        let mut server = NetworkServer::new(Prefabs::new());
        server.start_recording();
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let mut broadcast = Self {
            writer: LogWriter::new(&LogHeader::of(&server)).unwrap(),
            server,
            file: File::create(&path).unwrap(),
            path,
            number: 0,
            second: 0,
            last: 0,
        };
        broadcast.play(1);
        broadcast
    }

    /// Writes the records of some seconds. Returns the length of the file.
    fn play(&mut self, seconds: u64) -> u64 {
        for _ in 0..seconds {
            self.second += 1;
            self.server.update(Duration::from_secs(self.second));
            for record in self.server.records_after(self.last) {
                self.writer.push(&LogEntry::from(record)).unwrap();
                self.last = record.seq();
            }
            self.writer.end_chunk().unwrap();
        }
        let bytes = self.writer.take_bytes();
        self.write(&bytes)
    }

    /// Goes on in a further file. Returns the lengths of the file before and of the further one.
    fn rotate(&mut self) -> (u64, u64) {
        self.second += 1;
        self.server.request_keyframe();
        self.server.update(Duration::from_secs(self.second));
        let records: Vec<_> = self.server.records_after(self.last).cloned().collect();
        let [record, keyframe] = records.as_slice() else {
            panic!("{records:?}");
        };
        self.writer.push(&LogEntry::from(record)).unwrap();
        let next = LogWriter::new(&LogHeader::of(&self.server)).unwrap();
        let ended = std::mem::replace(&mut self.writer, next);
        let before = self.write(&ended.finish_continued().unwrap());
        self.number += 1;
        self.file = File::create(rotated_path(&self.path, self.number)).unwrap();
        self.writer.push(&LogEntry::from(keyframe)).unwrap();
        self.last = keyframe.seq();
        self.writer.end_chunk().unwrap();
        let bytes = self.writer.take_bytes();
        (before, self.write(&bytes))
    }

    fn end(mut self) -> (PathBuf, u64) {
        let writer = LogWriter::new(&LogHeader::of(&self.server)).unwrap();
        let bytes = std::mem::replace(&mut self.writer, writer)
            .finish()
            .unwrap();
        let length = self.write(&bytes);
        (self.path, length)
    }

    fn write(&mut self, bytes: &[u8]) -> u64 {
        self.file.write_all(bytes).unwrap();
        self.file.metadata().unwrap().len()
    }
}

/// Pretends that the file was written some seconds ago.
fn age(path: &PathBuf, seconds: u64) {
    let file = OpenOptions::new().append(true).open(path).unwrap();
    let time = SystemTime::now() - Duration::from_secs(seconds);
    file.set_modified(time).unwrap();
}

/// Returns the length of the first file that a page sees; `None` before its begin.
fn seen(page: &Page) -> Option<u64> {
    seen_of(page, "recording.mcap")
}

/// Returns the length of a file that a page sees; `None` before its begin, and for no file.
fn seen_of(page: &Page, name: &str) -> Option<u64> {
    let request = format!("GET /{name} HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-0");
    let (head, body) = page.ask(&request);
    if head.starts_with("HTTP/1.1 503 ") || head.starts_with("HTTP/1.1 404 ") {
        assert!(body.is_empty());
        return None;
    }
    let (_, length) = head.split_once("Content-Range: bytes 0-0/").unwrap();
    length.lines().next()?.parse().ok()
}

#[test]
fn a_page_sees_a_file_that_is_being_written() {
    let mut broadcast = Broadcast::start("written.mcap");
    let page = Page::start(&broadcast.path.display().to_string(), &[]);
    for _ in 0..3 {
        let length = broadcast.play(2);
        assert_eq!(seen(&page), Some(length));
    }
    let (_, length) = broadcast.end();
    assert_eq!(seen(&page), Some(length));
}

#[test]
fn a_page_sees_no_record_before_its_delay() {
    let mut broadcast = Broadcast::start("delayed.mcap");
    let page = Page::start(&broadcast.path.display().to_string(), &["--delay", "1000"]);
    assert_eq!(seen(&page), None);
    let mut lengths = vec![0];
    for _ in 0..10 {
        lengths.push(broadcast.play(100));
    }
    // The newest record has the time 1001 s. The record of 1 s is old enough.
    let first = seen(&page).unwrap();
    assert!(first < lengths[1]);
    // Bytes behind the shown part are no answer to any range.
    let (head, body) = page.ask(&format!(
        "GET /recording.mcap HTTP/1.1\r\nHost: localhost\r\nRange: bytes={first}-"
    ));
    assert!(
        head.starts_with("HTTP/1.1 416 ") && body.is_empty(),
        "{head}"
    );
    let (_, body) = page.ask("GET /recording.mcap HTTP/1.1\r\nHost: localhost");
    assert_eq!(body.len() as u64, first);
    for (seconds, length) in (1..).zip(&lengths[1..10]) {
        age(&broadcast.path, 100 * seconds);
        assert_eq!(seen(&page), Some(*length));
    }
    // The end of the file comes with the last record.
    let (path, length) = broadcast.end();
    age(&path, 990);
    assert!(seen(&page).unwrap() < lengths[10]);
    age(&path, 1000);
    assert_eq!(seen(&page), Some(length));
}

/// Creates an empty folder.
fn folder(name: &str) -> String {
    let folder = format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_page_sees_the_files_of_a_rotation() {
    let folder = folder("rotated");
    let mut broadcast = Broadcast::start("rotated/race.mcap");
    let page = Page::start(&folder, &[]);
    let first = broadcast.play(2);
    let further = ["recording-1.mcap", "recording-2.mcap"];
    assert_eq!(seen(&page), Some(first));
    assert_eq!(further.map(|name| seen_of(&page, name)), [None, None]);
    let (first, _) = broadcast.rotate();
    let second = broadcast.play(2);
    assert_eq!(seen(&page), Some(first));
    assert_eq!(
        further.map(|name| seen_of(&page, name)),
        [Some(second), None]
    );
    let (second, third) = broadcast.rotate();
    let lengths = [Some(second), Some(third)];
    assert_eq!(further.map(|name| seen_of(&page, name)), lengths);
    for name in [
        "recording-01.mcap",
        "recording-0.mcap",
        "race.mcap",
        "../race.mcap",
    ] {
        assert_eq!(seen_of(&page, name), None, "{name}");
    }
}

#[test]
fn a_delay_holds_back_each_file_of_a_rotation() {
    let folder = folder("held");
    let mut broadcast = Broadcast::start("held/race.mcap");
    broadcast.play(99);
    let (first, _) = broadcast.rotate();
    let second = broadcast.play(100);
    let page = Page::start(&folder, &["--delay", "150"]);
    let newest = rotated_path(&broadcast.path, 1);
    // The newest record has the time 201 s, and the file before ends at 101 s.
    assert!(seen(&page).unwrap() < first);
    assert_eq!(seen_of(&page, "recording-1.mcap"), None);
    age(&newest, 50);
    assert_eq!(seen(&page), Some(first));
    let shown = seen_of(&page, "recording-1.mcap").unwrap();
    assert!(shown < second);
    age(&newest, 149);
    assert!(seen_of(&page, "recording-1.mcap").unwrap() > shown);
    age(&newest, 150);
    assert_eq!(seen_of(&page, "recording-1.mcap"), Some(second));
}

#[test]
fn a_recording_of_several_files_is_exported() {
    let folder = folder("exported");
    let mut broadcast = Broadcast::start("exported/race.mcap");
    broadcast.play(3);
    broadcast.rotate();
    broadcast.play(3);
    let (path, _) = broadcast.end();
    let page = format!("{folder}/page");
    let (code, _, errors) = run(&["replay", &folder, "--export", &page]);
    assert_eq!((code, errors.as_str()), (0, ""));
    for (number, name) in [(0, "recording.mcap"), (1, "recording-1.mcap")] {
        let exported = std::fs::read(format!("{page}/{name}")).unwrap();
        assert!(exported == std::fs::read(rotated_path(&path, number)).unwrap());
    }
    // The times of both files.
    let (code, output, errors) = run(&["info", &folder]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(output.contains("7.000 s"), "{output}");
}
