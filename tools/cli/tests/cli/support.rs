//! Runs of the program.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

/// Folder of the schema and the types that the client in TypeScript checks.
const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../clients/typescript/tests/types"
);

/// Returns a file beside the page of the client in TypeScript.
pub(crate) fn page_file(name: &str) -> PathBuf {
    PathBuf::from(PAGE).join(name)
}

/// Returns the path of a new file with this name and text.
pub(crate) fn file(name: &str, text: impl AsRef<[u8]>) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

/// Runs the program. Returns its exit code, its output, and its errors without the name of the program.
pub(crate) fn run(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncvar"));
    let output = command.args(arguments).output().expect("the program runs");
    let Output {
        status,
        stdout,
        stderr,
    } = output;
    let code = status.code().expect("an exit code");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let errors = text(stderr);
    let errors = errors.strip_prefix("syncvar: ").unwrap_or(&errors);
    (code, text(stdout), errors.trim_end().to_owned())
}

/// Page of a file on a port, up to its end.
pub(crate) struct Page {
    process: Child,
    address: String,
}

impl Page {
    /// Starts `replay` with further options.
    pub(crate) fn start(file: &str, options: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_syncvar"))
            .args(["replay", file, "--listen", "127.0.0.1:0"])
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let output = process.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap();
        let address = address.trim_end_matches('/').to_owned();
        Self { process, address }
    }

    /// Returns the head and the body of an answer.
    pub(crate) fn ask(&self, head: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request = format!("{head}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|it| it == b"\r\n\r\n").unwrap() + 4;
        let body = answer.split_off(end);
        (String::from_utf8(answer).unwrap(), body)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
