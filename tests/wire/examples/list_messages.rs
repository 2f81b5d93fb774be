//! Section 4: UNet's message about lists, and what is sent instead.

use std::time::Duration;

use syncvar::prelude::*;
use syncvar::{
    ServerConfig,
    unet::{ListHash, ListOperation, SyncListMessage},
};

use crate::examples::{Examples, bytes, packets};

#[derive(NetworkBehaviour, Default)]
struct SyncListsOnly {
    #[sync_var]
    ints: SyncList<i32>,
}

#[test]
pub(crate) fn changes_of_lists_are_written_as_documented() -> Examples {
    let (one, two) = (SyncList::new(), SyncList::from([5, 6]));
    Examples::check(vec![
        (
            "UpdateVars #1: `ints`: add 5",
            update(one, |ints| ints.push(5)),
        ),
        (
            "UpdateVars #1: `ints` of `[5, 6]`: remove 5, set 7 at 0",
            update(two.clone(), |ints| {
                ints.retain(|number| *number != 5);
                ints.set(0, 7);
            }),
        ),
        (
            "UpdateVars #1: `ints` of `[5, 6]`: its bit set by hand",
            update(two, SyncList::set_dirty),
        ),
    ])
}

#[test]
pub(crate) fn list_messages_of_unet_are_written_as_documented() -> Examples {
    let first = |operation| message(NetId(1), operation);
    let (index, value) = (1, 6);
    let hash = ListHash::of("SyncListsOnly", "ints");
    Examples::check(vec![
        (
            "the hash of `SyncListsOnly.ints`, packed",
            bytes(|writer| writer.write_packed_u32(hash.0)),
        ),
        (
            "SyncList #1 `ints`: add 5, the first",
            first(ListOperation::Add { index: 0, value: 5 }),
        ),
        ("SyncList #1 `ints`: clear", first(ListOperation::Clear)),
        (
            "SyncList #1 `ints`: insert 9 at 0",
            first(ListOperation::Insert { index: 0, value: 9 }),
        ),
        (
            "SyncList #1 `ints`: remove 240",
            first(ListOperation::Remove { value: 240 }),
        ),
        (
            "SyncList #300 `ints`: remove at 245",
            message(NetId(300), ListOperation::RemoveAt { index: 245 }),
        ),
        (
            "SyncList #1 `ints`: set 6 at 1",
            first(ListOperation::Set { index, value }),
        ),
        (
            "SyncList #1 `ints`: 6 at 1 again",
            first(ListOperation::Dirty { index, value }),
        ),
    ])
}

fn message(net_id: NetId, operation: ListOperation<i32>) -> String {
    let list_hash = ListHash::of("SyncListsOnly", "ints");
    bytes(|writer| {
        let start = writer.start_message(SyncListMessage::<i32>::TYPE);
        let message = SyncListMessage {
            net_id,
            list_hash,
            operation,
        };
        message.write(writer);
        writer.finish_message(start);
    })
}

/// Returns the messages of a server after a change of a list.
fn update(ints: SyncList<i32>, act: impl FnOnce(&mut SyncList<i32>)) -> String {
    let config = ServerConfig {
        compare_schemas: false,
        ..ServerConfig::default()
    };
    let prefabs = Prefabs::new().register::<SyncListsOnly>("lists");
    let mut server = NetworkServer::with_config(prefabs, config);
    let connection = server.handle_connect();
    server.set_ready(connection);
    let id = server.spawn(SyncListsOnly { ints });
    server.update(Duration::from_secs(1));
    packets(&mut server);
    let mut lists = server.get_mut::<SyncListsOnly>(id).expect("it is there");
    act(&mut lists.ints);
    drop(lists);
    server.update(Duration::from_secs(2));
    packets(&mut server).concat()
}
