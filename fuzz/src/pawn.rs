//! `Pawn`: inputs, histories, groups and checks, of UNet and Compact.

use syncvar::interest::Tag;
use syncvar::motion::Input;
use syncvar::prelude::*;
use syncvar::values::Vector3;
use syncvar::wire::{Encoding, NetworkWriter};

/// Group whose members read the plans.
pub const GROUP: Tag = Tag(1);

/// Input of a tick.
#[derive(SyncValue, Clone, Debug, Default, PartialEq)]
pub struct Move {
    /// Distance.
    pub x: f32,
    /// Words beside it.
    pub words: Option<String>,
}

/// Object that inputs move.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = 1)]
pub struct Pawn {
    #[sync_var(interpolate = linear, history = 0.5)]
    place: SyncVar<Vector3>,
    #[sync_var(history = 0.5)]
    pose: SyncVar<u8>,
    #[sync_var(read = group)]
    plan: SyncVar<String>,
    #[sync_var(read = group)]
    orders: SyncList<u16>,
    #[sync_var(write = owner, check = is_step)]
    aim: SyncVar<i32>,
    #[sync_var]
    hits: SyncVar<u32>,
}

#[network_calls]
impl Pawn {
    #[expect(
        clippy::unused_self,
        clippy::trivially_copy_pass_by_ref,
        reason = "the derive passes the behaviour and both values by reference"
    )]
    fn is_step(&self, former: &i32, new: &i32, elapsed_ticks: u32) -> bool {
        let reach = u64::from(elapsed_ticks.min(100)).saturating_mul(1 << 24);
        i64::from(*former).abs_diff((*new).into()) <= reach
    }

    #[command(requires_ownership = false)]
    pub(crate) fn shoot(&mut self, context: &mut CallContext<'_>, target: NetId) {
        let sender = context.sender();
        let Some((server, sender)) = context.server().zip(sender) else {
            return;
        };
        let seen = server.rewind(sender, |past| {
            let view = past.view::<Self>(target)?;
            assert!(
                past.time().tick <= server.network_time().tick,
                "a view of the future"
            );
            Some((view.get(Self::PLACE), view.get(Self::POSE)))
        });
        if seen.is_some_and(|(place, pose)| place.is_some() || pose.is_some()) {
            *self.hits = self.hits.wrapping_add(1);
        }
    }
}

impl Pawn {
    /// Changes one field of the server.
    pub fn change(&mut self, what: u8, number: u32, text: &str) {
        let [low, high, ..] = number.to_le_bytes();
        match what % 5 {
            0 => drop(
                self.place
                    .set(Vector3::new(f32::from(low), f32::from(high), 0.0)),
            ),
            1 => drop(self.pose.set(low)),
            2 => drop(self.plan.set(text.into())),
            3 if self.orders.len() < 64 => self.orders.push(u16::from_le_bytes([low, high])),
            _ => drop(self.orders.pop()),
        }
    }

    /// Moves the object by the input of a tick.
    pub fn advance(&mut self, input: Input<Move>) {
        let (Input::Known(input) | Input::Repeated(input)) = input else {
            return;
        };
        let Vector3 { x, .. } = *self.place;
        let x = if input.x.is_finite() {
            x + input.x.clamp(-1.0, 1.0)
        } else {
            0.0
        };
        self.place.x = x;
        if let Some(words) = input.words {
            self.pose.set(u8::try_from(words.len()).unwrap_or(u8::MAX));
        }
    }

    /// Changes the field of the owner.
    pub fn aim(&mut self, number: u32) {
        self.aim.set(number.cast_signed());
    }

    /// Appends the values that all observers read.
    pub fn digest(&self) -> Vec<u8> {
        let mut out = NetworkWriter::with_encoding(Encoding::Compact);
        out.write(&*self.place);
        out.write(&*self.pose);
        out.write(&*self.aim);
        out.write(&*self.hits);
        out.as_bytes().to_vec()
    }

    /// Returns the values of the group.
    pub fn secrets(&self) -> (String, Vec<u16>) {
        ((*self.plan).clone(), self.orders.to_vec())
    }
}
