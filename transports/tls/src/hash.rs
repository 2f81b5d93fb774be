//! `CertHash`.

use std::fmt::{self, Write};
use std::io;
use std::str::FromStr;

use ring::digest::{SHA256, digest};
use rustls::pki_types::CertificateDer;

use crate::invalid;

/// SHA-256 of a certificate in DER: `serverCertificateHashes` of WebTransport. Its text has 64 hexadecimal
/// digits.
///
/// ```
/// use syncvar::tls::CertHash;
///
/// # fn main() -> std::io::Result<()> {
/// let text = "00".repeat(31) + "ff";
/// let hash: CertHash = text.parse()?;
/// assert_eq!(hash.0[31], 255);
/// assert_eq!(hash.to_string(), text);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CertHash(pub [u8; 32]);

impl CertHash {
    pub(crate) fn of(certificate: &CertificateDer<'_>) -> Self {
        let mut bytes = [0; 32];
        let hash = digest(&SHA256, certificate);
        for (byte, of_hash) in bytes.iter_mut().zip(hash.as_ref()) {
            *byte = *of_hash;
        }
        Self(bytes)
    }
}

impl fmt::Display for CertHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for CertHash {
    type Err = io::Error;

    fn from_str(text: &str) -> io::Result<Self> {
        let wrong = || {
            let mut shown = String::new();
            let _ = write!(shown, "a hash has 64 hexadecimal digits: `{text}`");
            invalid(shown)
        };
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        for (index, byte) in bytes.iter_mut().enumerate() {
            let digits = text.get(index * 2..index * 2 + 2).ok_or_else(wrong)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::CertHash;

    #[test]
    fn wrong_texts_are_errors() {
        let long = "0".repeat(65);
        let plus = format!("+{}", "0".repeat(63));
        for text in ["", "12", "é", &long, &plus] {
            let error = text.parse::<CertHash>().unwrap_err().to_string();
            assert!(error.contains("64 hexadecimal digits"), "{error}");
        }
    }
}
