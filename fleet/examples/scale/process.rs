//! `MeasuredProcess`: a child with its CPU time and memory.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::Result;

/// Size of a page, in bytes.
const PAGE: usize = 4096;

/// A child that answers each line with a line. It ends with the value.
pub(crate) struct MeasuredProcess {
    child: Child,
    output: BufReader<ChildStdout>,
}

/// Resources of a process since its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// CPU time of all threads.
    pub(crate) cpu: Duration,
    /// Resident memory in bytes.
    pub(crate) resident: usize,
}

impl Usage {
    /// Returns the CPU time between two moments, and the memory at the later one.
    pub(crate) fn since(later: Self, before: Self) -> Self {
        Self {
            cpu: later.cpu.saturating_sub(before.cpu),
            resident: later.resident,
        }
    }
}

impl MeasuredProcess {
    /// Starts this program with arguments.
    pub(crate) fn start_self(arguments: &[&str]) -> Result<Self> {
        Self::start(std::env::current_exe()?.as_os_str(), arguments)
    }

    /// Starts this program with arguments in valgrind, which prints the number of instructions at the end.
    pub(crate) fn start_counted(arguments: &[&str]) -> Result<Self> {
        let program = std::env::current_exe()?.display().to_string();
        let options = [
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            &program,
        ];
        Self::start("valgrind".as_ref(), &[&options[..], arguments].concat())
    }

    /// Starts the program `syncvar`.
    pub(crate) fn start_relay(arguments: &[&str]) -> Result<Self> {
        let own = std::env::current_exe()?;
        let directory = own.parent().and_then(|examples| examples.parent());
        let program = directory.ok_or("no directory")?.join("syncvar");
        if !program.exists() {
            return Err("no relay: cargo build --release -p syncvar-cli".into());
        }
        Self::start(program.as_os_str(), arguments)
    }

    fn start(program: &OsStr, arguments: &[&str]) -> Result<Self> {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Self { child, output })
    }

    /// Reads the next line, and returns it without its beginning.
    pub(crate) fn line(&mut self, begin: &str) -> Result<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let rest = line.trim().strip_prefix(begin);
        Ok(rest.ok_or_else(|| format!("not {begin}: {line}"))?.into())
    }

    /// Asks for the report since the last one.
    pub(crate) fn ask(&mut self) -> Result<String> {
        let input = self.child.stdin.as_mut().ok_or("no input")?;
        input.write_all(b"\n")?;
        input.flush()?;
        self.line("report: ")
    }

    /// Waits for the end of the process. Its input stays open meanwhile: without it the process ends.
    pub(crate) fn wait(&mut self) -> Result<()> {
        let _input = self.child.stdin.take();
        self.child.wait()?;
        Ok(())
    }

    pub(crate) fn signal(&self, name: &str) -> Result<()> {
        let pid = self.child.id().to_string();
        let status = Command::new("kill").args([name, &pid]).status()?;
        if status.success() {
            Ok(())
        } else {
            Err("kill fails".into())
        }
    }

    /// Returns the resources of the process. Linux alone has them.
    pub(crate) fn usage(&self) -> Result<Usage> {
        let process = format!("/proc/{}", self.child.id());
        let mut nanoseconds = 0;
        for thread in std::fs::read_dir(format!("{process}/task"))? {
            let times = std::fs::read_to_string(thread?.path().join("schedstat"))?;
            let first = times.split_whitespace().next().ok_or("no time")?;
            nanoseconds += first.parse::<u64>()?;
        }
        let pages = std::fs::read_to_string(format!("{process}/statm"))?;
        let resident = pages.split_whitespace().nth(1).ok_or("no size")?;
        Ok(Usage {
            cpu: Duration::from_nanos(nanoseconds),
            resident: resident.parse::<usize>()? * PAGE,
        })
    }
}

impl Drop for MeasuredProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the answer of an HTTP server.
pub(crate) fn get(address: &str, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}

/// Lets a thread read lines. Returns their arrival.
pub(crate) fn input() -> std::sync::mpsc::Receiver<()> {
    let (sender, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for _line in std::io::stdin().lines().map_while(Result::ok) {
            if sender.send(()).is_err() {
                break;
            }
        }
        // The parent has ended.
        std::process::exit(0);
    });
    lines
}

/// Returns the time at a percentile of sorted times.
pub(crate) fn at(times: &[Duration], percent: usize) -> Duration {
    let place = times.len().saturating_sub(1) * percent / 100;
    times.get(place).copied().unwrap_or_default()
}
