//! Bytes of WIRE.md and of Mirror.

use std::collections::VecDeque;

use super::super::datagrams::KcpDatagrams;
use super::super::segment::Segment;
use super::*;

/// Bytes of WIRE.md, section 7.
#[test]
fn connection_writes_the_bytes_of_wire_md() {
    let mut client = KcpConnection::connect(ms(0));
    client.update(ms(62));
    let hello = client.poll_transmit().unwrap();
    assert_eq!(
        hex::encode(&hello),
        "010000000000000000510000103e00000000000000000000000100000001"
    );
    let answer = Hello::read(&hello).unwrap().answer(COOKIE, ms(7));
    client.handle_datagram(ms(105), &answer);
    let batch = hex::decode("a41f68603f1fc63f02bcaa0206c1").unwrap();
    client.send(Channel::Reliable, &[batch.into()]).unwrap();
    client.update(ms(105));
    assert_eq!(
        hex::encode(client.poll_transmit().unwrap()),
        "01ca51016000000000520000100700000000000000010000000000000000000000\
         510000106900000001000000010000000f00000003a41f68603f1fc63f02bcaa0206c1"
    );

    let mut server = KcpConnection::accept(COOKIE, ms(0));
    let snapshot = hex::decode("1aff999c35d3f63f0a09df1aff999c35d3f63f").unwrap();
    server
        .send(Channel::Unreliable, &[snapshot.into()])
        .unwrap();
    server.close(ms(0), ms(0));
    server.update(ms(0));
    let said: Vec<String> = said_by(&mut server).iter().map(hex::encode).collect();
    assert_eq!(said.len(), 6);
    assert_eq!(
        said[0],
        "02ca510160041aff999c35d3f63f0a09df1aff999c35d3f63f"
    );
    assert_eq!(said[1], "02ca51016005");
}

#[test]
fn recorded_segments_are_read_and_written_again() {
    let mut segments = 0;
    for datagram in recorded() {
        let (channel, cookie, mut body) = split(&datagram).unwrap();
        if channel != RELIABLE {
            continue;
        }
        let mut out = VecDeque::new();
        let mut datagrams = KcpDatagrams::new(cookie, &mut out);
        while !body.is_empty() {
            datagrams.push(&Segment::read(&mut body).unwrap());
            segments += 1;
        }
        drop(datagrams);
        assert_eq!(out, [datagram]);
    }
    assert!(segments > 50, "{segments}");

    /// Returns the recorded datagrams of Mirror.
    fn recorded() -> Vec<Vec<u8>> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../protocols/mirror/tests/golden/data");
        let file = std::fs::read(folder.join("session_kcp.json")).unwrap();
        let session: serde_json::Value = serde_json::from_slice(&file).unwrap();
        let raw = session["raw"].as_array().unwrap().iter();
        raw.map(|datagram| hex::decode(datagram["hex"].as_str().unwrap()).unwrap())
            .collect()
    }
}
