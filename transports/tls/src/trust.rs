//! `Trust`: the servers that a client accepts.

use std::io;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

use crate::{CertHash, invalid, provider};

/// Servers that a client accepts: by a chain of certificates, by hashes, or every server.
///
/// The crate lists no authorities: pass the authorities of your server.
#[derive(Clone, Debug)]
pub struct Trust(TrustKind);

#[derive(Clone, Debug)]
enum TrustKind {
    Roots(Arc<RootCertStore>),
    /// `None`: any certificate.
    Pinned(Option<Vec<CertHash>>),
}

impl Trust {
    /// Accepts servers whose chain ends at any of these certificates in PEM, for the name or address of
    /// the connection.
    ///
    /// # Errors
    ///
    /// With [`InvalidInput`](io::ErrorKind::InvalidInput): for malformed PEM, for a certificate that is not an
    /// authority, and for PEM without certificates.
    pub fn roots_pem(pem: &[u8]) -> io::Result<Self> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate =
                certificate.map_err(|error| invalid(format!("malformed certificates: {error}")))?;
            let added = roots.add(certificate);
            added.map_err(|error| invalid(format!("unusable root: {error}")))?;
        }
        if roots.is_empty() {
            return Err(invalid("no certificate in the PEM"));
        }
        Ok(Self(TrustKind::Roots(Arc::new(roots))))
    }

    /// Accepts servers whose certificate has a hash in the list, such as [`Identity::hashes`](crate::Identity::hashes), which a
    /// client learns by a way that it trusts. Names and dates of the certificate do not count.
    pub fn hashes(hashes: impl IntoIterator<Item = CertHash>) -> Self {
        Self(TrustKind::Pinned(Some(hashes.into_iter().collect())))
    }

    /// Accepts every server: encryption without authentication. A program on the way can take the server's
    /// place. For tests.
    pub fn any_server_without_verification() -> Self {
        Self(TrustKind::Pinned(None))
    }

    /// Returns the configuration of a client with this trust, for these protocols (ALPN).
    ///
    /// # Errors
    ///
    /// When rustls lacks a suite of TLS 1.3: never, by its documentation.
    pub fn client_config(&self, protocols: &[&[u8]]) -> io::Result<ClientConfig> {
        let builder = ClientConfig::builder_with_provider(provider());
        let builder = builder.with_protocol_versions(&[&rustls::version::TLS13]);
        let builder = builder.map_err(io::Error::other)?;
        let mut config = match &self.0 {
            TrustKind::Roots(roots) => builder
                .with_root_certificates(Arc::clone(roots))
                .with_no_client_auth(),
            TrustKind::Pinned(hashes) => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Pinned {
                    hashes: hashes.clone(),
                    provider: provider(),
                }))
                .with_no_client_auth(),
        };
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        Ok(config)
    }
}

/// Verifier of hashes.
#[derive(Debug)]
struct Pinned {
    hashes: Option<Vec<CertHash>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let accepts = match &self.hashes {
            Some(hashes) => hashes.contains(&CertHash::of(certificate)),
            None => true,
        };
        if accepts {
            Ok(ServerCertVerified::assertion())
        } else {
            let refused = CertificateError::ApplicationVerificationFailure;
            Err(Error::InvalidCertificate(refused))
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}
