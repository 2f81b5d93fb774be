//! The page on a port.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use syncvar::log::rotated_path;

use super::broadcast::Broadcast;
use super::range::RangePart;
use super::{FILE, PARTS, at, page_file};
use crate::http::{HttpRequest, write_head};

/// Most connections at a time.
const MAX_CONNECTIONS: usize = 64;

/// Longest silence of a connection.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Recording of the page.
#[derive(Debug)]
struct Served {
    /// Path of the first file.
    path: PathBuf,
    /// `None` for a recording that is shown as it is.
    broadcast: Option<Mutex<Broadcast>>,
}

impl Served {
    fn open(path: &Path, delay: Duration) -> Result<Self, String> {
        let broadcast = (!delay.is_zero()).then(|| Broadcast::open(path, delay));
        let broadcast = broadcast.transpose().map_err(|error| at(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            broadcast: broadcast.map(Mutex::new),
        })
    }

    /// Returns the number of bytes of a file that the page may see.
    fn length(&self, file: &File, number: u32) -> io::Result<u64> {
        let length = file.metadata()?.len();
        let Some(broadcast) = &self.broadcast else {
            return Ok(length);
        };
        let mut broadcast = broadcast.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = broadcast.length(number).map_err(io::Error::other)?;
        Ok(shown.min(length))
    }
}

/// Connection that counts until it ends.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves the page of a file, and prints its address.
pub(super) fn serve(
    file: &Path,
    address: &str,
    delay: Duration,
    is_journal: bool,
) -> Result<String, String> {
    let served = Arc::new(Served::open(file, delay)?);
    let failed = |error: io::Error| format!("{address}: {error}");
    let listener = TcpListener::bind(address).map_err(failed)?;
    let local = listener.local_addr().map_err(failed)?;
    if is_journal && !local.ip().is_loopback() {
        return Err(at(
            file,
            &"a journal contains the tokens of sessions: it is served to this machine alone",
        ));
    }
    let mut output = io::stdout();
    let printed = writeln!(output, "http://{local}/").and_then(|()| output.flush());
    printed.map_err(|error| format!("the standard output: {error}"))?;
    let connections = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        // A connection that has ended before it was accepted.
        let Ok(stream) = stream else { continue };
        if connections.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
            connections.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let counted = Counted(Arc::clone(&connections));
        let served = Arc::clone(&served);
        thread::spawn(move || {
            // The peer has gone, or speaks no HTTP.
            let _ = converse(&stream, &served, local);
            drop(counted);
        });
    }
    Ok(String::new())
}

/// Answers the requests of a connection.
fn converse(stream: &TcpStream, file: &Served, local: SocketAddr) -> io::Result<()> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    while let Some(request) = HttpRequest::read(&mut reader)? {
        answer(&mut writer, &request, file, local)?;
        if request.is_last {
            break;
        }
    }
    Ok(())
}

fn answer(
    writer: &mut impl Write,
    request: &HttpRequest,
    file: &Served,
    local: SocketAddr,
) -> io::Result<()> {
    let has_body = request.method == "GET";
    if !has_body && request.method != "HEAD" {
        return write_head(
            writer,
            "405 Method Not Allowed",
            0,
            &[("Allow", "GET, HEAD")],
        );
    }
    if !is_own_name(request.host.as_deref(), local) {
        return write_head(writer, "421 Misdirected Request", 0, &[]);
    }
    let name = request.path.trim_start_matches('/');
    let name = if name.is_empty() { "index.html" } else { name };
    if let Some(number) = file_number(name) {
        return answer_file(writer, request, file, number);
    }
    let part = PARTS.iter().find(|(part, ..)| *part == name);
    let Some((_, content_type, content)) = part else {
        return write_head(writer, "404 Not Found", 0, &[]);
    };
    let lines = [("Content-Type", *content_type)];
    write_head(writer, "200 OK", content.len() as u64, &lines)?;
    if has_body {
        writer.write_all(content.as_bytes())?;
    }
    Ok(())
}

/// Returns the number of a file of the recording by its name on the page.
fn file_number(name: &str) -> Option<u32> {
    if name == FILE {
        return Some(0);
    }
    let number = name.strip_prefix("recording-")?.strip_suffix(".mcap")?;
    let number = number.parse().ok()?;
    (page_file(number) == name).then_some(number)
}

/// Returns whether a request names this machine. A page of a web site reaches a local port under the name of the site.
fn is_own_name(host: Option<&str>, local: SocketAddr) -> bool {
    if !local.ip().is_loopback() {
        return true;
    }
    let host = host.unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    ["127.0.0.1", "localhost", "[::1]"].contains(&name) || host == local.to_string()
}

fn answer_file(
    writer: &mut impl Write,
    request: &HttpRequest,
    served: &Served,
    number: u32,
) -> io::Result<()> {
    let Ok(mut file) = File::open(rotated_path(&served.path, number)) else {
        return write_head(writer, "404 Not Found", 0, &[]);
    };
    let length = served.length(&file, number)?;
    if length == 0 {
        return write_head(
            writer,
            "503 Service Unavailable",
            0,
            &[("Retry-After", "1")],
        );
    }
    let lines = [
        ("Content-Type", "application/octet-stream"),
        ("Accept-Ranges", "bytes"),
    ];
    let (from, count) = match RangePart::of(request.range.as_deref(), length) {
        RangePart::Whole => {
            write_head(writer, "200 OK", length, &lines)?;
            (0, length)
        }
        RangePart::Bytes(from, count) => {
            let range = format!("bytes {from}-{}/{length}", from + count - 1);
            let lines = [lines[0], lines[1], ("Content-Range", range.as_str())];
            write_head(writer, "206 Partial Content", count, &lines)?;
            (from, count)
        }
        RangePart::Outside => {
            let range = format!("bytes */{length}");
            let lines = [("Content-Range", range.as_str())];
            return write_head(writer, "416 Range Not Satisfiable", 0, &lines);
        }
    };
    if request.method == "GET" {
        file.seek(SeekFrom::Start(from))?;
        io::copy(&mut file.take(count), writer)?;
    }
    Ok(())
}
