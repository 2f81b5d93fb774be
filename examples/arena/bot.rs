//! A bot: a client over TCP that plays by its replicas.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use syncvar::prelude::*;
use syncvar::tcp::TcpClient;
use syncvar::{NetworkIdentity, calls::CallError};

use crate::body::Body;
use crate::crown::Crown;
use crate::fighter::{Fighter, Stance};
use crate::{prefabs, say};

/// Plays until the server ends the connection. Returns the client with its replicas.
pub(crate) async fn play(addr: SocketAddr, name: &'static str) -> io::Result<TcpClient> {
    let mut tcp = TcpClient::connect(addr, NetworkClient::new(prefabs())).await?;
    let mut bot = Bot {
        name,
        me: NetId::NONE,
        turn: 0,
    };
    let mut turns = tokio::time::interval(Duration::from_millis(450));
    loop {
        tokio::select! {
            event = tcp.next_event() => match event {
                Some(event) => bot.hear(tcp.client_mut(), event),
                None => return Ok(tcp),
            },
            _ = turns.tick() => {
                if let Err(error) = bot.act(tcp.client_mut()) {
                    say(name, format!("cannot do that: {error}"));
                }
            }
        }
    }
}

/// State of a bot.
struct Bot {
    name: &'static str,
    /// The bot's fighter.
    me: NetId,
    turn: usize,
}

impl Bot {
    /// Handles an event of the client.
    fn hear(&mut self, client: &mut NetworkClient, event: ClientEvent) {
        // Hooks and calls run before the application receives the event.
        self.print_notes(client);
        if let Some(changed) = event.changed::<Fighter>()
            && changed.contains(Fighter::PACK)
            && let Some(fighter) = client.get::<Fighter>(changed.object())
        {
            say(self.name, format!("my pack: {:?}", fighter.pack.to_vec()));
        }
        match event {
            ClientEvent::Spawned { object } => {
                let name = client
                    .get::<Fighter>(object)
                    .map(|fighter| fighter.name.to_string());
                let what = name.map_or("the crown".into(), |name| format!("a fighter, {name:?}"));
                say(self.name, format!("{object} is there: {what}"));
            }
            ClientEvent::OwnerChanged {
                object,
                owned: true,
            } => self.take_over(client, object),
            ClientEvent::SyncEvent(event) => {
                if let Some((by,)) = event.arguments(Fighter::FALLEN) {
                    say(
                        self.name,
                        format!("event: {} has fallen to {by}", event.object()),
                    );
                }
            }
            ClientEvent::Disconnected { reason } => say(self.name, reason),
            _ => {}
        }
    }

    /// Prints the output of hooks and calls on this client's replicas.
    fn print_notes(&self, client: &mut NetworkClient) {
        let ids: Vec<NetId> = client.identities().map(NetworkIdentity::net_id).collect();
        for id in ids {
            let mut seen = Vec::new();
            if let Ok(mut fighter) = client.get_mut::<Fighter>(id) {
                seen.append(&mut fighter.seen);
            }
            if let Ok(mut crown) = client.get_mut::<Crown>(id) {
                seen.append(&mut crown.seen);
            }
            for line in seen {
                say(self.name, format!("  {line}"));
            }
        }
    }

    /// Makes the next move once the bot has a fighter.
    fn act(&mut self, client: &mut NetworkClient) -> Result<(), CallError> {
        let Some(me) = client.get::<Fighter>(self.me) else {
            return Ok(());
        };
        let hurt = *me.health < 40;
        self.turn += 1;
        self.walk(client);
        match self.turn % 5 {
            1 | 3 => self.strike(client),
            _ if hurt => {
                say(self.name, "command: use what is in the pack");
                client.calls::<Fighter>(self.me).use_item()
            }
            2 => {
                self.change_stance(client);
                Ok(())
            }
            4 => self.claim_the_crown(client),
            _ => {
                say(self.name, "command: use what is in the pack");
                client.calls::<Fighter>(self.me).use_item()
            }
        }
    }

    /// Returns the other fighter that this bot is after for some turns.
    fn target(&self, client: &NetworkClient) -> Option<NetId> {
        let others = client
            .identities()
            .filter(|identity| identity.behaviour::<Fighter>().is_some());
        let others: Vec<NetId> = others
            .map(NetworkIdentity::net_id)
            .filter(|id| *id != self.me)
            .collect();
        others.get(self.turn / 8 % others.len().max(1)).copied()
    }

    /// Heads for the target, by writing a field of its own body.
    fn walk(&self, client: &mut NetworkClient) {
        let target = self.target(client).and_then(|id| client.get::<Body>(id));
        let heading = match (client.get::<Body>(self.me), target) {
            (Some(own), Some(target)) => own.towards(target),
            _ => return,
        };
        if let Ok(mut body) = client.get_mut::<Body>(self.me) {
            body.heading.set(heading);
        }
    }

    /// Strikes the target.
    fn strike(&self, client: &mut NetworkClient) -> Result<(), CallError> {
        let Some(target) = self.target(client) else {
            return Ok(());
        };
        say(self.name, format!("command: strike {target}"));
        client
            .calls::<Fighter>(self.me)
            .strike(NetRef::from(target))
    }

    /// Changes the stance, which this client may write, by an ordinary assignment.
    fn change_stance(&self, client: &mut NetworkClient) {
        if let Ok(mut me) = client.get_mut::<Fighter>(self.me) {
            let next = match *me.stance {
                Stance::Open => Stance::OnGuard,
                Stance::OnGuard => Stance::Open,
            };
            me.stance.set(next);
            say(self.name, format!("write: my stance is {next:?}"));
        }
    }

    /// Takes the crown unless this bot wears it.
    fn claim_the_crown(&self, client: &mut NetworkClient) -> Result<(), CallError> {
        let is_crown = |object: &NetworkIdentity<'_>| object.behaviour::<Crown>().is_some();
        let crown = client.identities().find(is_crown);
        let Some(crown) = crown.map(NetworkIdentity::net_id) else {
            return Ok(());
        };
        if client.is_owner(crown) {
            return Ok(());
        }
        say(self.name, "command: take the crown");
        client.calls::<Crown>(crown).take(NetRef::from(self.me))
    }

    /// Handles the ownership of an object: the fighter, or the crown with its writable motto.
    fn take_over(&mut self, client: &mut NetworkClient, object: NetId) {
        if let Ok(mut crown) = client.get_mut::<Crown>(object) {
            let motto = format!("{}'s for {} turns", self.name, self.turn);
            say(self.name, format!("write: the motto is {motto:?}"));
            crown.motto.set(motto);
            return;
        }
        self.me = object;
        say(
            self.name,
            format!("command: introduce {object} as {}", self.name),
        );
        let called = client.calls::<Fighter>(object).introduce(self.name.into());
        if let Err(error) = called {
            say(self.name, error);
        }
    }
}
