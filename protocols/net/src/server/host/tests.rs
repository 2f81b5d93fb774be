//! Tests of private state of a host.

use std::time::Duration;

use syncvar::NetworkBehaviour;
use syncvar_runtime::Prefabs;
use syncvar_runtime::unstable::object::call;
use syncvar_runtime::unstable::world::CheckOut;

use crate::NetworkServer;

/// A behaviour without fields.
#[derive(NetworkBehaviour, Default)]
struct Rock;

fn server() -> NetworkServer {
    NetworkServer::new(Prefabs::new().register::<Rock>("rock"))
}

#[test]
fn a_callback_on_a_host_is_a_client_callback_if_visible() {
    let mut server = server();
    let (seen, unseen) = (server.spawn(Rock), server.spawn(Rock));
    let where_is = |server: &mut NetworkServer, id| {
        let called = server.check_out(id, |slots, server| {
            call(slots, 0, id, server, |_, context| {
                let is = (context.is_server(), context.is_client(), context.is_host());
                (is, context.is_owner())
            })
        });
        called.unwrap().unwrap().unwrap()
    };
    assert_eq!(where_is(&mut server, seen), ((true, false, false), true));
    let local = server.connect_local();
    server.hide(unseen, local).unwrap();
    server.set_owner(seen, Some(local)).unwrap();
    server.update(Duration::from_millis(1));
    assert_eq!(where_is(&mut server, seen), ((true, true, true), true));
    assert_eq!(where_is(&mut server, unseen), ((true, false, false), true));
}
