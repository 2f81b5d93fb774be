//! Random worlds with a recording: clients that play it, from any keyframe on, equal a live spectator after each tick.

use std::fmt::Write as _;

use proptest::prelude::*;
use syncvar::{ClientConfig, interest::ViewReason, prelude::*};

use super::action::action;
use super::lossy::{Fast, Twice};
use super::objects::{CURRENT, GATE, Hero, Plain, prefabs};
use super::world::{Kind, World};

/// Updates between two keyframes.
const KEYFRAMES: u64 = 5;

/// Most clients that play the recording at a time.
const PLAYERS: usize = 4;

/// A live client that owns nothing and is in no group, and clients that play the recording.
pub(crate) struct Recorded {
    pub(crate) spectator: NetworkClient,
    pub(crate) connection: ConnectionId,
    /// Messages that the spectator has received with this update.
    received: Vec<u8>,
    /// Whether the spectator has been ready since the recording began.
    is_ready: bool,
    /// The first one plays all records; the others begin at later keyframes.
    players: Vec<NetworkClient>,
    updates: u64,
    /// Number of the last record.
    last: u64,
    /// Number of the last keyframe.
    keyframe: u64,
}

impl Recorded {
    /// Hands a packet to the spectator.
    pub(crate) fn receive(&mut self, channel: u8, packet: &[u8]) {
        if self.spectator.is_connected() {
            let messages = syncvar_testing::messages(0, packet);
            self.received.extend(messages);
        }
        self.spectator.handle_packet(channel, packet).unwrap();
    }
}

fn client() -> NetworkClient {
    let config = ClientConfig {
        ping_interval: std::time::Duration::ZERO,
        ..ClientConfig::default()
    };
    let mut client = NetworkClient::with_config(prefabs(), config);
    client.add_scene_object(GATE, Hero::default()).unwrap();
    client
}

/// Returns the state of a client as text. Left out are places, which are part of snapshots only, and the fields that `on_synchronize`
/// changes with each snapshot: the readers of a keyframe have their new values before others.
fn state(client: &NetworkClient) -> String {
    let mut text = String::new();
    for identity in client.identities() {
        let id = identity.net_id();
        writeln!(text, "{id} below {:?}", identity.parent()).unwrap();
        if let Some(plain) = client.get::<Plain>(id) {
            writeln!(text, " {} {:?}", *plain.level, &*plain.log).unwrap();
        }
        if let Some(hero) = client.get::<Hero>(id) {
            write_hero(&mut text, hero);
        }
        if let Some(fast) = client.get::<Fast>(id) {
            writeln!(text, " {} {} {}", *fast.speed, *fast.fuel, *fast.gear).unwrap();
            writeln!(text, " {} {} {:?}", *fast.lap, *fast.cloak, &*fast.trail).unwrap();
            writeln!(text, " {} {} {:?}", *fast.heat, *fast.tale, &*fast.course).unwrap();
            writeln!(text, " {} {}", *fast.tune, *fast.brake).unwrap();
        }
        if let Some(twice) = client.get::<Twice>(id) {
            let beats = (*twice.beat, *twice.offbeat, *twice.tempo);
            writeln!(text, " {beats:?} {}", *twice.note).unwrap();
        }
    }
    text
}

fn write_hero(text: &mut String, hero: &Hero) {
    let bag: Vec<_> = hero.bag.iter().collect();
    writeln!(text, " {} {:?}", *hero.base.level, &*hero.base.log).unwrap();
    writeln!(text, " {:?} {:?}", *hero.name, *hero.target).unwrap();
    writeln!(text, " {:?} {:?} {bag:?}", *hero.secret, &*hero.quests).unwrap();
    writeln!(text, " {:?} {:?}", *hero.mark, &*hero.path).unwrap();
    writeln!(
        text,
        " {:?} {} {:?}",
        *hero.outfit, *hero.mode, &*hero.orders
    )
    .unwrap();
    writeln!(text, " {} {} {}", *hero.notes, *hero.heat, *hero.place).unwrap();
    writeln!(
        text,
        " {:?} {:?} {} {}",
        *hero.plan, &*hero.steps, *hero.wish, *hero.morale
    )
    .unwrap();
    writeln!(text, " {}", hero.session).unwrap();
}

/// Returns the new events of a client. A report of a tick has no place among the others: a live client is told of ticks with packets only.
fn events(client: &mut NetworkClient) -> (Vec<ClientEvent>, Vec<u64>) {
    let (mut others, mut ticks) = (Vec::new(), Vec::new());
    while let Some(event) = client.poll_event() {
        match event {
            ClientEvent::Tick {
                tick,
                complete,
                after_gap,
            } => {
                assert!(complete && !after_gap, "tick {tick}");
                ticks.push(tick);
            }
            event => others.push(event),
        }
    }
    (others, ticks)
}

