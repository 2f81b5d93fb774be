//! The server of a simulation with dashboards: 500 machines, two roles, and a viewer that is refused.

use std::error::Error;

use syncvar::ServerConfig;
use syncvar::interest::{Everyone, GroupTags, Tag};
use syncvar::join::{Admission, Payload};
use syncvar::prelude::*;
use syncvar::testing::{Conditions, MemoryNetwork};

#[derive(NetworkBehaviour, Default)]
struct Machine {
    #[sync_var]
    celsius: SyncVar<f32>,
    #[sync_var]
    stopped: SyncVar<bool>,
}

#[network_calls]
impl Machine {
    #[command(requires_ownership = false, rate = 2.0)]
    fn stop(&mut self) {
        self.stopped.set(true);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let prefabs = || Prefabs::new().register::<Machine>("machine");
    let config = ServerConfig {
        admission: Admission::Decide,
        ..ServerConfig::default()
    };
    let tags = GroupTags::new(Everyone);
    let mut net = MemoryNetwork::with_interest(prefabs, config, Conditions::default(), tags);
    let machines = [(); 500].map(|()| net.server.spawn(Machine::default()));
    let (reactor, engineers) = (machines[499], Tag(1));
    let tags = net.server.interest_mut::<GroupTags>()?;
    tags.tag(reactor, Some(engineers))?;
    for role in ["viewer", "engineer", "burglar"] {
        let mut client = NetworkClient::new(prefabs());
        client.set_join_payload(Payload::of(&role.to_string())?);
        net.connect_client(client);
    }
    for tick in 0..200_u16 {
        let server = &mut net.server;
        while let Some(event) = server.poll_event() {
            if let ServerEvent::JoinRequested { connection, .. } = event {
                let payload = server.join_payload(connection).ok_or("no payload")?;
                match payload.decode::<String>()?.as_str() {
                    "viewer" => server.accept(connection)?,
                    "engineer" => {
                        server.accept(connection)?;
                        let tags = server.interest_mut::<GroupTags>()?;
                        tags.join(connection, engineers)?;
                    }
                    _ => server.refuse(connection, "unknown role")?,
                }
            }
        }
        server.for_each_mut::<Machine>(|_, machine| {
            let heat = u16::from(!*machine.stopped) * tick;
            machine.celsius.set(heat.into());
        });
        net.step();
        if tick == 120 {
            net.client_mut(1).calls::<Machine>(reactor).stop()?;
        }
    }
    net.settle();
    net.assert_replicas_equal();
    let seen = [0, 1].map(|client| net.client(client).object_count());
    assert_eq!(seen, [499, 500], "engineers alone see the reactor");
    assert!(!net.client(2).is_connected(), "burglars are refused");
    let reactor = net.server.get::<Machine>(reactor);
    assert!(reactor.is_some_and(|reactor| *reactor.stopped));
    for id in net.server.connections() {
        println!("{id}: {}", net.server.connection_stats(id)?);
    }
    println!("{}", net.server.stats());
    Ok(())
}
