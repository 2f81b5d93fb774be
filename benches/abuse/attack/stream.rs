//! Connection of an attacker: frames without a client's limits.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use syncvar::prelude::*;
use syncvar::{Endpoint, PacketLimits};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy, sink};

use super::carrier::{Carrier, Pipe};
use super::sent;
use crate::world::{ECHOES, echo, prefabs};

/// Length of a flooder's packet.
const PACKET: usize = 60_000;

/// Connection of an attacker.
pub(super) struct Stream {
    pipe: Pipe,
    client: NetworkClient,
}

impl Stream {
    pub(super) async fn connect(
        carrier: Carrier,
        source: Ipv4Addr,
        server: SocketAddr,
    ) -> io::Result<Self> {
        let pipe = carrier.connect(source, server).await?;
        let client = NetworkClient::new(prefabs());
        Ok(Self { pipe, client })
    }

    /// Sends the client's first packet.
    pub(super) async fn handshake(&mut self) -> io::Result<()> {
        let limits = PacketLimits::STREAM;
        Endpoint::handle_connect(&mut self.client, limits);
        self.send_packets().await
    }

    /// Sends the client's packets until it is accepted and ready.
    pub(super) async fn join(&mut self) -> io::Result<()> {
        self.handshake().await?;
        let (channel, packet) = self.pipe.receive().await?;
        let handled = self.client.handle_packet(channel, &packet);
        handled.map_err(io::Error::other)?;
        self.send_packets().await
    }

    async fn send_packets(&mut self) -> io::Result<()> {
        while let Some(packet) = self.client.poll_transmit() {
            let frame = self.pipe.carrier.frame(packet.channel, &packet.bytes);
            self.send(&frame).await?;
        }
        Ok(())
    }

    /// Returns a frame of pings, commands and `Ready` messages.
    pub(super) fn valid_messages(&self) -> Vec<u8> {
        self.pipe.carrier.frame(0, &valid_packet())
    }

    pub(super) async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.pipe.output.write_all(bytes).await?;
        sent(bytes.len());
        Ok(())
    }

    /// Sends bytes again and again, and drops the input.
    pub(super) async fn repeat(mut self, bytes: &[u8]) -> io::Result<()> {
        let mut dropped = sink();
        let write = async {
            loop {
                self.pipe.output.write_all(bytes).await?;
                sent(bytes.len());
            }
        };
        tokio::select! {
            result = copy(&mut self.pipe.input, &mut dropped) => result.map(|_| ()),
            result = write => result,
        }
    }

    /// Drops the input until the end.
    pub(super) async fn drain(mut self) -> io::Result<()> {
        copy(&mut self.pipe.input, &mut sink()).await.map(|_| ())
    }

    /// Reads once.
    pub(super) async fn read_some(mut self) -> io::Result<()> {
        self.pipe.input.read(&mut [0; 4096]).await.map(|_| ())
    }
}

/// Returns a packet of pings, commands and `Ready` messages.
pub(super) fn valid_packet() -> Vec<u8> {
    let NetId(object) = echo(ECHOES - 1);
    let object = [
        object.to_le_bytes()[0] | 0x80,
        u8::try_from(object >> 7).unwrap_or(0),
    ];
    let ping = [1, 0, 27, 0, 5];
    let ready = [0, 0, 35, 0];
    // A call without ownership: the object, the number of the call, the argument.
    let call = [4, 0, 25, 0, object[0], object[1], 0, 7];
    let messages = [&ping[..], &call, &ready].concat();
    // The header of a packet that ends an update.
    [&[2], &messages.repeat(PACKET / messages.len())[..]].concat()
}

/// Returns pseudo-random bytes.
pub(super) fn garbage(seed: u32) -> Vec<u8> {
    let mut state = u64::from(seed) + 1;
    let random = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state.to_be_bytes()[0]
    });
    random.take(PACKET).collect()
}
