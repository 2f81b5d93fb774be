//! Certificates made in memory, in succession.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::sign::CertifiedKey;

use crate::{CertHash, invalid, provider};

/// Time for which a certificate is presented. A client may have learned its hash for as long before.
const TURN: Duration = Duration::from_hours(6 * 24);

/// Validity before the first turn: clocks differ.
const EARLIER: Duration = Duration::from_hours(24);

/// Validity of a certificate: a day before, as the next one, as the present one, and 12 hours more. WebTransport
/// allows 14 days.
const VALIDITY: Duration = Duration::from_hours((1 + 6 + 6) * 24 + 12);

/// Two certificates: the present one and the next.
#[derive(Debug)]
pub(crate) struct Rotation {
    names: Vec<String>,
    pair: Mutex<Pair>,
}

#[derive(Debug)]
struct Pair {
    /// Begin of the present certificate's turn.
    since: SystemTime,
    present: Arc<CertifiedKey>,
    next: Arc<CertifiedKey>,
}

impl Rotation {
    pub(crate) fn new(names: &[&str], now: SystemTime) -> io::Result<Self> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let pair = Pair {
            since: now,
            present: generate(&names, now)?,
            next: generate(&names, now)?,
        };
        let pair = Mutex::new(pair);
        Ok(Self { names, pair })
    }

    /// Returns the present certificate.
    pub(crate) fn present(&self, now: SystemTime) -> Arc<CertifiedKey> {
        self.at(now, |pair| Arc::clone(&pair.present))
    }

    /// Returns the hashes of the present and the next certificate.
    pub(crate) fn hashes(&self, now: SystemTime) -> Vec<CertHash> {
        let hash = |certified: &CertifiedKey| certified.cert.first().map(CertHash::of);
        self.at(now, |pair| {
            let both = [hash(&pair.present), hash(&pair.next)];
            both.into_iter().flatten().collect()
        })
    }

    /// Replaces certificates whose turn is over, and reads the pair.
    fn at<T>(&self, now: SystemTime, read: impl FnOnce(&Pair) -> T) -> T {
        let mut pair = self.pair.lock().unwrap_or_else(PoisonError::into_inner);
        let age = now.duration_since(pair.since).unwrap_or_default();
        if age >= TURN {
            // Only the system's random numbers can fail here, for the names passed before: the old certificates remain.
            let _ = pair.advance(&self.names, now, age);
        }
        read(&pair)
    }
}

impl Pair {
    fn advance(&mut self, names: &[String], now: SystemTime, age: Duration) -> io::Result<()> {
        let next = generate(names, now)?;
        self.present = if age < TURN * 2 {
            std::mem::replace(&mut self.next, next)
        } else {
            // Both are too old: no client has asked for so long.
            self.next = next;
            generate(names, now)?
        };
        self.since = now;
        Ok(())
    }
}

/// Makes a certificate that is the next one from now on.
fn generate(names: &[String], now: SystemTime) -> io::Result<Arc<CertifiedKey>> {
    let mut params = CertificateParams::new(names).map_err(invalid)?;
    let not_before = now.checked_sub(EARLIER).unwrap_or(now);
    params.not_before = not_before.into();
    params.not_after = (not_before + VALIDITY).into();
    let key = KeyPair::generate().map_err(io::Error::other)?;
    let certificate = params.self_signed(&key).map_err(invalid)?;
    let der = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let chain = vec![certificate.der().clone()];
    let certified = CertifiedKey::from_der(chain, der, &provider());
    certified.map(Arc::new).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_certificate_is_known_before_its_turn() {
        let start = SystemTime::now();
        let rotation = Rotation::new(&["localhost", "127.0.0.1"], start).unwrap();
        let first = rotation.hashes(start);
        let present = |now| CertHash::of(&rotation.present(now).cert[0]);
        assert_eq!(
            rotation.hashes(start + TURN - Duration::from_secs(1)),
            first
        );
        assert_eq!(present(start), first[0]);
        let second = rotation.hashes(start + TURN);
        assert_eq!(second[0], first[1]);
        assert!(!first.contains(&second[1]));
        // The clock goes back.
        assert_eq!(rotation.hashes(start), second);
        // After a long silence both are new.
        let late = rotation.hashes(start + TURN * 10);
        assert!(!late.iter().any(|hash| second.contains(hash)));
        assert_eq!(present(start + TURN * 10), late[0]);
    }

    #[test]
    fn certificates_are_valid_in_their_turn_and_for_14_days() {
        let day = Duration::from_hours(24);
        assert!(VALIDITY < 14 * day);
        // Made, then the next one for a turn, then the present one for a turn.
        assert!(VALIDITY > EARLIER + TURN * 2);
    }

    #[test]
    fn a_name_that_is_none_is_an_error() {
        let error = Rotation::new(&["é"], SystemTime::now()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}
