//! Datagrams of a server, written by hand around its messages: lost, repeated, early and late ones.

mod acks;
mod at_once;
mod early;
mod order;
mod ticks;
mod upstream;

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::wire::ReadError;
use syncvar::{Channel, ClientConfig, Endpoint, PacketLimits};

/// Ticks per second of a client.
const RATE: u32 = 30;

/// Behaviour on the unreliable channel.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable)]
struct Mover {
    #[sync_var(hook = on_x)]
    x: SyncVar<i32>,
    #[sync_var]
    y: SyncVar<i32>,
    #[sync_var(read = owner)]
    ammo: SyncVar<i32>,
    heard: Vec<(i32, i32)>,
    called: Vec<i32>,
}

impl Mover {
    fn on_x(&mut self, former: i32) {
        self.heard.push((former, *self.x));
    }
}

#[network_calls]
impl Mover {
    #[client_rpc(unreliable)]
    fn shout(&mut self, number: i32) {
        self.called.push(number);
    }

    /// Sees the state of its tick.
    #[client_rpc(after_state)]
    fn explode(&mut self) {
        let x = *self.x;
        self.called.push(x);
    }
}

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct Sign {
    #[sync_var]
    number: SyncVar<i32>,
}

fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<(Mover, Sign)>("mover")
        .register::<(Mover, at_once::Scout)>("scout")
        .register::<Sign>("sign")
}

/// Messages of one update of the server.
#[derive(Clone, Debug, Default)]
struct Update {
    /// Those of reliable channels.
    stream: Vec<u8>,
    /// Those of unreliable channels.
    lossy: Vec<u8>,
}

/// Header of a packet on the stream, the last one of its update.
#[derive(Clone, Copy, Debug)]
struct Stream {
    tick: u32,
    is_end: bool,
    datagrams: Option<u8>,
    is_partial: bool,
}

impl Stream {
    fn of(tick: u32) -> Self {
        Self {
            tick,
            is_end: true,
            datagrams: None,
            is_partial: false,
        }
    }
}

/// Header of a datagram with a whole tick.
#[derive(Clone, Copy, Debug)]
struct Datagram {
    sequence: u16,
    tick: u32,
    after: Option<u16>,
    part: Option<(u8, u8)>,
    /// PARTIAL and OWED.
    flags: u8,
}

impl Datagram {
    fn of(sequence: u16, tick: u32) -> Self {
        Self {
            sequence,
            tick,
            after: None,
            part: None,
            flags: 0,
        }
    }

    fn bytes(self, messages: &[u8]) -> Vec<u8> {
        let has_after = if self.after.is_some() { 4 } else { 0 };
        let has_part = if self.part.is_some() { 8 } else { 0 };
        let mut bytes = vec![3 | has_after | has_part | self.flags];
        bytes.extend(self.sequence.to_le_bytes());
        bytes.extend(self.tick.to_le_bytes());
        bytes.extend(self.after.into_iter().flat_map(u16::to_le_bytes));
        bytes.extend(
            self.part
                .into_iter()
                .flat_map(|(index, count)| [index, count]),
        );
        bytes.extend_from_slice(messages);
        bytes
    }
}

/// A client whose packets are written by the test, around the messages of a server that has a stream only.
struct Link {
    server: NetworkServer,
    client: NetworkClient,
    connection: ConnectionId,
    now: Duration,
    /// Tick of the last packet on the stream.
    tick: u32,
    /// Number of packets on the stream behind the answer to Connect, low 16 bits.
    sent: u16,
}

impl Link {
    fn new() -> Self {
        Self::with_config(ClientConfig::default(), syncvar_testing::DATAGRAMS)
    }

    fn with_config(mut config: ClientConfig, limits: PacketLimits) -> Self {
        config.tick_rate = RATE;
        config.ping_interval = Duration::ZERO;
        let mut server = NetworkServer::new(prefabs());
        let mut client = NetworkClient::with_config(prefabs(), config);
        Endpoint::handle_connect(&mut client, limits);
        let connection = Endpoint::handle_connect(&mut server, PacketLimits::STREAM);
        let mut link = Self {
            server,
            client,
            connection,
            now: Duration::ZERO,
            tick: 0,
            sent: 0,
        };
        for _ in 0..4 {
            link.up();
            let is_open = link.client.is_connected();
            for (_, packet) in link.packets() {
                if is_open {
                    let messages = syncvar_testing::messages(0, &packet);
                    link.stream(Stream::of(1), messages).unwrap();
                } else {
                    link.client.handle_packet(0, &packet).unwrap();
                }
            }
        }
        assert!(link.server.is_ready(link.connection));
        link.events();
        link
    }

