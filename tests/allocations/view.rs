//! Samples and views allocate nothing once each field has its samples.

use allocation_counter::measure;
use syncvar::behaviour::BehaviourSet;
use syncvar::motion::{Moment, SettledTicks};
use syncvar::prelude::*;

#[derive(NetworkBehaviour, Default)]
struct Mover {
    #[sync_var(interpolate = hermite, extrapolate = 0.1, snap = 5.0)]
    position: SyncVar<Vector3>,
    #[sync_var(interpolate = spherical)]
    rotation: SyncVar<Quaternion>,
    #[sync_var]
    health: SyncVar<i32>,
}

#[test]
fn samples_and_views_allocate_nothing() {
    let mut mover = Mover::default().into_behaviours();
    let slot = mover.slots_mut().slot_mut(0).unwrap();
    slot.record(Mover::HEALTH.bit(), 1, None);
    assert!(
        slot.tracks().is_none(),
        "only interpolated fields have samples"
    );
    for tick in 0..40 {
        slot.record(u64::MAX, tick, None);
    }
    let mut settled = SettledTicks::default();
    let allocated = measure(|| {
        for tick in 40..400 {
            slot.record(u64::MAX, tick, None);
            settled.note(tick, true, true);
            let moment = Moment {
                tick: f64::from(tick) - 1.5,
                settled: &settled,
                interval: 1,
                tick_length: 0.05,
            };
            let tracks = slot.tracks().unwrap();
            let position: Option<Vector3> = tracks.at(Mover::POSITION.bit(), &moment);
            let rotation: Option<Quaternion> = tracks.at(Mover::ROTATION.bit(), &moment);
            assert!(position.is_some() && rotation.is_some());
            assert_eq!(
                tracks.at::<f32>(Mover::POSITION.bit(), &moment),
                None,
                "another type"
            );
        }
    });
    assert_eq!(allocated.count_total, 0);
}
