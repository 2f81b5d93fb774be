//! The update: what was written is sent, and clean afterwards, whoever is there.

use syncvar::NetworkBehaviour;
use syncvar::prelude::*;

/// Variables of both kinds.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
struct First {
    #[sync_var]
    number: SyncVar<i32>,
    #[sync_var]
    list: SyncList<i32>,
}

/// T29: nothing, variables, lists or all of them are written to, in one behaviour of the object or in
/// both, of one object or several, with no client, one or two.
#[test]
fn written_variable_is_dirty_then_updated_then_clean() {
    /// And with a base.
    #[derive(NetworkBehaviour, Default)]
    #[network_behaviour(send_interval = 0)]
    struct Second {
        #[network_behaviour(base)]
        first: First,
        #[sync_var]
        text: SyncVar<String>,
    }

    /// Which of the fields are written to, as bits: those of the first behaviour, then the second's.
    const COMBINATIONS: [u64; 7] = [
        0b00000, 0b00001, 0b00010, 0b00011, 0b00101, 0b11100, 0b11111,
    ];

    for clients in 0..=2 {
        for objects in [1, 3] {
            for fields in COMBINATIONS {
                write_and_update(clients, objects, fields);
            }
        }
    }

    fn write_and_update(clients: usize, objects: usize, fields: u64) {
        let mut net = MemoryNetwork::new(|| Prefabs::new().register::<(First, Second)>("both"));
        for _ in 0..clients {
            net.connect();
        }
        let spawn = |_| net.server.spawn((First::default(), Second::default()));
        let ids: Vec<_> = (0..objects).map(spawn).collect();
        net.settle();
        for round in 1..=2 {
            for id in &ids {
                write(&mut net.server, *id, fields, round);
                assert_eq!(dirty(&net.server, *id), fields);
            }
            net.step();
            for id in &ids {
                assert_eq!(dirty(&net.server, *id), 0);
                let written = (0..5).map(|bit| if fields >> bit & 1 == 0 { 0 } else { round });
                let expected: Vec<_> = written.collect();
                for client in 0..clients {
                    assert_eq!(state(net.client(client), *id), expected);
                }
            }
            assert!(net.server.is_idle());
        }
    }

    fn write(server: &mut NetworkServer, id: NetId, fields: u64, round: i32) {
        let has = |bit: u32| fields >> bit & 1 == 1;
        let write_first = |first: &mut First, bit: u32| {
            if has(bit) {
                first.number.set(round);
            }
            if has(bit + 1) {
                first.list.push(round);
            }
        };
        write_first(&mut server.get_mut::<First>(id).unwrap(), 0);
        let mut second = server.get_mut::<Second>(id).unwrap();
        write_first(&mut second.first, 2);
        if has(4) {
            second.text.push('x');
        }
    }

    /// The dirty bits of both behaviours.
    fn dirty(server: &NetworkServer, id: NetId) -> u64 {
        let first = server.get::<First>(id).unwrap().sync_var_dirty_bits();
        first | server.get::<Second>(id).unwrap().sync_var_dirty_bits() << 2
    }

    /// In which round each field was written to last.
    fn state(client: &NetworkClient, id: NetId) -> Vec<i32> {
        let of = |first: &First| {
            let last = first.list.last().copied().unwrap_or_default();
            assert!(first.list.iter().copied().eq(1..=last), "each once");
            [*first.number, last]
        };
        let second = client.get::<Second>(id).unwrap();
        let text = i32::try_from(second.text.len()).unwrap();
        let first = of(client.get::<First>(id).unwrap());
        [first, of(&second.first)]
            .concat()
            .into_iter()
            .chain([text])
            .collect()
    }
}
