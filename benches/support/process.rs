//! This program in another role, as a child process.

#![allow(dead_code, reason = "each bench uses some of it")]

use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};

/// Length of a clock tick in `/proc`, in milliseconds.
const CLOCK_TICK: u64 = 10;

/// Child process. It stops when its input is closed.
pub(crate) struct Role {
    child: Child,
    output: BufReader<ChildStdout>,
}

/// CPU time and memory of a process.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) cpu: Duration,
    /// Resident memory, and the largest so far, in KiB.
    pub(crate) resident: u64,
    pub(crate) peak: u64,
    /// CPU time of the first thread.
    pub(crate) first_thread: Duration,
}

impl Role {
    /// Starts this program with arguments, and with as many open files as the system allows.
    pub(crate) fn start(arguments: &[&str]) -> io::Result<Self> {
        let mut child = Command::new("sh")
            .args(["-c", "ulimit -n \"$(ulimit -Hn)\"; exec \"$0\" \"$@\""])
            .arg(std::env::current_exe()?)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let output = BufReader::new(output);
        Ok(Self { child, output })
    }

    /// Reads a line of its output.
    pub(crate) async fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.output.read_line(&mut line).await?;
        Ok(line.trim().to_owned())
    }

    /// Writes a line to its input, and reads the answer.
    pub(crate) async fn ask(&mut self, line: &str) -> io::Result<String> {
        if let Some(input) = &mut self.child.stdin {
            input.write_all(format!("{line}\n").as_bytes()).await?;
            input.flush().await?;
        }
        self.line().await
    }

    /// Reads its CPU time and memory.
    pub(crate) fn usage(&self) -> io::Result<Usage> {
        let id = self.child.id().ok_or(io::ErrorKind::NotFound)?;
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
        // The name of the program stands in brackets before the state.
        let fields = stat.rsplit(')').next().unwrap_or_default();
        let times = fields.split_whitespace().skip(11).take(2);
        let ticks: u64 = times.filter_map(|time| time.parse::<u64>().ok()).sum();
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let size = |name: &str| {
            let size = status.lines().find_map(|line| line.strip_prefix(name));
            let size = size.and_then(|size| size.split_whitespace().next()?.parse().ok());
            size.unwrap_or(0)
        };
        let thread = std::fs::read_to_string(format!("/proc/{id}/task/{id}/schedstat"))?;
        let on_cpu = thread.split_whitespace().next();
        let on_cpu = on_cpu.and_then(|nanos| nanos.parse().ok());
        Ok(Usage {
            cpu: Duration::from_millis(ticks * CLOCK_TICK),
            resident: size("VmRSS:"),
            peak: size("VmHWM:"),
            first_thread: Duration::from_nanos(on_cpu.unwrap_or(0)),
        })
    }

    /// Closes its input, and returns the rest of its output.
    pub(crate) async fn stop(mut self) -> io::Result<String> {
        drop(self.child.stdin.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).await?;
        self.child.wait().await?;
        Ok(rest.trim().to_owned())
    }
}

/// Waits until the program that started this one closes the input.
pub(crate) async fn input_closed() {
    let mut rest = Vec::new();
    // An error means the same as the end.
    let _ = tokio::io::stdin().read_to_end(&mut rest).await;
}
