//! Behaviours on a channel that loses packets, and their changes.

use syncvar::{fields::ListChange, prelude::*};

use super::world::World;

/// Longer than a chunk of a datagram.
const LONG: usize = 1_500;

#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = 1)]
pub(crate) struct Fast {
    #[sync_var(write = owner)]
    pub(crate) speed: SyncVar<u32>,
    #[sync_var(read = owner)]
    pub(crate) fuel: SyncVar<String>,
    #[sync_var(read = group)]
    pub(crate) gear: SyncVar<String>,
    #[sync_var]
    pub(crate) lap: SyncVar<u32>,
    #[sync_var(read = others)]
    pub(crate) cloak: SyncVar<String>,
    #[sync_var(hook = on_trail_changed)]
    pub(crate) trail: SyncList<u32>,
    #[sync_var(min_interval = 0.3)]
    pub(crate) heat: SyncVar<u32>,
    #[sync_var(hook = on_tale_changed)]
    pub(crate) tale: SyncVar<String>,
    #[sync_var(write = owner)]
    pub(crate) course: SyncList<u32>,
    #[sync_var(write = owner, read = group)]
    pub(crate) tune: SyncVar<u32>,
    #[sync_var(write = owner, server_override)]
    pub(crate) brake: SyncVar<u32>,
    changes: Vec<ListChange<u32>>,
}

impl Fast {
    fn on_trail_changed(&mut self, change: &ListChange<u32>) {
        self.changes.push(change.clone());
    }

    fn on_tale_changed(&mut self, previous: String) {
        assert_ne!(*self.tale, previous);
    }
}

/// Each change travels twice.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0, channel = unreliable, redundancy = 1)]
pub(crate) struct Twice {
    #[sync_var]
    pub(crate) beat: SyncVar<u32>,
    #[sync_var]
    pub(crate) offbeat: SyncVar<u32>,
    #[sync_var(read = owner)]
    pub(crate) note: SyncVar<String>,
    #[sync_var(write = owner)]
    pub(crate) tempo: SyncVar<u32>,
}

impl World {
    /// Changes the lossy behaviours of an object on the server, a bit each.
    pub(crate) fn write_lossy(&mut self, id: NetId, fields: u16) {
        let [fuel, note] = [(); 2].map(|()| self.secret(id));
        let (cloak, gear) = (self.outfit(id), self.plan(id));
        self.counter += 1;
        let (number, has_room) = (self.counter, !self.kind.unet && !self.kind.literal);
        let bit = |index: u16| fields >> index & 1 == 1;
        if let Ok(mut fast) = self.server.get_mut::<Fast>(id) {
            fast.fuel.set(fuel);
            fast.lap.set(number);
            if bit(11) {
                fast.gear.set(gear);
            }
            if bit(2) {
                fast.cloak.set(cloak);
            }
            if bit(4) {
                fast.trail.push(number);
                fast.heat.set(number);
            }
            if bit(5) && fast.trail.len() > 3 {
                fast.trail.remove(1);
            }
            if bit(6) {
                let length = if has_room && bit(7) { LONG } else { 9 };
                fast.tale.set(format!("{number:0>length$}"));
            }
            if bit(8) {
                // Not the server's, if there is an owner.
                fast.course.push(number);
                fast.brake.set(number);
            }
        }
        if let Ok(mut twice) = self.server.get_mut::<Twice>(id) {
            twice.note.set(note);
            if bit(0) {
                twice.beat.set(number);
            }
            if bit(9) {
                twice.offbeat.set(number);
            }
        }
    }

    /// Changes the lossy behaviours of an object on a client, a bit each.
    pub(crate) fn owner_write_lossy(
        client: &mut NetworkClient,
        id: NetId,
        fields: u16,
        number: u32,
    ) {
        let bit = |index: u16| fields >> index & 1 == 1;
        if let Ok(mut fast) = client.get_mut::<Fast>(id) {
            if bit(9) {
                fast.speed.set(number);
            }
            if bit(11) {
                fast.course.push(number);
            }
            if bit(12) && fast.course.len() > 3 {
                fast.course.remove(0);
            }
            if bit(13) {
                fast.tune.set(number);
            }
            if bit(14) {
                fast.brake.set(number);
            }
        }
        if let Some(mut twice) = client.get_mut::<Twice>(id).ok().filter(|_| bit(15)) {
            twice.tempo.set(number);
        }
    }
}
