//! Names of the keys. WIRE.md, section 12, "Zenoh".

use syncvar_fleet::{Node, NodeId, Role, Topic};

/// Keys of a world.
#[derive(Clone, Debug)]
pub(crate) struct KeyNames {
    /// Name of the world, one part of a key.
    pub(crate) world: String,
}

impl KeyNames {
    /// Returns the key of the records of a topic.
    pub(crate) fn records(&self, publisher: NodeId, topic: Topic) -> String {
        format!(
            "syncvar/{}/{:016x}/records/{}",
            self.world, publisher.0, topic.0
        )
    }

    /// Returns the key of the questions to a node.
    pub(crate) fn questions(&self, to: NodeId) -> String {
        format!("syncvar/{}/{:016x}/questions", self.world, to.0)
    }

    /// Returns the key that exists as long as a node is alive.
    pub(crate) fn alive(&self, node: &Node, tier: u8) -> String {
        let Node { id, role, address } = node;
        // Addresses have characters that a key may not have. A part of a key is not empty.
        let address = hex::encode(address);
        let role = role_name(*role);
        format!(
            "{}/{:016x}/{role}/{tier}/x{address}",
            self.alive_prefix(),
            id.0
        )
    }

    /// Returns the pattern of [`alive`](Self::alive) for all nodes of the world.
    pub(crate) fn all_alive(&self) -> String {
        format!("{}/**", self.alive_prefix())
    }

    /// Returns the node and the tier of a key of [`alive`](Self::alive); `None` for a malformed key.
    pub(crate) fn node(&self, key: &str) -> Option<(Node, u8)> {
        let parts = key.strip_prefix(&self.alive_prefix())?.strip_prefix('/')?;
        let [id, role, tier, address]: [&str; 4] =
            parts.split('/').collect::<Vec<_>>().try_into().ok()?;
        let node = Node {
            id: NodeId(u64::from_str_radix(id, 16).ok()?),
            role: ROLES.iter().find(|(_, name)| *name == role)?.0,
            address: String::from_utf8(hex::decode(address.strip_prefix('x')?).ok()?).ok()?,
        };
        Some((node, tier.parse().ok()?))
    }

    fn alive_prefix(&self) -> String {
        format!("syncvar/{}/alive", self.world)
    }
}

const ROLES: [(Role, &str); 4] = [
    (Role::Origin, "origin"),
    (Role::Relay, "relay"),
    (Role::Zone, "zone"),
    (Role::Gateway, "gateway"),
];

fn role_name(role: Role) -> &'static str {
    let named = ROLES.iter().find(|(it, _)| *it == role);
    named.map_or("", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_read_from_its_key() {
        let world = "world-7".into();
        let keys = KeyNames { world };
        for (role, address) in [(Role::Relay, "tcp://[::1]:7?*/#$ä"), (Role::Origin, "")] {
            let id = NodeId(u64::MAX - 1);
            let address = address.into();
            let node = Node { id, role, address };
            let key = keys.alive(&node, 3);
            assert!(!key.contains(['*', '$', '#', '?']), "{key}");
            assert_eq!(keys.node(&key), Some((node, 3)));
        }
        for key in [
            "",
            "syncvar/world-7/alive",
            "syncvar/world-70/alive/1/relay/1/x",
            "syncvar/world-7/alive/1/relay/1/x0",
            "syncvar/world-7/alive/1/relay/1/xff",
            "syncvar/world-7/alive/1/relay/256/x",
            "syncvar/world-7/alive/1/king/1/x",
            "syncvar/world-7/alive/1/relay/1/x/2",
        ] {
            assert_eq!(keys.node(key), None, "{key}");
        }
    }
}