impl World {
    /// Begins the recording, and connects the spectator without datagrams.
    fn record(&mut self) {
        self.server.start_recording();
        let mut spectator = client();
        spectator.handle_connect();
        let connection = self.server.handle_connect();
        self.recorded = Some(Recorded {
            spectator,
            connection,
            received: Vec::new(),
            is_ready: false,
            players: Vec::new(),
            updates: 0,
            last: 0,
            keyframe: 0,
        });
        self.update();
        self.update();
        // The spectator is ready now; the recording begins anew with it.
        self.server.stop_recording();
        let recorded = self.recorded.as_mut().unwrap();
        (recorded.players, recorded.updates) = (Vec::new(), 0);
        self.server.start_recording();
        self.update();
        assert!(self.server.is_ready(connection));
        self.recorded.as_mut().unwrap().is_ready = true;
    }

    /// Shows the spectator all objects that are not hidden from all, as a recording has them.
    pub(crate) fn show_recorded(&mut self) {
        let Some(recorded) = &self.recorded else {
            return;
        };
        let spectator = recorded.connection;
        for id in &self.objects {
            let reason = self.server.why_visible(*id, spectator);
            if !matches!(
                reason,
                Ok(ViewReason::HiddenFromAll | ViewReason::ShownByName)
            ) {
                self.server.show(*id, spectator).unwrap();
            }
        }
    }

    /// Plays the records of an update, and compares all players with the spectator.
    pub(crate) fn play_records(&mut self) {
        let current = CURRENT.take();
        let Some(recorded) = &mut self.recorded else {
            return;
        };
        while let Some(packet) = recorded.spectator.poll_transmit() {
            let handled =
                self.server
                    .handle_packet(recorded.connection, packet.channel, &packet.bytes);
            handled.unwrap();
        }
        recorded.updates += 1;
        if recorded.updates % KEYFRAMES == 0 {
            self.server.request_keyframe();
        }
        let (live, live_ticks) = events(&mut recorded.spectator);
        let records: Vec<_> = self.server.records_after(recorded.last).collect();
        let received = std::mem::take(&mut recorded.received);
        if recorded.is_ready {
            let changes = records.iter().filter(|record| !record.is_keyframe());
            let items = changes.flat_map(|record| record.items());
            let recorded: Vec<_> = items.flat_map(|item| item.messages).copied().collect();
            assert_eq!(recorded, received, "the bytes are those of a connection");
        }
        for record in &records {
            for player in &mut recorded.players {
                player.handle_record(record).unwrap();
            }
            recorded.last = record.seq();
        }
        if recorded.is_ready {
            let expected = state(&recorded.spectator);
            for (number, player) in recorded.players.iter_mut().enumerate() {
                assert_eq!(state(player), expected, "player {number}");
                let (played, ticks) = events(player);
                assert_eq!(played, live, "player {number}");
                assert!(live_ticks.iter().all(|tick| ticks.contains(tick)));
                assert!(player.poll_transmit().is_none());
            }
        }
        let keyframe = self.server.keyframe();
        if let Some(keyframe) = keyframe.filter(|it| it.seq() > recorded.keyframe) {
            let mut player = client();
            player.handle_record(keyframe).unwrap();
            if self.server.is_ready(recorded.connection) {
                assert_eq!(state(&player), state(&recorded.spectator), "keyframe");
            }
            events(&mut player);
            if recorded.players.len() >= PLAYERS {
                recorded.players.remove(1);
            }
            recorded.players.push(player);
            (recorded.keyframe, recorded.last) = (keyframe.seq(), keyframe.seq());
        }
        CURRENT.set(current);
    }
}

proptest! {
    #![proptest_config(syncvar_testing::cases(128))]

    #[test]
    fn players_of_a_recording_equal_a_live_spectator_after_each_tick(
        loss in 0_usize..4,
        (grid, host, liar) in any::<(bool, bool, bool)>(),
        actions in proptest::collection::vec(action(), 1..80),
    ) {
        let mut world = World::new(Kind { loss, grid, host, liar, literal: false, unet: loss % 2 == 0 });
        world.record();
        for action in actions {
            world.act(action);
        }
        (0..20).for_each(|_| world.step());
        let recorded = world.recorded.unwrap();
        prop_assert!(recorded.players.len() >= PLAYERS);
    }
}
