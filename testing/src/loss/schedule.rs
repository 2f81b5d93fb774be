//! Operations and their random sequences.

use super::{ORDERED, SECRET};

/// One operation. Clients and packets are positions, objects numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Spawns an object that all clients see. Odd numbers are written every third tick only.
    Spawn(u32),
    /// Removes an object.
    Despawn(u32),
    /// Writes a field.
    Write(u32, usize),
    /// Writes a value that does not fit a datagram.
    WriteLarge(u32, usize),
    /// Shows an object to a client.
    Show(usize, u32),
    /// Hides an object from a client.
    Hide(usize, u32),
    /// Gives an object to a client.
    Own(u32, usize),
    /// Takes an object from its owner.
    Disown(u32),
    /// Writes the owned field on a client, if it is the owner.
    WriteOwned(usize, u32),
    /// Calls a client by datagram.
    Call(usize),
    /// Updates the server in the next tick.
    Tick,
    /// Updates the server once more in the same tick.
    TickAgain,
    /// Lets 40 000 ticks pass without an update.
    Idle,
    /// Delivers a packet of the stream to a client.
    Stream(usize),
    /// Delivers a datagram to a client.
    Deliver(usize, usize),
    /// Delivers a datagram to a client, and keeps it under way.
    Repeat(usize, usize),
    /// Loses a datagram to a client.
    Lose(usize, usize),
    /// Updates a client.
    Run(usize),
    /// Delivers a datagram of a client.
    DeliverUp(usize, usize),
    /// Loses a datagram of a client.
    LoseUp(usize, usize),
    /// Delivers all datagrams of a client in both directions, with a client's update between.
    Pump(usize),
}

/// Conditions of a schedule.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent conditions, drawn one by one"
)]
pub struct Setup {
    /// Number of clients.
    pub clients: usize,
    /// Number of objects.
    pub objects: u32,
    /// Whether chunks are echoed.
    pub has_echo: bool,
    /// Datagrams per client and update.
    pub budget: usize,
    /// Repaired entries per client and update.
    pub repairs: usize,
    /// Whether datagrams are applied in part before the stream has caught up.
    pub applies_early: bool,
    /// Whether there are no datagrams.
    pub is_stream_only: bool,
    /// Whether datagrams arrive at once and only the streams lag, so that P5 holds.
    pub is_prompt: bool,
    /// Lost datagrams in percent, in both directions.
    pub loss: u64,
    /// Overtaken datagrams in percent.
    pub reorder: u64,
    /// Whether objects stay visible for all.
    pub is_calm: bool,
    /// Whether owners change often.
    pub changes_owners: bool,
}

/// Pseudorandom numbers: xorshift64*.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..4).for_each(|_| _ = dice.below(1));
        dice
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 8) % end
    }

    pub(super) fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(end as u64)).unwrap_or(0)
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.index(values.len())]
    }
}

impl Setup {
    pub(super) fn random(dice: &mut Dice) -> Self {
        let loss = dice.of(&[0, 0, 10, 30, 60]);
        Self {
            clients: 2 + dice.index(2),
            objects: dice.of(&[1, 2, 3, 4]),
            has_echo: dice.one_in(3),
            budget: dice.of(&[9, 9, 1, 2]),
            repairs: dice.of(&[9, 1]),
            applies_early: !dice.one_in(4),
            is_stream_only: dice.one_in(12),
            is_prompt: dice.one_in(5),
            loss,
            reorder: if loss == 0 { 0 } else { dice.of(&[0, 20]) },
            is_calm: dice.one_in(2),
            changes_owners: dice.one_in(6),
        }
    }

    /// Returns a schedule that begins with the joins.
    pub(super) fn schedule(&self, dice: &mut Dice, length: usize) -> Vec<Op> {
        let mut ops: Vec<_> = (0..self.objects).map(Op::Spawn).collect();
        ops.push(Op::Tick);
        for client in 0..self.clients {
            ops.extend([Op::Stream(client), Op::Deliver(client, 0)]);
            ops.extend([Op::Run(client), Op::DeliverUp(client, 0)]);
        }
        while ops.len() < length {
            let client = dice.index(self.clients);
            if self.is_prompt && dice.one_in(8) {
                ops.extend((0..self.objects).map(|object| Op::Write(object, 0)));
                ops.push(Op::Tick);
            }
            if self.changes_owners && !self.is_prompt && dice.one_in(4) {
                ops.extend([Op::Own(0, client), Op::Tick, Op::Stream(client)]);
                ops.extend([Op::WriteOwned(client, 0), Op::Run(client)]);
                ops.push(Op::DeliverUp(client, 0));
            }
            let op = self.op(dice, client);
            ops.push(op);
        }
        ops
    }

    fn op(&self, dice: &mut Dice, client: usize) -> Op {
        let object = dice.of(&[0, 1, 2, 3]) % self.objects;
        let overtakes = dice.below(100) < self.reorder;
        let at = if overtakes { dice.index(4) } else { 0 };
        let is_lost = dice.below(100) < self.loss;
        match dice.below(100) {
            0..20 => Op::Write(object, dice.of(&[0, 0, 1, SECRET, ORDERED])),
            20..22 => Op::WriteLarge(object, dice.index(2)),
            22..25 => Op::Own(object, client),
            25 => Op::Disown(object),
            26..30 => Op::WriteOwned(client, object),
            30..32 => Op::Call(client),
            32..50 => Op::Tick,
            50 => Op::TickAgain,
            51..88 if self.is_prompt => Op::Stream(client),
            51..73 if is_lost => Op::Lose(client, at),
            51..73 if self.reorder > 0 && dice.one_in(8) => Op::Repeat(client, at),
            51..73 => Op::Deliver(client, at),
            73..80 => Op::Run(client),
            80..88 if is_lost => Op::LoseUp(client, at),
            80..88 => Op::DeliverUp(client, at),
            88..95 => Op::Stream(client),
            _ if self.is_calm => Op::Tick,
            95 => Op::Hide(client, object),
            97 => Op::Despawn(object),
            98 => Op::Spawn(object),
            99 if dice.one_in(4) => Op::Idle,
            _ => Op::Show(client, object),
        }
    }
}
