//! The model as a system of the schedules.

use std::time::Duration;

use syncvar_testing::loss::{
    Carrier, LossEvent, LossSystem, ObjectState, Op, Setup, States, Traffic,
};

use super::OWNED_BIT;
use super::client::{MAX_HELD, ModelClient};
use super::connection::ModelConnection;
use super::packet::Packet;
use super::rules::Rule;
use super::server::ModelServer;
use crate::link::settings::LossSettings;

/// Time of a tick.
const TICK: Duration = Duration::from_millis(1);

/// Sent packets of which the fates are kept, few so that they overflow.
const RING: usize = 32;

pub(super) struct Model {
    server: ModelServer,
    clients: Vec<ModelClient>,
    now: Duration,
}

impl Model {
    pub(super) fn new(setup: &Setup, without: Option<Rule>) -> Self {
        let settings = LossSettings {
            ring: RING,
            ack_interval: Duration::ZERO,
            record_ticks: 60,
            record_time: Duration::ZERO,
            stall_after: TICK * 14,
            max_probe_interval: TICK * 28,
            tick_interval: TICK,
            ..LossSettings::default()
        };
        let connection = || ModelConnection::new(settings, setup.is_stream_only);
        let client = || ModelClient::new(settings, without, setup.applies_early);
        Self {
            server: ModelServer {
                without,
                budget: setup.budget,
                repairs: setup.repairs,
                has_echo: setup.has_echo,
                tick: 1,
                objects: std::collections::BTreeMap::new(),
                connections: (0..setup.clients).map(|_| connection()).collect(),
                owner_news: Vec::new(),
                ended: std::collections::BTreeMap::new(),
                chunks: Vec::new(),
                recent: Vec::new(),
                violation: None,
            },
            clients: (0..setup.clients).map(|_| client()).collect(),
            now: Duration::ZERO,
        }
    }

    fn advance(&mut self, tick: u32) {
        self.now = TICK * tick;
    }
}

fn datagrams(packets: Vec<super::packet::Datagram>) -> Vec<(Carrier, Packet)> {
    let packets = packets.into_iter().map(Packet::Datagram);
    packets.map(|packet| (Carrier::Datagram, packet)).collect()
}

impl LossSystem for Model {
    type Packet = Packet;

    const IS_CUMULATIVE: bool = false;

    fn change(&mut self, change: Op, value: u32) {
        let server = &mut self.server;
        match change {
            Op::Spawn(object) => server.spawn(object, value),
            Op::Despawn(object) => {
                server.objects.remove(&object);
                for connection in &mut server.connections {
                    connection.wanted.remove(&object);
                }
            }
            Op::Write(object, field) => server.write(object, field, value, false),
            Op::WriteLarge(object, field) => server.write(object, field, value, true),
            Op::Show(client, object) if server.objects.contains_key(&object) => {
                server.connections[client].wanted.insert(object);
            }
            Op::Hide(client, object) => server.hide(object, client),
            Op::Own(object, client) => server.set_owner(object, Some(client)),
            Op::Disown(object) => server.set_owner(object, None),
            Op::WriteOwned(client, object) => self.clients[client].write_owned(object, value),
            Op::Call(client) => server.connections[client].call = Some(value),
            _ => {}
        }
    }

    fn update_server(&mut self, tick: u32) -> Vec<(usize, Carrier, Packet)> {
        self.advance(tick);
        let packets = self.server.update(tick, self.now).into_iter();
        let packets = packets.map(|(client, packet)| match packet {
            Packet::Datagram(_) => (client, Carrier::Datagram, packet),
            Packet::Stream(_) => (client, Carrier::Stream, packet),
        });
        packets.collect()
    }

    fn update_client(&mut self, client: usize, tick: u32) -> Vec<(Carrier, Packet)> {
        self.advance(tick);
        datagrams(self.clients[client].update(self.now))
    }

    fn receive_on_server(&mut self, client: usize, _: Carrier, packet: Packet) {
        if let Packet::Datagram(packet) = packet {
            self.server.on_datagram(client, &packet, self.now);
        }
    }

    fn receive_on_client(
        &mut self,
        client: usize,
        _: Carrier,
        packet: Packet,
    ) -> Vec<(Carrier, Packet)> {
        let client = &mut self.clients[client];
        match packet {
            Packet::Datagram(packet) => datagrams(client.on_datagram(packet, self.now)),
            Packet::Stream(packet) => datagrams(client.on_stream(packet, self.now)),
        }
    }

    fn server_state(&self, client: usize) -> States {
        let wanted = self.server.connections[client].wanted.iter();
        let states = wanted.filter_map(|number| {
            let object = self.server.objects.get(number)?;
            let is_owned = object.owner == Some(client);
            let readable = object.readable(client) | if is_owned { OWNED_BIT } else { 0 };
            let value = |field| (readable >> field & 1 == 1).then(|| object.values[field]);
            let state = ObjectState {
                class: object.class,
                is_owned,
                values: std::array::from_fn(value),
            };
            Some((*number, state))
        });
        states.collect()
    }

    fn client_state(&self, client: usize) -> States {
        self.clients[client].states()
    }

    fn framed(&self) -> States {
        let states = self.server.objects.iter().map(|(number, object)| {
            let state = ObjectState {
                class: object.class,
                is_owned: false,
                values: object.framed.map(Some),
            };
            (*number, state)
        });
        states.collect()
    }

    fn take_events(&mut self, client: usize) -> Vec<LossEvent> {
        std::mem::take(&mut self.clients[client].events)
    }

    fn usage(&self, client: usize) -> Vec<(&'static str, usize, usize)> {
        let connection = &self.server.connections[client];
        let visible = connection.view.len();
        let loss = connection.link.loss();
        vec![
            ("sent packets", loss.lost + loss.acked + loss.flying, RING),
            ("objects in the backlog", connection.backlog.len(), visible),
            ("shown entries", connection.shown.len(), 62 * (visible + 4)),
            ("held packets", self.clients[client].held(), MAX_HELD),
        ]
    }

    fn is_settled(&self, client: usize) -> bool {
        let connection = &self.server.connections[client];
        !connection.link.is_detached() && connection.backlog.is_empty()
    }

    fn traffic(&self, client: usize) -> Traffic {
        self.server.connections[client].traffic
    }

    fn take_violation(&mut self) -> Option<String> {
        let clients = self.clients.iter_mut();
        let mut clients = clients.filter_map(|client| client.violation.take());
        self.server.violation.take().or_else(|| clients.next())
    }
}
