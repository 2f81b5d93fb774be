//! `FieldTicks`: tick of every field of a behaviour on an unreliable channel.

use crate::schema::each_bit;

/// Number of ticks beside the box of the rest: most behaviours need one allocation.
const FEW: usize = 5;

/// Ticks of the fields of a behaviour, by dirty bit: on a server the tick of the last frame that wrote
/// the field, at first the tick of the spawn; on a client the tick of the value that it holds.
///
/// Ticks are those of the wire: `u32` since the start of the server. Bits without a field are ignored.
///
/// ```
/// use syncvar_runtime::unstable::object::FieldTicks;
///
/// let mut ticks = FieldTicks::new(3, 10); // three fields, spawned in tick 10
/// ticks.set(0b010, 12);
/// assert_eq!(ticks.changed_after(10), 0b010);
/// assert_eq!(ticks.changed_until(0b111, 11), 0b101);
/// assert_eq!(ticks.get(0b010), Some(12));
/// ```
#[derive(Clone, Debug)]
pub struct FieldTicks {
    /// No field has a higher tick.
    newest: u32,
    few: [u32; FEW],
    more: Box<[u32]>,
    /// Bits of the fields.
    fields: u64,
}

impl FieldTicks {
    /// Creates the ticks of a number of fields, at most 64, which all have the same tick.
    pub fn new(fields: u32, tick: u32) -> Self {
        let more = (fields as usize).min(64).saturating_sub(FEW);
        Self {
            newest: tick,
            few: [tick; FEW],
            more: vec![tick; more].into(),
            fields: match fields {
                0..64 => (1 << fields) - 1,
                _ => u64::MAX,
            },
        }
    }

    /// Returns a tick that no field exceeds, for a quick comparison.
    #[inline]
    pub const fn newest(&self) -> u32 {
        self.newest
    }

    /// Returns the tick of a field by its bit.
    pub fn get(&self, field: u64) -> Option<u32> {
        (field.is_power_of_two() && self.fields & field != 0).then(|| self.of(field))
    }

    /// Returns those of some fields whose tick is at most this one.
    pub fn changed_until(&self, fields: u64, tick: u32) -> u64 {
        if self.newest <= tick {
            return fields & self.fields;
        }
        self.those(fields, |at| at <= tick)
    }

    /// Returns the fields with this tick or a higher tick.
    pub fn changed_since(&self, tick: u32) -> u64 {
        if self.newest < tick {
            return 0;
        }
        self.those(u64::MAX, |at| at >= tick)
    }

    /// Returns the fields with a higher tick.
    pub fn changed_after(&self, tick: u32) -> u64 {
        if self.newest <= tick {
            return 0;
        }
        self.those(u64::MAX, |at| at > tick)
    }

    /// Returns those of some fields with exactly this tick.
    pub fn changed_in(&self, fields: u64, tick: u32) -> u64 {
        self.those(fields, |at| at == tick)
    }

    /// Sets the tick of some fields, to a lower tick too.
    #[inline]
    pub fn set(&mut self, fields: u64, tick: u32) {
        let mut rest = fields & self.fields;
        if rest != 0 {
            self.newest = self.newest.max(tick);
        }
        while rest != 0 {
            let index = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let place = match index.checked_sub(FEW) {
                None => self.few.get_mut(index),
                Some(index) => self.more.get_mut(index),
            };
            if let Some(place) = place {
                *place = tick;
            }
        }
    }

    /// Sets the tick of every field.
    pub fn reset(&mut self, tick: u32) {
        self.newest = tick;
        self.few = [tick; FEW];
        self.more.fill(tick);
    }

    fn those(&self, fields: u64, is_one: impl Fn(u32) -> bool) -> u64 {
        let fields = each_bit(fields & self.fields).filter(|field| is_one(self.of(*field)));
        fields.fold(0, |all, field| all | field)
    }

    fn of(&self, field: u64) -> u32 {
        let index = field.trailing_zeros() as usize;
        let at = match index.checked_sub(FEW) {
            None => self.few.get(index),
            Some(index) => self.more.get(index),
        };
        at.copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::FieldTicks;

    #[test]
    fn every_field_has_its_tick() {
        for fields in [1, 5, 6, 63, 64] {
            let mut ticks = FieldTicks::new(fields, 3);
            let all = u64::MAX >> (64 - fields);
            assert_eq!(ticks.changed_until(u64::MAX, 3), all, "{fields}");
            let last = 1 << (fields - 1);
            ticks.set(last, 9);
            assert_eq!(ticks.changed_after(8), last, "{fields}");
            assert_eq!(ticks.changed_after(9), 0, "{fields}");
            assert_eq!(ticks.changed_in(u64::MAX, 9), last, "{fields}");
            assert_eq!(ticks.changed_in(u64::MAX, 3), all & !last, "{fields}");
            assert_eq!(ticks.changed_since(9), last, "{fields}");
            assert_eq!(ticks.changed_since(10), 0, "{fields}");
            assert_eq!(ticks.changed_until(u64::MAX, 8), all & !last, "{fields}");
            assert_eq!((ticks.get(last), ticks.newest()), (Some(9), 9), "{fields}");
        }
    }

    #[test]
    fn bits_without_a_field_are_ignored() {
        let mut ticks = FieldTicks::new(2, 1);
        ticks.set(0b1100, 8);
        assert_eq!((ticks.newest(), ticks.changed_after(0)), (1, 0b11));
        assert_eq!([ticks.get(0b100), ticks.get(0b11), ticks.get(0)], [None; 3]);
    }

    #[test]
    fn a_lower_tick_is_set_too() {
        let mut ticks = FieldTicks::new(7, 20);
        ticks.set(0b100_0001, 10);
        assert_eq!(ticks.changed_until(u64::MAX, 10), 0b100_0001);
        ticks.reset(4);
        assert_eq!((ticks.newest(), ticks.changed_after(4)), (4, 0));
    }
}
