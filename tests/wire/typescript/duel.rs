//! Vectors of the duel's rules, which its page has once more in JavaScript.

#[path = "../../../examples/duel/rules.rs"]
#[expect(dead_code, reason = "the page needs a part of them")]
mod rules;

use serde_json::json;
use syncvar::prelude::*;
use syncvar::testing::Random;

use rules::{Move, Player, hits, step};

const TICKS: u64 = 400;
const SHOTS: usize = 100;

/// Returns a path by random inputs, and random shots, as JSON.
fn recorded() -> String {
    let mut random = Random::new(11);
    let mut point = |size: f32| {
        let [x, y] = [0, 1].map(|_| random.between(-size, size));
        Vector2::new(x, y)
    };
    let (mut player, mut input) = (Player::default(), Move::default());
    // Beside a pillar, which pushes at the first steps.
    player.position.set(Vector2::new(3.2, 2.2));
    let mut path = Vec::new();
    for tick in 1..=TICKS {
        if tick % 8 == 1 {
            let towards = Vector2::new(1.0, 0.9);
            let Vector2 { x, y } = if tick < 24 { towards } else { point(1.5) };
            input = Move { x, y };
        }
        step(&mut player, &input, tick);
        let Vector2 { x, y } = *player.position;
        path.push(json!([input.x, input.y, x, y]).to_string());
    }
    let shots = (0..SHOTS).map(|_| {
        let (from, to) = (point(5.0), point(5.0));
        let beside = point(0.3);
        let distance = ((to.x - from.x).powi(2) + (to.y - from.y).powi(2)).sqrt();
        let (x, y) = (
            (to.x - from.x) / distance + beside.x,
            (to.y - from.y) / distance + beside.y,
        );
        let hit = hits(from, Vector2::new(x, y), to);
        json!([from.x, from.y, x, y, to.x, to.y, hit]).to_string()
    });
    let shots: Vec<String> = shots.collect();
    let (path, shots) = (path.join(",\n"), shots.join(",\n"));
    format!("{{\n\"path\": [\n{path}\n],\n\"shots\": [\n{shots}\n]\n}}\n")
}

#[test]
fn rules_of_the_duel_are_those_of_its_page() {
    super::assert_stored("duel.json", &recorded());
}