    /// The client's packets on its stream arrive.
    fn up(&mut self) {
        while let Some(packet) = self.client.poll_transmit() {
            assert_eq!(packet.delivery, Channel::Reliable);
            let handled = self.server.handle_packet(self.connection, 0, &packet.bytes);
            handled.unwrap();
        }
    }

    fn packets(&mut self) -> Vec<(u8, Vec<u8>)> {
        self.now += Duration::from_millis(50);
        self.server.update(self.now);
        let mut packets = Vec::new();
        while let Some(transmit) = self.server.poll_transmit() {
            packets.push((transmit.channel, transmit.to_bytes().to_vec()));
        }
        packets
    }

    /// Updates the server.
    fn update(&mut self) -> Update {
        let mut update = Update::default();
        for (channel, packet) in self.packets() {
            let messages = syncvar_testing::messages(0, &packet);
            let lossy = if channel == 0 {
                &mut update.stream
            } else {
                &mut update.lossy
            };
            lossy.extend_from_slice(messages);
        }
        update
    }

    /// Changes the first object on the server and returns the messages.
    fn change<R>(&mut self, id: NetId, change: impl FnOnce(&mut Mover) -> R) -> Update {
        change(&mut self.server.get_mut::<Mover>(id).unwrap());
        self.update()
    }

    /// Spawns an object, whose snapshot arrives in a tick.
    fn spawn(&mut self, tick: u32) -> NetId {
        let id = self.server.spawn((Mover::default(), Sign::default()));
        let update = self.update();
        self.stream(Stream::of(tick), &update.stream).unwrap();
        id
    }

    /// A packet of the stream arrives.
    fn stream(&mut self, header: Stream, messages: &[u8]) -> Result<(), ReadError> {
        let step = u8::try_from(header.tick - self.tick).unwrap();
        self.tick = header.tick;
        self.sent = self.sent.wrapping_add(1);
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        let mut packet = vec![
            flag(step > 0, 1)
                | flag(header.is_end, 2)
                | flag(header.datagrams.is_some(), 8)
                | flag(header.is_partial, 0x20),
        ];
        packet.extend((step > 0).then_some(step));
        packet.extend(header.datagrams);
        packet.extend_from_slice(messages);
        self.client.handle_packet(0, &packet)
    }

    /// A datagram arrives.
    fn datagram(&mut self, header: Datagram, messages: &[u8]) -> Result<(), ReadError> {
        self.client.handle_datagram(1, &header.bytes(messages))
    }

    /// The client updates after a time. Returns its packets.
    fn wait(&mut self, millis: u64) -> Vec<Vec<u8>> {
        self.now += Duration::from_millis(millis);
        self.client.update(self.now);
        std::iter::from_fn(|| self.client.poll_transmit())
            .map(|packet| packet.bytes.to_vec())
            .collect()
    }

    /// The acknowledgement that the client sends alone: newest sequence, handled packets, missing bytes.
    fn ack(&mut self) -> Option<(u16, u16, Vec<u8>)> {
        let packets = self.wait(100);
        assert!(packets.len() <= 1, "{packets:?}");
        let packet = packets.first()?;
        assert_eq!(packet[0], 0x10, "an acknowledgement alone");
        let number = |at: usize| u16::from_le_bytes([packet[at], packet[at + 1]]);
        Some((number(1), number(3), packet[5..].to_vec()))
    }

    fn mover(&self, id: NetId) -> &Mover {
        self.client.get(id).unwrap()
    }

    fn values(&self, id: NetId) -> (i32, i32) {
        let mover = self.mover(id);
        (*mover.x, *mover.y)
    }

    fn events(&mut self) -> Vec<ClientEvent> {
        std::iter::from_fn(|| self.client.poll_event()).collect()
    }

    /// The reported ticks: number in the headers, completeness, gap.
    fn ticks(&mut self) -> Vec<(u64, bool, bool)> {
        let events = self.events().into_iter();
        let ticks = events.filter_map(|event| match event {
            // The first tick of the headers is that of the time zero.
            ClientEvent::Tick {
                tick,
                complete,
                after_gap,
            } => Some((tick + 1, complete, after_gap)),
            _ => None,
        });
        ticks.collect()
    }
}
