//! Characters of Avian, predicted.

use bevy_syncvar_ecosystem::avian::Steer;
use bevy_syncvar_ecosystem::avian::arena::{Arena, open, wander};

#[test]
fn a_character_without_rivals_is_never_corrected() {
    let mut arena = Arena::new(open(1), 1, 3);
    arena.frames(300, wander);
    assert_eq!(arena.corrections(0), 0);
    assert!(arena.seen[0].longest_step < 0.1);
    arena.frames(120, |_, _| Steer::default());
    assert!(arena.distance(0) < 0.001, "{}", arena.distance(0));
}

#[test]
fn pushes_of_rivals_are_corrected() {
    let mut arena = Arena::new(open(3), 2, 3);
    arena.frames(300, wander);
    let steps: Vec<f32> = arena.seen.iter().map(|seen| seen.longest_step).collect();
    assert!(steps.iter().all(|step| *step < 0.2), "{steps:?}");
    arena.frames(240, |_, _| Steer::default());
    for player in 0..2 {
        assert!(arena.distance(player) < 0.01, "{}", arena.distance(player));
    }
}
