//! Sources of schemas: files and running servers.

mod address;
mod request;

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;
use std::time::Duration;

use syncvar::schema::{MAX_SCHEMA_TEXT, Schema};

pub(crate) use address::Address;

/// Settings of the access to a server.
#[derive(Debug)]
pub(crate) struct Access {
    /// Authorities in PEM, for QUIC; `None` for every server.
    pub(crate) authority: Option<PathBuf>,
    /// Longest time for an answer.
    pub(crate) timeout: Duration,
}

/// Place of a schema.
#[derive(Debug)]
pub(crate) enum Source {
    File(PathBuf),
    Server(Address),
}

impl Source {
    /// Returns the source of an argument: a server if it is an address.
    pub(crate) fn of(argument: &str) -> Result<Self, String> {
        match argument.split_once("://") {
            Some(_) => Address::parse(argument).map(Self::Server),
            None => Ok(Self::File(argument.into())),
        }
    }

    /// Reads the schema.
    pub(crate) fn read(&self, access: &Access) -> Result<Schema, String> {
        let (name, text) = match self {
            Self::File(path) => {
                let name = path.display().to_string();
                let text = file(path).map_err(|error| format!("{name}: {error}"))?;
                (name, text)
            }
            Self::Server(address) => {
                let name = address.to_string();
                let text = address.ask(access);
                (
                    name.clone(),
                    text.map_err(|error| format!("{name}: {error}"))?,
                )
            }
        };
        Schema::parse(&text).map_err(|error| format!("{name}: {error}"))
    }
}

/// Reads a file, of which the first bytes beyond the longest schema are enough.
fn file(path: &std::path::Path) -> Result<String, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_SCHEMA_TEXT).map_or(u64::MAX, |limit| limit + 1);
    let read = file.take(limit).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    if bytes.len() > MAX_SCHEMA_TEXT {
        return Err(format!("a schema of more than {MAX_SCHEMA_TEXT} bytes"));
    }
    String::from_utf8(bytes).map_err(|error| error.to_string())
}
