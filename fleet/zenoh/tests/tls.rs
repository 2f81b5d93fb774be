//! Links by TLS: both ends show a certificate.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use syncvar_fleet::{Carrier, NodeId, Role};
use syncvar_zenoh::{TlsFiles, ZenohCarrier, ZenohConfig};

/// Writes the certificate of an authority and of a node on this machine into a folder.
fn files(folder: &Path, name: &str) -> TlsFiles {
    let path = |part: &str| -> PathBuf { folder.join(format!("{name}-{part}.pem")) };
    let authority_key = KeyPair::generate().unwrap();
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = authority.self_signed(&authority_key).unwrap();
    fs::write(path("authority"), certificate.pem()).unwrap();
    let key = KeyPair::generate().unwrap();
    let node = CertificateParams::new(vec!["localhost".into()]).unwrap();
    let issuer = Issuer::new(authority, authority_key);
    let certificate = node.signed_by(&key, &issuer).unwrap();
    fs::write(path("node"), certificate.pem()).unwrap();
    fs::write(path("key"), key.serialize_pem()).unwrap();
    TlsFiles {
        authority: path("authority"),
        certificate: path("node"),
        private_key: path("key"),
    }
}

#[test]
fn nodes_with_a_certificate_of_the_fleet_meet() {
    let folder = std::env::temp_dir().join(format!("syncvar-zenoh-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let fleet = files(&folder, "fleet");
    let mut stranger = files(&folder, "stranger");
    // It trusts the fleet, but has a certificate of another authority.
    stranger.authority = fleet.authority.clone();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tls/localhost:{}", port.local_addr().unwrap().port());
    drop(port);
    let mut config = ZenohConfig::new("test", Role::Origin);
    config.listen.push(address.clone());
    config.tls = Some(fleet.clone());
    let mut origin = ZenohCarrier::open(NodeId(1), &config).unwrap();
    let mut relays: Vec<_> = [stranger, fleet]
        .into_iter()
        .zip(2..)
        .map(|(files, id)| {
            let mut config = ZenohConfig::new("test", Role::Relay);
            config.connect.push(address.clone());
            config.tls = Some(files);
            ZenohCarrier::open(NodeId(id), &config).unwrap()
        })
        .collect();
    let started = Instant::now();
    // The stranger began first. It has as much time again after the other node has joined.
    let mut until = Duration::from_secs(20);
    while started.elapsed() < until {
        origin.update(started.elapsed());
        for relay in &mut relays {
            relay.update(started.elapsed());
        }
        if until == Duration::from_secs(20) && !relays[1].nodes().is_empty() {
            until = started.elapsed() * 2 + Duration::from_millis(500);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let ids: Vec<_> = origin.nodes().iter().map(|node| node.id).collect();
    assert_eq!(ids, [NodeId(3)]);
    assert_eq!(relays[0].nodes(), []);
    assert_eq!(relays[1].sources(), [NodeId(1)]);
    fs::remove_dir_all(&folder).unwrap();
}
