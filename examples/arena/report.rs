//! The final report: every replica beside the server's object.

use syncvar::NetworkIdentity;
use syncvar::prelude::*;
use syncvar::tcp::TcpClient;

use crate::body::Body;
use crate::crown::Crown;
use crate::fighter::Fighter;

/// Prints every field of every object on the server and on the clients. Returns `true` if all replicas are
/// equal to the server's objects, except for the packs of other fighters.
pub(crate) fn compare(server: &NetworkServer, bots: &[TcpClient]) -> bool {
    println!("\nobject  field   server                                  replicas");
    let clients: Vec<&NetworkClient> = bots.iter().map(TcpClient::client).collect();
    let mut right = clients
        .iter()
        .all(|client| client.object_count() == server.object_count());
    for id in server.identities().map(NetworkIdentity::net_id) {
        for (row, (field, on_server)) in fields(server.get(id), server.get(id), server.get(id))
            .into_iter()
            .enumerate()
        {
            let mut marks = Vec::new();
            for client in &clients {
                let (_, here) =
                    fields(client.get(id), client.get(id), client.get(id)).swap_remove(row);
                let may_read = field != "pack" || client.is_owner(id);
                let expected = if may_read { on_server.as_str() } else { "[]" };
                right &= here == expected;
                marks.push(match (here == expected, may_read) {
                    (true, true) => "same",
                    (true, false) => "not told",
                    (false, _) => "WRONG",
                });
            }
            println!("{id:8}{field:8}{on_server:40}{}", marks.join(", "));
        }
    }
    right
}

/// Returns the values of an object's fields as text.
fn fields(
    fighter: Option<&Fighter>,
    body: Option<&Body>,
    crown: Option<&Crown>,
) -> Vec<(&'static str, String)> {
    if let Some(fighter) = fighter {
        let buffs: Vec<&str> = fighter
            .buffs
            .iter()
            .map(|buff| buff.name.as_str())
            .collect();
        return vec![
            ("name", fighter.name.to_string()),
            ("health", fighter.health.to_string()),
            ("stance", format!("{:?}", *fighter.stance)),
            ("buffs", format!("{buffs:?}")),
            ("pack", format!("{:?}", fighter.pack.to_vec())),
            (
                "place",
                body.map_or_else(String::new, |body| format!("{:?}", *body.position)),
            ),
        ];
    }
    let crown = crown.map(|crown| (crown.wearer.id(), crown.motto.to_string()));
    let (wearer, motto) = crown.unwrap_or_default();
    vec![("wearer", wearer.to_string()), ("motto", motto)]
}
