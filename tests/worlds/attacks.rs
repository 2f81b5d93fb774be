//! A server after an attack: its other clients have the server's state.

use proptest::prelude::*;
use syncvar::Framing;
use syncvar_testing::attacks::{Program, Server, Trove, Victim, Wide, programs};
use syncvar_testing::cases;

/// Returns the members of an object that differ most often.
fn state(trove: &Trove) -> (Vec<u64>, [usize; 9], u32) {
    let full = |wide: &&Wide| matches!(wide, Wide::Full(_));
    let lengths = [
        trove.wide.len(),
        trove.wide.iter().filter(full).count(),
        trove.texts.len(),
        trove.rows.len(),
        trove.slots.len(),
        trove.table.len(),
        trove.keys.len(),
        trove.value.len(),
        trove.map.len(),
    ];
    (trove.numbers.to_vec(), lengths, *trove.small)
}

fn assert_joins(server: &mut Server) {
    let client = server.join();
    let (ours, theirs) = (
        server.server().get::<Trove>(server.object),
        client.get::<Trove>(server.object),
    );
    let (ours, theirs) = (ours.map(state), theirs.map(state));
    assert!(ours.is_some());
    assert_eq!(ours, theirs);
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn clients_join_a_server_after_an_attack(program in programs()) {
        // The framing `Unet` has no form for the snapshots of some programs.
        let framing = Framing::Compact;
        let program = Program { framing, ..program };
        let (mut server, packets) = program.packets();
        for _ in 0..program.updates {
            for packet in &packets {
                server.handle(packet);
            }
            server.update();
        }
        assert_joins(&mut server);
    }
}
