//! Processes of the examples: each is this program with different arguments.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

/// Result of a step of an example.
pub(crate) type Fallible<T> = Result<T, Box<dyn Error>>;

/// Process of a node. It ends with the value.
pub(crate) struct NodeProcess {
    pub(crate) child: Child,
    output: BufReader<ChildStdout>,
}

impl NodeProcess {
    /// Starts a node, and waits for its first line.
    pub(crate) fn start(arguments: &[&str]) -> Fallible<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut process = Self { child, output };
        let line = process.line()?;
        if line != "ready" {
            return Err(format!("{arguments:?}: {line}").into());
        }
        Ok(process)
    }

    /// Reads the next line.
    pub(crate) fn line(&mut self) -> Fallible<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line.trim().into())
    }
}

impl Drop for NodeProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn free_port() -> Fallible<String> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    Ok(listener.local_addr()?.to_string())
}
