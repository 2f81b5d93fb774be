//! Bad link in virtual time: loss, delay, reordering and repetition.

use std::collections::BTreeMap;

/// Lost and repeated datagrams in per cent, and least and longest delay in milliseconds.
#[derive(Clone, Copy)]
pub(crate) struct Weather {
    pub(crate) lost: u64,
    pub(crate) twice: u64,
    pub(crate) delay: (u64, u64),
}

/// Datagrams in transit in one direction, by their time of arrival.
pub(crate) struct Link {
    weather: Weather,
    state: u64,
    due: BTreeMap<(u64, u64), Vec<u8>>,
    count: u64,
}

impl Link {
    pub(crate) fn new(weather: Weather, seed: u64) -> Self {
        Self {
            weather,
            state: seed,
            due: BTreeMap::new(),
            count: 0,
        }
    }

    fn below(&mut self, limit: u64) -> u64 {
        // Knuth's generator; the low half is not random.
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % limit
    }

    pub(crate) fn send(&mut self, now: u64, datagram: &[u8]) {
        let Weather { lost, twice, delay } = self.weather;
        let copies = match self.below(100) {
            dice if dice < lost => 0,
            dice if dice < lost + twice => 2,
            _ => 1,
        };
        for _ in 0..copies {
            let late = delay.0 + self.below(delay.1 - delay.0 + 1);
            self.count += 1;
            self.due.insert((now + late, self.count), datagram.to_vec());
        }
    }

    /// Returns the next datagram that has arrived.
    pub(crate) fn receive(&mut self, now: u64) -> Option<Vec<u8>> {
        let entry = self.due.first_entry()?;
        (entry.key().0 <= now).then(|| entry.remove())
    }
}
