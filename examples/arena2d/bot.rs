//! A bot: a client over TCP that plays by its replicas and predicts its own position.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use glam::Vec2;
use syncvar::join::Payload;
use syncvar::prelude::*;
use syncvar::tcp::TcpOptions;
use syncvar::transport::Peer;

use crate::game::{Pickup, Player, Shot, prefabs, step};

pub(crate) struct Bot {
    pub(crate) client: NetworkClient,
    pub(crate) peer: Peer,
    me: NetId,
    input: u32,
    /// Inputs that the server has not acknowledged.
    unacked: VecDeque<(u32, Vec2)>,
    predicted: Vec2,
    /// Corrections of the prediction by more than 10 cm, as after a respawn.
    pub(crate) corrections: u32,
}

impl Bot {
    /// Creates a bot that connects in the background.
    pub(crate) fn new(addr: SocketAddr, name: &String) -> io::Result<Self> {
        let mut client = NetworkClient::new(prefabs());
        client.set_join_payload(Payload::of(name).map_err(io::Error::other)?);
        Ok(Self {
            peer: Peer::tcp(addr, &client, TcpOptions::default())?,
            client,
            me: NetId::NONE,
            input: 0,
            unacked: VecDeque::new(),
            predicted: Vec2::ZERO,
            corrections: 0,
        })
    }

    /// Runs one frame.
    pub(crate) fn frame(&mut self, now: Duration, plays: bool) {
        if let Err(error) = self.peer.receive(&mut self.client, now) {
            tracing::warn!(%error, "a bot has lost its connection");
        }
        let mut is_moved = false;
        while let Some(event) = self.client.poll_event() {
            match event {
                ClientEvent::OwnerChanged { object, owned } if owned => {
                    self.me = object;
                    let me = self.client.get::<Player>(object);
                    self.predicted = me.map_or(Vec2::ZERO, |me| *me.position);
                }
                ClientEvent::Changed { object, .. } => is_moved |= object == self.me,
                _ => {}
            }
        }
        if is_moved {
            self.reconcile();
        }
        if plays && self.client.is_owner(self.me) {
            self.play(now);
        }
        self.client.update(now);
        self.peer.transmit(&mut self.client, now);
    }

    /// Takes the server's position, and repeats the inputs that it lacks.
    fn reconcile(&mut self) -> Option<()> {
        let me = self.client.get::<Player>(self.me)?;
        self.unacked.retain(|(input, _)| *input > *me.acked);
        let inputs = self.unacked.iter();
        let position = inputs.fold(*me.position, |at, (_, direction)| step(at, *direction));
        self.corrections += u32::from(position.distance(self.predicted) > 0.1);
        self.predicted = position;
        Some(())
    }

    fn play(&mut self, now: Duration) {
        let direction = self.direction(now);
        self.input += 1;
        self.unacked.push_back((self.input, direction));
        self.predicted = step(self.predicted, direction);
        let calls = self.client.calls::<Player>(self.me);
        let _ = calls.steer(self.input, direction);
        let mut others = self
            .client
            .iter::<Player>()
            .filter(|(id, _)| *id != self.me);
        let target = others.next().map(|(_, it)| *it.position - self.predicted);
        drop(others);
        if let Some(target) = target.filter(|_| self.input.is_multiple_of(20)) {
            let _ = self.client.calls::<Player>(self.me).shoot(target);
        }
    }

    /// Returns the way to the nearest pick-up, or aside where a shot is close.
    fn direction(&self, now: Duration) -> Vec2 {
        let (client, here) = (&self.client, self.predicted);
        let now = client.network_time_at(now).map(|it| it.time);
        let mut shots = client
            .iter::<Shot>()
            .filter_map(|(_, shot)| shot.place(now?));
        if let Some(shot) = shots.find(|shot| here.distance(*shot) < 3.0) {
            return (here - shot).perp().normalize_or_zero();
        }
        let ways = client.iter::<Pickup>().map(|(_, it)| *it.position - here);
        let nearest = ways.min_by(|a, b| a.length().total_cmp(&b.length()));
        nearest.unwrap_or(Vec2::X).normalize_or_zero()
    }
}
