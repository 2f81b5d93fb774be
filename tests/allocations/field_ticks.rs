//! State that arrives late or twice allocates nothing once the memory for kept values is there.

use allocation_counter::measure;
use syncvar::behaviour::BehaviourSet;
use syncvar::prelude::*;
use syncvar_runtime::unstable::object::{KeptFields, NewestWins};
use syncvar_runtime::{Encoding, NetworkReader, NetworkWriter};

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(channel = unreliable)]
struct Mover {
    #[sync_var]
    x: SyncVar<f32>,
    #[sync_var]
    name: SyncVar<String>,
}

#[test]
fn older_and_repeated_state_allocates_nothing() {
    let mut mover = Mover::default().into_behaviours();
    let slot = mover.slots_mut().slot_mut(0).unwrap();
    let mut writer = NetworkWriter::with_encoding(Encoding::Compact);
    slot.set_dirty_bit(0b11);
    slot.serialize(&mut writer, false);
    slot.mark_sent(0, None);
    slot.track_ticks(1);
    slot.ticks_mut().unwrap().set(0b10, 1_000);
    let mut kept = KeptFields::default();
    let mut read = |tick| {
        let newest = NewestWins::in_tick(tick);
        let mut reader = NetworkReader::with_encoding(writer.as_bytes(), Encoding::Compact);
        let (result, fields) = kept.read(slot, newest, &mut reader, false);
        result.unwrap();
        fields
    };
    assert_eq!(read(2), 0b01, "the first one makes the memory");
    let allocated = measure(|| {
        for tick in 3..500 {
            assert_eq!(read(tick), 0b01);
            assert_eq!(read(tick), 0);
        }
    });
    assert_eq!(allocated.count_total, 0);
}
