//! `WriteTicks`: last write of an owner per object.

use rustc_hash::FxHashMap;
use syncvar_runtime::NetId;
use syncvar_runtime::unstable::ordered::Ids;

/// Number of entries below which nothing is cleaned.
const FEW: usize = 64;

/// Ticks of the last applied writes of a connection, in the updates of its client.
#[derive(Debug, Default)]
pub(crate) struct WriteTicks {
    /// Permit and tick by object.
    objects: FxHashMap<NetId, (u32, u32)>,
}

impl WriteTicks {
    /// Notes a write on the stream. Datagrams before it are older.
    pub(crate) fn note_stream(&mut self, object: NetId, permit: u32, tick: u32) {
        let last = self.last(object, permit);
        self.objects.insert(object, (permit, last.max(tick)));
    }

    /// Notes a write in a datagram. Returns whether it is newer than the last one under this permit.
    pub(crate) fn note_datagram(&mut self, object: NetId, permit: u32, tick: u32) -> bool {
        let newer = tick > self.last(object, permit);
        if newer {
            self.objects.insert(object, (permit, tick));
        }
        newer
    }

    /// Forgets the objects that the connection does not own, once they are many.
    pub(crate) fn clean(&mut self, owned: &Ids<NetId>) {
        if self.objects.len() > FEW.max(2 * owned.len()) {
            self.objects.retain(|object, _| owned.contains(*object));
        }
    }

    /// Returns the last tick under a permit, 0 at first.
    fn last(&self, object: NetId, permit: u32) -> u32 {
        let last = self.objects.get(&object);
        last.filter(|(of, _)| *of == permit)
            .map_or(0, |(_, tick)| *tick)
    }
}

#[cfg(test)]
mod tests {
    use syncvar_runtime::NetId;
    use syncvar_runtime::unstable::ordered::Ids;

    use super::{FEW, WriteTicks};

    #[test]
    fn each_permit_begins_at_zero() {
        let mut ticks = WriteTicks::default();
        let object = NetId(1);
        assert!(ticks.note_datagram(object, 1, 50));
        assert!(!ticks.note_datagram(object, 1, 50));
        assert!(!ticks.note_datagram(object, 1, 49));
        assert!(ticks.note_datagram(object, 2, 3));
        ticks.note_stream(object, 2, 9);
        assert!(!ticks.note_datagram(object, 2, 9));
        ticks.note_stream(object, 2, 5);
        assert!(ticks.note_datagram(object, 2, 10));
    }

    #[test]
    fn objects_of_others_are_forgotten() {
        let mut ticks = WriteTicks::default();
        let mut owned = Ids::default();
        owned.insert(NetId(7));
        for number in 1..=u32::try_from(FEW).unwrap() + 1 {
            ticks.note_datagram(NetId(number), 1, 5);
        }
        ticks.clean(&owned);
        assert_eq!(ticks.objects.len(), 1);
        assert!(!ticks.note_datagram(NetId(7), 1, 5));
    }
}
