//! `Process`: a server in its process.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use syncvar::NetId;

/// Objects of a server.
pub(crate) type Report = BTreeMap<NetId, Reported>;

/// An object of a server.
pub(crate) struct Reported {
    pub(crate) owner: u32,
    /// Group of the observers; -1 for everybody.
    pub(crate) group: i64,
    /// Values of all fields.
    pub(crate) fields: String,
}

/// A server in its process, which is killed at its end.
pub(crate) struct Process {
    child: Child,
    pub(crate) port: u16,
    lines: Receiver<String>,
    kept: Vec<String>,
    has_ticked: bool,
}

impl Process {
    /// Starts a server of a build, and waits for its port. Port 0 is any port.
    pub(crate) fn start(
        directory: &Path,
        port: u16,
        build: usize,
        clients: usize,
    ) -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .arg(directory)
            .args([port.to_string(), build.to_string(), clients.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or("an output")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut process = Self {
            child,
            port,
            lines,
            kept: Vec::new(),
            has_ticked: false,
        };
        if port == 0 {
            let line = process.lines.recv()?;
            process.port = line.trim_start_matches("port ").parse()?;
        }
        Ok(process)
    }

    /// Ends the process by SIGKILL.
    pub(crate) fn kill(&mut self) -> Result<(), Box<dyn Error>> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Returns whether the packets of a tick have left.
    pub(crate) fn has_ticked(&mut self) -> bool {
        self.take_lines();
        self.has_ticked
    }

    fn take_lines(&mut self) {
        for line in self.lines.try_iter() {
            self.has_ticked |= line == "tick";
            self.kept.push(line);
        }
    }

    /// Takes what the server has said about its start.
    pub(crate) fn notes(&mut self) -> Vec<String> {
        self.take_lines();
        let lines = std::mem::take(&mut self.kept);
        lines
            .into_iter()
            .filter(|line| line.starts_with("recovered"))
            .collect()
    }

    /// Gives the server an order.
    pub(crate) fn tell(&mut self, order: &str) -> Result<(), Box<dyn Error>> {
        let input = self.child.stdin.as_mut().ok_or("an input")?;
        writeln!(input, "{order}")?;
        Ok(())
    }

    /// Asks for the objects; `wait` runs meanwhile.
    pub(crate) fn report(
        &mut self,
        mut wait: impl FnMut() -> Result<(), Box<dyn Error>>,
    ) -> Result<Report, Box<dyn Error>> {
        self.kept.clear();
        self.tell("report")?;
        while self.kept.last().is_none_or(|line| line != "end") {
            wait()?;
            self.take_lines();
        }
        let mut report = Report::new();
        for line in &self.kept {
            if let Some(object) = line.strip_prefix("object ") {
                let mut parts = object.splitn(4, ' ');
                let mut part = || parts.next().ok_or("a part");
                let id = NetId(part()?.parse()?);
                let object = Reported {
                    owner: part()?.parse()?,
                    group: part()?.parse()?,
                    fields: part()?.to_owned(),
                };
                report.insert(id, object);
            }
        }
        Ok(report)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}
