//! Process of the bots: players of the gateway that walk from place to place.

use std::time::{Duration, Instant};

use syncvar::join::Payload;
use syncvar::prelude::*;
use syncvar::testing::Random;
use syncvar::transport::{Peer, Reconnect, TransportOptions};

use crate::Fallible;
use crate::world::{HEIGHT, WIDTH, Walker, prefabs};

/// A bot with its link.
struct Bot {
    client: NetworkClient,
    peer: Peer,
    walker: Option<NetId>,
    /// Time of the next decision.
    due: Duration,
}

/// Runs this number of bots at the address of a gateway.
pub(crate) fn run(gateway: &str, count: usize) -> Fallible<()> {
    let mut random = Random::new(1);
    let mut bots = Vec::new();
    for number in 1..=count {
        let mut client = NetworkClient::new(prefabs());
        client.set_join_payload(Payload::of(&format!("bot {number}"))?);
        let options = TransportOptions {
            reconnect: Some(Reconnect {
                first_delay: Duration::from_millis(200),
                max_delay: Duration::from_secs(1),
                max_attempts: u32::MAX,
            }),
            ..TransportOptions::default()
        };
        let peer = Peer::tcp(gateway, &client, options)?;
        bots.push(Bot {
            client,
            peer,
            walker: None,
            due: Duration::ZERO,
        });
    }
    let started = Instant::now();
    loop {
        let now = started.elapsed();
        for bot in &mut bots {
            bot.run(now, &mut random);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl Bot {
    fn run(&mut self, now: Duration, random: &mut Random) {
        // A lost link is dialled again.
        let _ = self.peer.receive(&mut self.client, now);
        while let Some(event) = self.client.poll_event() {
            if let ClientEvent::OwnerChanged { object, owned } = event {
                self.walker = owned.then_some(object);
            }
        }
        if let Some(walker) = self.walker
            && now >= self.due
        {
            self.due = now + Duration::from_millis(3000 + u64::from(random.below(9000)));
            let target = Vector2::new(
                random.between(-WIDTH, WIDTH),
                random.between(-HEIGHT, HEIGHT),
            );
            // It may be in no zone at this moment: the next decision comes.
            let _ = self.client.calls::<Walker>(walker).walk_to(target);
        }
        self.client.update(now);
        self.peer.transmit(&mut self.client, now);
    }
}
