//! Apps with the plugin.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bevy_app::{App, Plugin};
use bevy_ecs::prelude::*;
use bevy_syncvar::prelude::*;
use syncvar::{FrameTransport, NetworkServer};

use crate::unit::Unit;
use crate::{CHANGED, Fields, World};

/// A listener that can drop its packets.
struct Drain {
    listener: MemoryListener,
    drops: Arc<AtomicBool>,
}

impl FrameTransport<NetworkServer> for Drain {
    fn receive(
        &mut self,
        server: &mut NetworkServer,
        now: Duration,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        if self.drops.load(Ordering::Relaxed) {
            Ok(())
        } else {
            self.listener.receive(server, now)
        }
    }

    fn is_over(&self) -> bool {
        false
    }

    fn transmit(&mut self, server: &mut NetworkServer, now: Duration) {
        if self.drops.load(Ordering::Relaxed) {
            while server.poll_transmit().is_some() {}
        } else {
            self.listener.transmit(server, now);
        }
    }
}

fn app<const BUNDLE: bool>(side: impl Plugin) -> App {
    let mut app = App::new();
    app.add_plugins(side);
    if BUNDLE {
        app.replicate_bundle::<(Unit,)>();
    } else {
        app.replicate::<Unit>();
    }
    app
}

fn client<const BUNDLE: bool>(link: MemoryLink) -> App {
    app::<BUNDLE>(ClientPlugin::new(link))
}

/// A server whose packets are dropped after the join.
pub(crate) struct PluginServer<const BUNDLE: bool> {
    app: App,
    entities: Vec<Entity>,
}

impl<const BUNDLE: bool> PluginServer<BUNDLE> {
    pub(crate) fn new(objects: usize, clients: usize) -> Self {
        let (listener, first) = MemoryLink::pair();
        let links: Vec<_> = (1..clients).map(|_| listener.link()).collect();
        let drops = Arc::new(AtomicBool::new(false));
        let link = Drain {
            listener,
            drops: drops.clone(),
        };
        let mut app = app::<BUNDLE>(ServerPlugin::new(link));
        let mut clients: Vec<_> = links
            .into_iter()
            .chain([first])
            .map(client::<BUNDLE>)
            .collect();
        for _ in 0..10 {
            app.update();
            clients.iter_mut().for_each(App::update);
        }
        drops.store(true, Ordering::Relaxed);
        let world = app.world_mut();
        let entities = (0..objects)
            .map(|_| world.spawn((Replicated, Unit::new())).id())
            .collect();
        let mut made = Self { app, entities };
        (0..3).for_each(|tick| made.frame(tick, Fields::None));
        made
    }
}

impl<const BUNDLE: bool> World for PluginServer<BUNDLE> {
    fn frame(&mut self, tick: u32, fields: Fields) {
        write(&mut self.app, &self.entities, tick, fields);
        self.app.update();
    }
}

fn write(app: &mut App, entities: &[Entity], tick: u32, fields: Fields) {
    if fields == Fields::None {
        return;
    }
    let world = app.world_mut();
    for entity in entities
        .iter()
        .skip(tick as usize % CHANGED)
        .step_by(CHANGED)
    {
        if let Some(mut unit) = world.get_mut::<Unit>(*entity) {
            unit.write(tick, fields);
        }
    }
}

/// A client, with its server.
pub(crate) struct PluginClient<const BUNDLE: bool> {
    server: App,
    view: App,
    entities: Vec<Entity>,
}

impl<const BUNDLE: bool> PluginClient<BUNDLE> {
    pub(crate) fn new(objects: usize) -> Self {
        let (listener, link) = MemoryLink::pair();
        let mut server = app::<BUNDLE>(ServerPlugin::new(listener));
        let world = server.world_mut();
        let entities = (0..objects)
            .map(|_| world.spawn((Replicated, Unit::new())).id())
            .collect();
        let mut made = Self {
            server,
            view: client::<BUNDLE>(link),
            entities,
        };
        for tick in 0..10 {
            made.prepare(tick, Fields::None);
            made.frame(tick, Fields::None);
        }
        made
    }
}

impl<const BUNDLE: bool> World for PluginClient<BUNDLE> {
    fn prepare(&mut self, tick: u32, fields: Fields) {
        write(&mut self.server, &self.entities, tick, fields);
        self.server.update();
    }

    fn frame(&mut self, _: u32, _: Fields) {
        self.view.update();
    }
}
