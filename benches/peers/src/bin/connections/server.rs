//! Role of the server.

use std::net::{Ipv4Addr, UdpSocket};
use std::time::{Duration, SystemTime};

use bevy::prelude::*;
use bevy_replicon::prelude::*;
use bevy_replicon::shared::backend::connected_client::NetworkId;
use bevy_replicon_renet::RenetServer;
use bevy_replicon_renet::netcode::{NetcodeServerTransport, ServerAuthentication, ServerConfig};

use crate::Outcome;
use crate::app::{Group, Health, PROTOCOL, Stamp, channels, new_app};
use crate::game::{self, Game, say};
use crate::world::{CHANGES, GROUPS, OBJECTS, micros};

/// Most connections of netcode.
const MOST: usize = 1024;

/// Server with its objects.
struct Served {
    app: App,
    objects: Vec<Entity>,
    /// Place of the object that changes next.
    next: usize,
}

/// Prints the address, and plays until the input is closed.
pub(crate) fn serve() -> Outcome {
    let mut app = new_app();
    app.add_observer(join_group);
    let world = app.world_mut();
    let spawn = |number| (Replicated, Group(number % GROUPS), Stamp(0), Health(0));
    let objects = (0..OBJECTS).map(|number| world.spawn(spawn(number)).id());
    let objects = objects.collect();
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = socket.local_addr()?;
    let config = ServerConfig {
        current_time: SystemTime::UNIX_EPOCH.elapsed()?,
        max_clients: MOST,
        protocol_id: PROTOCOL,
        public_addresses: vec![address],
        authentication: ServerAuthentication::Unsecure,
    };
    let server = RenetServer::new(channels(&app));
    app.insert_resource(server);
    app.insert_resource(NetcodeServerTransport::new(config, socket)?);
    say(&address.to_string())?;
    let mut served = Served {
        app,
        objects,
        next: 0,
    };
    game::run(&mut served)
}

/// Lets a new client see its group.
fn join_group(
    added: On<'_, '_, Add<AuthorizedClient>>,
    clients: Query<'_, '_, &NetworkId>,
    mut commands: Commands<'_, '_>,
) {
    if let Ok(id) = clients.get(added.entity) {
        let group = u32::try_from(id.get() % u64::from(GROUPS)).unwrap_or(0);
        commands.entity(added.entity).insert(Group(group));
    }
}

impl Game for Served {
    fn tick(&mut self, _: Duration) {
        for _ in 0..CHANGES {
            let object = self.objects[self.next];
            self.next = (self.next + 1) % self.objects.len();
            if let Some(mut stamp) = self.app.world_mut().get_mut::<Stamp>(object) {
                stamp.0 = micros();
            }
        }
        self.app.update();
    }

    fn connections(&mut self) -> usize {
        let world = self.app.world_mut();
        world.query::<&ConnectedClient>().iter(world).count()
    }
}
