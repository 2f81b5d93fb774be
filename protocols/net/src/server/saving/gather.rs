//! Facts of the rooms, as a save has them.

use bytes::Bytes;
use syncvar_runtime::{ConnectionId, NetId};

use crate::server::ground::Ground;
use crate::server::objects::replicated::{Replicated, State};
use crate::server::outbound::journal::KnownFacts;
use crate::server::saving::facts::{
    ConnectionFacts, DefaultView, FactsWriter, ObjectFacts, ServerFacts,
};
use crate::server::sessions::Sessions;
use crate::server::sessions::connection::Connection;
use crate::server::visibility::Visibility;
use crate::server::visibility::audience::Base;

/// Returns the entries of the server, the connections and the waiting players.
pub(crate) fn known_facts(ground: &Ground<'_>, visibility: &Visibility) -> KnownFacts {
    let mut known = KnownFacts {
        server: entry(|writer| writer.server(&server_facts(ground))),
        ..KnownFacts::default()
    };
    for connection in ground.sessions.connections.values() {
        if let Some(facts) = connection_facts(ground.sessions, visibility, connection) {
            let entry = entry(|writer| writer.connection(connection.id, Some(&facts)));
            known.connections.insert(connection.id, entry);
        }
    }
    for (key, objects) in ground.sessions.returns.players.waiting() {
        let entry = entry(|writer| writer.player(key, objects));
        known.players.insert(key.clone(), entry);
    }
    known
}

fn entry(write: impl FnOnce(&mut FactsWriter)) -> Bytes {
    let mut writer = FactsWriter::default();
    write(&mut writer);
    Bytes::copy_from_slice(writer.as_bytes())
}

/// Returns the numbers that a server continues.
fn server_facts(ground: &Ground<'_>) -> ServerFacts {
    ServerFacts {
        next_object: ground.objects.world.net_ids.peek().unwrap_or_default(),
        next_connection: ground.sessions.peek_id(),
        last_permit: ground.objects.last_permit(),
        recorded: ground.outbound.recorder.seq(),
    }
}

/// Returns the facts about an object.
pub(crate) fn object_facts(
    ground: &Ground<'_>,
    visibility: &Visibility,
    id: NetId,
) -> Option<ObjectFacts> {
    let replicated = ground.objects.world.objects.get(id.0)?;
    let is_client = |connection: &ConnectionId| !ground.sessions.is_local(*connection);
    let (view, exceptions) = views(visibility, id, replicated);
    Some(ObjectFacts {
        owner: replicated.owner.filter(is_client),
        permit: replicated.permit,
        group: visibility.groups.of(id),
        scene_id: ground.objects.world.relations.scene_id(id),
        view,
        exceptions,
    })
}

/// Returns the observers of an object: by default, and by name.
fn views(
    visibility: &Visibility,
    id: NetId,
    replicated: &Replicated,
) -> (DefaultView, Vec<(ConnectionId, bool)>) {
    let target = replicated.target_audience;
    let view = match visibility.audiences.base(target) {
        _ if replicated.is(State::ByInterest) => DefaultView::ByInterest,
        Base::Nobody => DefaultView::Nobody,
        Base::Everyone | Base::Area(_) => DefaultView::Everyone,
    };
    let remembered = visibility.interest.shown_by_name(id);
    let remembered = remembered.map(|connection| (connection, true));
    let mut exceptions: Vec<_> = visibility.audiences.exceptions(target).collect();
    exceptions.extend(remembered);
    exceptions.sort_unstable();
    exceptions.dedup();
    (view, exceptions)
}

/// Returns the facts about a connection whose client can return, or whose player has a key.
fn connection_facts(
    sessions: &Sessions,
    visibility: &Visibility,
    connection: &Connection,
) -> Option<ConnectionFacts> {
    let id = connection.id;
    if !connection.is_connected() || sessions.is_local(id) {
        return None;
    }
    let session = connection.session.as_ref();
    let session = session.filter(|_| sessions.lobby.has_place(id));
    let tokens = session.map(|session| session.tokens().collect());
    let key = sessions
        .returns
        .players
        .key(id)
        .cloned()
        .unwrap_or_default();
    if tokens.is_none() && key.is_empty() {
        return None;
    }
    Some(ConnectionFacts {
        framing: connection.framing,
        tokens: tokens.unwrap_or_default(),
        key,
        payload: connection.requests.join_payload.clone(),
        groups: visibility.groups.members.rights().of(id).collect(),
        players: connection.ownership.players.clone(),
    })
}
