//! Bytes as they are recorded: in full, or, where they are many, as a digest.

use std::fmt;

use sha2::{Digest, Sha256};

use syncvar_testing::golden::{Json, Node};

#[derive(Clone)]
pub(crate) enum RecordedBytes {
    Full(Vec<u8>),
    Digest {
        length: usize,
        prefix: Vec<u8>,
        sha256: String,
    },
}

impl RecordedBytes {
    /// The bytes under a key, or under `key_len`, `key_prefix` and `key_sha256`.
    pub(crate) fn find(json: &Json, key: &str) -> Option<Self> {
        let part = |part| json.at(&format!("{key}_{part}"));
        match (json.get(key), json.get(&format!("{key}_len"))) {
            (Some(bytes), _) => Some(Self::Full(bytes.hex())),
            (None, Some(length)) => Some(Self::Digest {
                length: length.number(),
                prefix: part("prefix").hex(),
                sha256: part("sha256").text().into(),
            }),
            (None, None) => None,
        }
    }

    /// The bytes of a packet: `hex`, or `length`, `hex_prefix` and `sha256`.
    pub(crate) fn of_packet(json: &Json) -> Self {
        match json.get("hex") {
            Some(bytes) => Self::Full(bytes.hex()),
            None => Self::Digest {
                length: json.at("length").number(),
                prefix: json.at("hex_prefix").hex(),
                sha256: json.at("sha256").text().into(),
            },
        }
    }

    pub(crate) fn length(&self) -> usize {
        match self {
            Self::Full(recorded) => recorded.len(),
            Self::Digest { length, .. } => *length,
        }
    }

    pub(crate) fn are(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Full(recorded) => recorded == bytes,
            Self::Digest {
                length,
                prefix,
                sha256,
            } => {
                bytes.len() == *length
                    && bytes.starts_with(prefix)
                    && hex::encode(Sha256::digest(bytes)) == *sha256
            }
        }
    }

    /// The bytes in full: those of a digest are `ours`, if it is theirs.
    pub(crate) fn resolve<'a>(&'a self, ours: &'a [u8]) -> Option<&'a [u8]> {
        match self {
            Self::Full(recorded) => Some(recorded),
            Self::Digest { .. } => self.are(ours).then_some(ours),
        }
    }
}

impl fmt::Display for RecordedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(recorded) => f.write_str(&hex::encode(recorded)),
            Self::Digest {
                length,
                prefix,
                sha256,
            } => {
                write!(
                    f,
                    "{length} bytes, {}..., sha256 {sha256}",
                    hex::encode(prefix)
                )
            }
        }
    }
}
