//! `Identity`: the certificate of a server.

use std::fmt::Write;
use std::io;
use std::sync::Arc;

use ring::hmac::{HMAC_SHA256, Key, sign};
#[cfg(feature = "generate")]
use ring::rand::SystemRandom;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use crate::{CertHash, invalid, provider};

/// Certificate of a server and its key. Clones are the same identity.
///
/// The debug output omits the key.
#[derive(Clone, Debug)]
pub struct Identity {
    kind: IdentityKind,
    /// Source of the [secrets](Identity::secret).
    secrets: Arc<Key>,
}

#[derive(Clone, Debug)]
enum IdentityKind {
    Fixed(Arc<CertifiedKey>),
    #[cfg(feature = "generate")]
    Generated(Arc<crate::generated::Rotation>),
}

impl Identity {
    /// Reads a chain of certificates, the server's first, and its private key, both in PEM. Clients
    /// verify the chain.
    ///
    /// # Errors
    ///
    /// With [`InvalidInput`](io::ErrorKind::InvalidInput): for malformed PEM, without a certificate or a
    /// key, and for a key of unknown kind or that does not match the certificate.
    pub fn from_pem(chain: &[u8], key: &[u8]) -> io::Result<Self> {
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(chain).collect();
        let chain = chain.map_err(|error| invalid(format!("malformed certificates: {error}")))?;
        if chain.is_empty() {
            return Err(invalid("no certificate in the PEM"));
        }
        let key = PrivateKeyDer::from_pem_slice(key);
        let key = key.map_err(|error| invalid(format!("malformed private key: {error}")))?;
        let secrets = Arc::new(Key::new(HMAC_SHA256, key.secret_der()));
        let certified = CertifiedKey::from_der(chain, key, &provider());
        let certified = certified.map_err(|error| invalid(format!("unusable key: {error}")))?;
        Ok(Self {
            kind: IdentityKind::Fixed(Arc::new(certified)),
            secrets,
        })
    }

    /// Makes a certificate in memory, signed by itself, for these names and addresses. Clients verify its
    /// [hash](Self::hashes).
    ///
    /// It has a key of ECDSA on P-256 and is valid for less than 14 days, as WebTransport demands. After 6 days
    /// the next one takes its place, whose hash is known before.
    ///
    /// # Errors
    ///
    /// With [`InvalidInput`](io::ErrorKind::InvalidInput): for a name that DNS does not allow. Also when the system has no random
    /// numbers.
    #[cfg(feature = "generate")]
    pub fn generated(names: &[&str]) -> io::Result<Self> {
        let now = std::time::SystemTime::now();
        let rotation = crate::generated::Rotation::new(names, now)?;
        let secrets = Key::generate(HMAC_SHA256, &SystemRandom::new());
        let secrets = secrets.map_err(|_| io::Error::other("no random numbers"))?;
        Ok(Self {
            kind: IdentityKind::Generated(Arc::new(rotation)),
            secrets: Arc::new(secrets),
        })
    }

    /// Returns a secret for a purpose, such as `"tokens of my game"`, derived from the private key. Each purpose has a
    /// different secret, and the secrets do not show the key.
    ///
    /// Processes with the same private key from PEM have the same secrets: a new process verifies the signatures of the
    /// process before. The secrets of a [generated](Self::generated) identity end with its process.
    pub fn secret(&self, purpose: &str) -> [u8; 32] {
        let mut secret = [0; 32];
        let signed = sign(&self.secrets, purpose.as_bytes());
        for (byte, of_secret) in secret.iter_mut().zip(signed.as_ref()) {
            *byte = *of_secret;
        }
        secret
    }

    /// Returns the hashes that clients may verify in place of a chain: of the present and the next
    /// generated certificate. None for certificates from PEM: browsers refuse such hashes.
    pub fn hashes(&self) -> Vec<CertHash> {
        match &self.kind {
            IdentityKind::Fixed(_) => Vec::new(),
            #[cfg(feature = "generate")]
            IdentityKind::Generated(rotation) => rotation.hashes(std::time::SystemTime::now()),
        }
    }

    /// Returns the [hashes](Self::hashes) as a JSON array of texts: the answer to `/cert-hashes` on a web port. An
    /// empty array says that clients verify the chain.
    pub fn hashes_json(&self) -> String {
        let mut json = String::from("[");
        for (index, hash) in self.hashes().iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let _ = write!(json, "{comma}\"{hash}\"");
        }
        json.push(']');
        json
    }

    /// Returns the configuration of a server with this identity, for these protocols (ALPN).
    ///
    /// # Errors
    ///
    /// When rustls lacks a suite of TLS 1.3: never, by its documentation.
    pub fn server_config(&self, protocols: &[&[u8]]) -> io::Result<ServerConfig> {
        let builder = ServerConfig::builder_with_provider(provider());
        let builder = builder.with_protocol_versions(&[&rustls::version::TLS13]);
        let builder = builder.map_err(io::Error::other)?;
        let resolver = Arc::new(self.clone());
        let mut config = builder.with_no_client_auth().with_cert_resolver(resolver);
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        Ok(config)
    }
}

impl ResolvesServerCert for Identity {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(match &self.kind {
            IdentityKind::Fixed(certified) => Arc::clone(certified),
            #[cfg(feature = "generate")]
            IdentityKind::Generated(rotation) => rotation.present(std::time::SystemTime::now()),
        })
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair};

    use super::*;

    #[test]
    fn wrong_pem_is_an_error_that_names_the_part() {
        let key = KeyPair::generate().unwrap();
        let other = KeyPair::generate().unwrap();
        let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        let chain = params.self_signed(&key).unwrap().pem();
        let key = key.serialize_pem();
        assert!(Identity::from_pem(chain.as_bytes(), key.as_bytes()).is_ok());
        let broken = chain.replace("-----END", "----END");
        for (chain, key, text) in [
            ("", &*key, "no certificate in the PEM"),
            (&*broken, &*key, "malformed certificates"),
            (&*chain, "", "malformed private key"),
            (&*chain, &*other.serialize_pem(), "unusable key"),
        ] {
            let error = Identity::from_pem(chain.as_bytes(), key.as_bytes()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            assert!(error.to_string().starts_with(text), "{error}");
        }
    }

    #[test]
    fn secrets_follow_from_the_key_and_the_purpose() {
        let identity = |key: &KeyPair| {
            let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
            let chain = params.self_signed(key).unwrap().pem();
            Identity::from_pem(chain.as_bytes(), key.serialize_pem().as_bytes()).unwrap()
        };
        let key = KeyPair::generate().unwrap();
        let secret = identity(&key).secret("resets");
        // A renewed certificate with the same key.
        assert_eq!(identity(&key).secret("resets"), secret);
        assert_ne!(identity(&key).secret("tokens"), secret);
        assert_ne!(
            identity(&KeyPair::generate().unwrap()).secret("resets"),
            secret
        );
    }

    #[test]
    fn certificates_from_pem_have_no_hashes() {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        let chain = params.self_signed(&key).unwrap().pem();
        let identity =
            Identity::from_pem(chain.as_bytes(), key.serialize_pem().as_bytes()).unwrap();
        assert_eq!(identity.hashes_json(), "[]");
        assert!(!format!("{identity:?}").contains(&format!("{:?}", key.serialize_der())));
    }
}
