//! A page that follows a file that is being written.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use syncvar::log::{LogEntry, LogHeader, LogWriter};
use syncvar::prelude::*;

use crate::support::Page;

/// Server whose recording goes to a file, a chunk for each second.
struct Broadcast {
    server: NetworkServer,
    writer: LogWriter,
    file: File,
    path: PathBuf,
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

/// Returns the length of the file that a page sees; `None` before its begin.
fn seen(page: &Page) -> Option<u64> {
    let request = "GET /recording.mcap HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-0";
    let (head, body) = page.ask(request);
    if head.starts_with("HTTP/1.1 503 ") {
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
