//! A gateway in the search: it plays the records of both zones in any order, and their keyframes.
//!
//! A zone tells in its records when the object enters and departs. The records leave behind the write of the journal. The
//! gateway shows the object at all times: it is never without a copy, shows no copy of an earlier epoch, and takes the changes of the present
//! copy alone. When all records are played, it shows the real copy.

use std::collections::BTreeSet;

use super::{Action, OBJECT, Search, World, ZONES, Zone};
use crate::zone::copies::{Copies, ObjectEnd};

/// Entry of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Told {
    /// Snapshot of the object with its epoch.
    Entered(u64),
    /// End of the object by a handover.
    Departed,
}

/// Entries of a zone for the gateway, as numbers of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ZoneLogs {
    pub(super) published: u16,
    /// Entries that wait for the journal.
    pub(super) written: u16,
}

/// State of the gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct GatewayView {
    copies: Copies,
    /// Entries of each zone that were played.
    played: [usize; 2],
    /// Highest epoch that was shown.
    epoch: u64,
    /// Set if the object has gone back to an earlier epoch, or has ended.
    is_broken: bool,
}

impl GatewayView {
    fn enter(&mut self, place: usize, epoch: u64) {
        self.copies.enter(OBJECT, ZONES[place], epoch);
        let shown = self.copies.get(OBJECT).map_or(0, |copy| copy.epoch);
        self.is_broken |= shown < self.epoch;
        self.epoch = shown;
    }
}

impl Search {
    /// Adds an entry to the next record of a zone.
    pub(super) fn tell(&mut self, zone: &mut Zone, told: Told) {
        if !self.bounds.has_gateway {
            return;
        }
        let mut written = self.logs.get(zone.records.written).clone();
        written.push(told);
        zone.records.written = self.logs.number(written);
    }

    /// Publishes the record of a zone, whose journal has the update.
    pub(super) fn publish(&mut self, zone: &mut Zone) {
        let written = self.logs.get(zone.records.written).clone();
        let mut published = self.logs.get(zone.records.published).clone();
        published.extend(written);
        zone.records.published = self.logs.number(published);
        zone.records.written = self.logs.number(Vec::new());
    }

    /// Returns whether the gateway has not played all entries of a zone.
    fn is_behind(&self, world: &World, place: usize) -> bool {
        let published = self.logs.get(world.zones[place].records.published);
        self.views.get(world.view).played[place] < published.len()
    }

    pub(super) fn view_actions(&self, world: &World) -> Vec<Action> {
        let has_gateway = self.bounds.has_gateway;
        let places = (0..2).filter(|place| has_gateway && self.is_behind(world, *place));
        places
            .flat_map(|place| [Action::Play(place), Action::Keyframe(place)])
            .collect()
    }

    /// Plays the next entry of a zone.
    pub(super) fn play(&mut self, world: &mut World, place: usize) {
        let mut view = self.views.get(world.view).clone();
        let published = self.logs.get(world.zones[place].records.published);
        let Some(told) = published.get(view.played[place]).copied() else {
            return;
        };
        view.played[place] += 1;
        match told {
            Told::Entered(epoch) => view.enter(place, epoch),
            Told::Departed => {
                let end = view.copies.end(OBJECT, ZONES[place], true, 0);
                view.is_broken |= end == ObjectEnd::Ended;
            }
        }
        world.view = self.views.number(view);
    }

    /// Plays a keyframe of a zone, in the place of all its entries so far.
    pub(super) fn play_keyframe(&mut self, world: &mut World, place: usize) {
        let mut view = self.views.get(world.view).clone();
        let zone = world.zones[place];
        view.played[place] = self.logs.get(zone.records.published).len();
        let handovers = &self.nodes.get(zone.journal).handovers;
        if handovers.is_real(OBJECT) {
            let epoch = handovers.residences[&OBJECT].epoch;
            view.enter(place, epoch);
        } else {
            view.copies.hold_missing(ZONES[place], &BTreeSet::new(), 0);
        }
        world.view = self.views.number(view);
    }

    /// Checks the promises of the gateway for a state.
    pub(super) fn check_view(&self, world: &World) -> Result<(), &'static str> {
        let view = self.views.get(world.view);
        if view.is_broken {
            return Err("an object goes back to an earlier copy");
        }
        if view.epoch > 0 && view.copies.get(OBJECT).is_none() {
            return Err("an object ends on the clients");
        }
        for (place, zone) in ZONES.into_iter().enumerate() {
            let published = self.logs.get(world.zones[place].records.published);
            let present = published[..view.played[place]].last();
            let shown = view
                .copies
                .get(OBJECT)
                .map(|copy| Told::Entered(copy.epoch));
            if view.copies.is_of(OBJECT, zone) && present != shown.as_ref() {
                return Err("changes of an earlier copy are shown");
            }
        }
        Ok(())
    }

    /// Checks that the gateway shows the real copy when it has played all records, or the keyframes of both zones.
    pub(super) fn check_end(&mut self, world: World) -> Result<(), &'static str> {
        if !self.bounds.has_gateway {
            return Ok(());
        }
        for by_keyframe in [false, true] {
            let mut world = world;
            for place in 0..2 {
                if by_keyframe {
                    self.play_keyframe(&mut world, place);
                    self.check(&world)?;
                    continue;
                }
                while self.is_behind(&world, place) {
                    self.play(&mut world, place);
                    self.check(&world)?;
                }
            }
            let view = self.views.get(world.view);
            for (place, zone) in ZONES.into_iter().enumerate() {
                let node = self.nodes.get(world.zones[place].journal);
                if node.handovers.is_real(OBJECT) != view.copies.is_of(OBJECT, zone) {
                    return Err("the gateway does not show the real copy");
                }
            }
        }
        Ok(())
    }
}
