//! README.md and the pages of `guide/`, compiled and run as doc tests.

macro_rules! pages {
    ($($page:ident = $file:literal)*) => {$(
        #[doc = include_str!(concat!("../guide/src/", $file))]
        mod $page {}
    )*};
}

pages! {
    readme = "../../README.md"
    getting_started = "getting-started.md"
    fields = "fields.md"
    encodings = "encodings.md"
    hooks = "hooks.md"
    collections = "collections.md"
    objects = "objects.md"
    visibility = "visibility.md"
    bandwidth = "bandwidth.md"
    ownership = "ownership.md"
    calls = "calls.md"
    lifecycle = "lifecycle.md"
    joining = "joining.md"
    changing_a_struct = "changing-a-struct.md"
    events = "events.md"
    limits = "limits.md"
    messages = "messages.md"
    time = "time.md"
    lossy = "lossy.md"
    movement = "movement.md"
    prediction = "prediction.md"
    rewinding = "rewinding.md"
    host = "host.md"
    recording = "recording.md"
    saving = "saving.md"
    engine = "engine.md"
    writing_a_transport = "writing-a-transport.md"
    testing = "testing.md"
    debugging = "debugging.md"
    dashboard = "dashboard.md"
    expansion = "expansion.md"
    migrating_mirror = "migrating-mirror.md"
    migrating_netcode = "migrating-netcode.md"
    migrating_colyseus = "migrating-colyseus.md"
}

#[cfg(feature = "log")]
pages! { restarting = "restarting.md" }

#[cfg(feature = "tcp")]
pages! { transports = "transports.md" transport_limits = "transport-limits.md" encryption = "encryption.md" }

#[cfg(all(feature = "quic", feature = "websocket"))]
pages! { browser = "browser.md" }

#[cfg(all(
    feature = "mirror",
    feature = "mirror-telepathy",
    feature = "mirror-kcp",
    feature = "mirror-websocket"
))]
pages! { mirror = "mirror.md" importing_mirror = "importing-mirror.md" }
