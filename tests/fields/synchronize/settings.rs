//! Behaviours with settings that travel once, and the networks that they are in.

use std::cell::{Cell, RefCell};

use syncvar::prelude::*;
use syncvar::{Framing, ServerConfig, testing::Conditions};

thread_local! {
    static CALLS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static FAULT: Cell<Fault> = const { Cell::new(Fault::None) };
}

/// What goes wrong in the behaviour that is to fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    None,
    WritesNothing,
    WritesTooMuch,
    ReadsTooMuch,
    ReadsNothing,
    FailsWriting,
    FailsReading,
    PanicsWriting,
    PanicsReading,
    /// Takes back what is not its own, if it can.
    Truncates,
    /// A string that is too long to be written.
    NoForm,
    /// More than the length can say in UNet's bytes.
    TooLong,
}

pub(crate) fn set_fault(fault: Fault) {
    FAULT.set(fault);
}

/// Notes something.
pub(crate) fn note(text: impl Into<String>) {
    CALLS.with_borrow_mut(|calls| calls.push(text.into()));
}

/// What has been noted since this was last asked.
pub(crate) fn noted() -> Vec<String> {
    CALLS.take()
}

/// Settings beside a field.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(synchronize, lifecycle, send_interval = 0)]
pub(crate) struct Settings {
    #[sync_var]
    pub(crate) value: SyncVar<i32>,
    pub(crate) number: u32,
    pub(crate) text: String,
}

impl Synchronize for Settings {
    fn on_synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        assert_ne!(serializer.is_writer(), serializer.is_reader());
        let way = if serializer.is_writer() {
            "writes"
        } else {
            "reads"
        };
        note(format!("{way} beside {}", self.value));
        serializer.serialize_value(&mut self.number)?;
        serializer.serialize_value(&mut self.text)
    }
}

impl NetworkLifecycle for Settings {
    fn on_network_pre_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        let side = if ctx.is_server() { "server" } else { "client" };
        note(format!("{side} spawns with {} {}", self.number, self.text));
        Ok(())
    }
    fn on_network_spawn(&mut self, ctx: &mut NetworkContext<'_>) -> LifecycleResult {
        if ctx.is_server() {
            self.number += 100;
        }
        Ok(())
    }
}

/// Fails as it is told to.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(synchronize, send_interval = 0)]
pub(crate) struct Faulty {
    #[sync_var]
    pub(crate) value: SyncVar<i32>,
    pub(crate) number: u16,
}

impl Synchronize for Faulty {
    fn on_synchronize(
        &mut self,
        serializer: &mut BufferSerializer<'_, '_>,
    ) -> Result<(), SynchronizeError> {
        note(if serializer.is_writer() {
            "faulty writes"
        } else {
            "faulty reads"
        });
        let fault = FAULT.get();
        if let Some(writer) = serializer.writer() {
            return self.write(writer, fault);
        }
        match fault {
            Fault::ReadsNothing => return Ok(()),
            Fault::FailsReading => return Err("not today".into()),
            _ => {}
        }
        serializer.serialize_value(&mut self.number)?;
        match fault {
            Fault::PanicsReading => panic!("cannot read on"),
            Fault::ReadsTooMuch => serializer.serialize_value(&mut [0_u64; 2]),
            _ => Ok(()),
        }
    }
}

impl Faulty {
    fn write(
        &mut self,
        writer: &mut syncvar::wire::NetworkWriter,
        fault: Fault,
    ) -> Result<(), SynchronizeError> {
        if fault == Fault::WritesNothing {
            return Ok(());
        }
        writer.write(&self.number);
        match fault {
            Fault::WritesTooMuch => writer.write(&[7_u32; 5]),
            Fault::FailsWriting => return Err(String::from("not today").into()),
            Fault::PanicsWriting => panic!("cannot write on"),
            Fault::Truncates => {
                writer.truncate(0);
                writer.take_bytes();
            }
            Fault::NoForm => writer.write(&"x".repeat(40_000)),
            Fault::TooLong => writer.write_bytes(&vec![0; 70_000]),
            _ => {}
        }
        Ok(())
    }
}

/// Has no data.
#[derive(NetworkBehaviour, Default)]
#[network_behaviour(send_interval = 0)]
pub(crate) struct Plain {
    #[sync_var]
    pub(crate) value: SyncVar<i32>,
}

pub(crate) fn prefabs() -> Prefabs {
    Prefabs::new()
        .register::<Settings>("settings")
        .register::<(Plain, Faulty, Settings)>("faulty")
        .register::<Plain>("plain")
}

pub(crate) const DIALECTS: [Framing; 2] = [Framing::Unet, Framing::Compact];

/// A network with this many clients, all of them ready.
pub(crate) fn network(dialect: Framing, clients: usize) -> MemoryNetwork {
    let config = ServerConfig {
        framing: dialect,
        ..ServerConfig::default()
    };
    let mut net = MemoryNetwork::with_config(prefabs, config, Conditions::default());
    for _ in 0..clients {
        net.connect();
    }
    net.settle();
    for client in 0..clients {
        events(&mut net, client);
    }
    while net.server.poll_event().is_some() {}
    set_fault(Fault::None);
    noted();
    net
}

/// What a client has been told since this was last asked.
pub(crate) fn events(net: &mut MemoryNetwork, client: usize) -> Vec<ClientEvent> {
    syncvar_testing::events(net.client_mut(client)).collect()
}

pub(crate) fn settings(number: u32, text: &str) -> Settings {
    Settings {
        value: 5.into(),
        number,
        text: text.into(),
    }
}
