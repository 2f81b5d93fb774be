//! Carrier over the transports of `syncvar`. WIRE.md, section 12.

mod connection;
mod message;
mod port;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use syncvar_runtime::ConnectionId;

pub use message::LinkError;
use message::{Hello, LinkMessage};
pub use port::LinkPort;

use crate::carrier::OpenQuestions;
use crate::{Carrier, CarrierEvent, Node, NodeId, Question, QuestionId, Role, Topic};

/// Time without an answer after which a question ends.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Place of a connection: the port of the listeners, or of a dialled source.
type Place = (usize, ConnectionId);

/// Port of the listeners among the ports of a carrier; the dialled sources follow it.
const LISTENERS: usize = 0;

/// A [`Carrier`] over the transports of `syncvar`: TCP, WebSocket, QUIC and so on.
///
/// The node listens for nodes with [`listeners`](Self::listeners), an endpoint for `Host`, and dials its sources with
/// [`source`](Self::source), an endpoint for `Peer` each. A program moves both in its loop, as those of a server and a client. Nodes
/// reach the nodes to which they have a link; a node follows nodes that it has dialled, in the order of
/// [`add_source`](Self::add_source).
///
/// A fleet is a trust domain: each node may publish records. [`with_key`](Self::with_key) keeps foreign programs out. The
/// key travels in the first message: use a transport with TLS beyond a local network.
///
/// ```
/// use std::time::Duration;
/// use syncvar::{ConnectionId, Endpoint, PacketLimits};
/// use syncvar_fleet::link::{LinkCarrier, LinkPort};
/// use syncvar_fleet::{Carrier, NodeId, Role};
///
/// let mut origin = LinkCarrier::new(NodeId(1), Role::Origin, "");
/// let mut relay = LinkCarrier::new(NodeId(2), Role::Relay, "10.0.0.7:7777");
/// let source = relay.add_source();
/// // A transport reports the link to both ends, and moves the packets.
/// let link = origin.listeners().handle_connect(PacketLimits::STREAM);
/// relay.source(source).unwrap().handle_connect(PacketLimits::STREAM);
/// let carry = |from: &mut LinkPort, to: &mut LinkPort, at| {
///     while let Some(packet) = from.poll_transmit() {
///         to.handle_packet(at, packet.channel, &packet.to_bytes()).unwrap();
///     }
/// };
/// carry(relay.source(source).unwrap(), origin.listeners(), link);
/// carry(origin.listeners(), relay.source(source).unwrap(), ConnectionId::SERVER);
/// for carrier in [&mut origin, &mut relay] {
///     carrier.update(Duration::from_millis(10));
/// }
/// assert_eq!(relay.sources(), [NodeId(1)]);
/// assert_eq!(origin.nodes()[0].address, "10.0.0.7:7777");
/// ```
#[derive(Debug)]
pub struct LinkCarrier {
    hello: Hello,
    ports: Vec<LinkPort>,
    nodes: BTreeMap<NodeId, LinkedNode>,
    /// Own subscriptions, which a new link begins with.
    subscriptions: BTreeSet<(NodeId, Topic)>,
    events: VecDeque<CarrierEvent>,
    questions: OpenQuestions,
    now: Duration,
}

/// A node with a link.
#[derive(Debug)]
struct LinkedNode {
    node: Node,
    place: Place,
    /// Topics that it has subscribed to.
    topics: BTreeSet<Topic>,
}

impl LinkCarrier {
    /// Creates the carrier of a node. `address` is for the clients of the node, by a convention of the program.
    pub fn new(id: NodeId, role: Role, address: &str) -> Self {
        let address = address.into();
        let hello = Hello {
            node: Node { id, role, address },
            key: String::new(),
        };
        Self {
            ports: vec![LinkPort::of_listeners(hello.clone())],
            hello,
            nodes: BTreeMap::new(),
            subscriptions: BTreeSet::new(),
            events: VecDeque::new(),
            questions: OpenQuestions::new(ANSWER_TIMEOUT),
            now: Duration::ZERO,
        }
    }

    /// Sets the key that all nodes of the fleet have, at most 256 bytes. A node with a different key is refused.
    #[must_use]
    pub fn with_key(mut self, key: &str) -> Self {
        self.hello.key = key.into();
        for port in &mut self.ports {
            port.set_hello(self.hello.clone());
        }
        self
    }

    /// Returns the endpoint for the listeners.
    pub fn listeners(&mut self) -> &mut LinkPort {
        // It exists from the first moment on.
        &mut self.ports[LISTENERS]
    }

    /// Adds a source that the program dials. Returns its number.
    pub fn add_source(&mut self) -> usize {
        self.ports.push(LinkPort::of_source(self.hello.clone()));
        self.ports.len() - 1
    }

    /// Returns the endpoint for a dialled source.
    pub fn source(&mut self, number: usize) -> Option<&mut LinkPort> {
        self.ports.get_mut(number).filter(|_| number != LISTENERS)
    }

    /// Takes the messages and the ends of the links.
    fn take_input(&mut self) {
        for port in 0..self.ports.len() {
            while let Some((connection, message)) = self.poll_port(port) {
                self.take_message((port, connection), message);
            }
        }
    }

    fn poll_port(&mut self, port: usize) -> Option<(ConnectionId, Option<LinkMessage>)> {
        self.ports.get_mut(port)?.poll_message()
    }

    /// Takes a message of a link; `None` for its end.
    fn take_message(&mut self, place: Place, message: Option<LinkMessage>) {
        let from = { self.nodes.values() }
            .find(|linked| linked.place == place)
            .map(|linked| linked.node.id);
        match (from, message) {
            (_, Some(LinkMessage::Hello(hello))) => self.add_node(place, hello),
            (Some(from), Some(message)) => self.take_of_node(from, message),
            (Some(from), None) => self.remove_node(from),
            (None, _) => {}
        }
    }

    fn add_node(&mut self, place: Place, hello: Hello) {
        let id = hello.node.id;
        if id == self.hello.node.id {
            self.close(place);
            return;
        }
        let linked = LinkedNode {
            node: hello.node,
            place,
            topics: BTreeSet::new(),
        };
        // A new link takes the place of the link before.
        if let Some(former) = self.nodes.insert(id, linked) {
            self.close(former.place);
        } else {
            self.events.push_back(CarrierEvent::Joined(id));
        }
        let topics: Vec<_> = { self.subscriptions.iter() }
            .filter(|(publisher, _)| *publisher == id)
            .map(|(_, topic)| *topic)
            .collect();
        for topic in topics {
            self.send(id, LinkMessage::Subscribe(topic));
        }
    }

    fn take_of_node(&mut self, from: NodeId, message: LinkMessage) {
        let event = match message {
            LinkMessage::Hello(_) | LinkMessage::Alive => return,
            LinkMessage::Subscribe(topic) => {
                if let Some(linked) = self.nodes.get_mut(&from) {
                    linked.topics.insert(topic);
                }
                return;
            }
            LinkMessage::Unsubscribe(topic) => {
                if let Some(linked) = self.nodes.get_mut(&from) {
                    linked.topics.remove(&topic);
                }
                return;
            }
            LinkMessage::Record(topic, bytes) => CarrierEvent::Record {
                publisher: from,
                topic,
                bytes,
            },
            LinkMessage::Question(id, question) => CarrierEvent::Asked { from, id, question },
            LinkMessage::Answer(id, bytes) => {
                if !self.questions.close(id, from) {
                    return;
                }
                let answer = Some(bytes);
                CarrierEvent::Answered { id, answer }
            }
        };
        self.events.push_back(event);
    }

    fn remove_node(&mut self, id: NodeId) {
        if self.nodes.remove(&id).is_some() {
            self.events.push_back(CarrierEvent::Left(id));
        }
    }

    fn close(&mut self, (port, connection): Place) {
        if let Some(port) = self.ports.get_mut(port) {
            port.close(connection);
        }
    }

    /// Sends a message to a node with a link.
    fn send(&mut self, to: NodeId, message: LinkMessage) {
        let Some((port, connection)) = self.nodes.get(&to).map(|linked| linked.place) else {
            return;
        };
        if let Some(port) = self.ports.get_mut(port) {
            port.send(connection, message);
        }
    }
}

impl Carrier for LinkCarrier {
    fn id(&self) -> NodeId {
        self.hello.node.id
    }

    fn update(&mut self, now: Duration) {
        self.now = now;
        for port in &mut self.ports {
            port.advance(now);
        }
        self.take_input();
        let ends = { &mut self.questions }.expire(now, |node| self.nodes.contains_key(&node));
        self.events.extend(ends);
    }

    fn nodes(&self) -> Vec<Node> {
        { self.nodes.values() }
            .map(|linked| linked.node.clone())
            .collect()
    }

    fn sources(&self) -> Vec<NodeId> {
        let dialled = { self.nodes.values() }.filter(|linked| linked.place.0 != LISTENERS);
        let mut sources: Vec<_> = dialled
            .map(|linked| (linked.place.0, linked.node.id))
            .collect();
        sources.sort_unstable();
        sources.into_iter().map(|(_, id)| id).collect()
    }

    fn subscribe(&mut self, publisher: NodeId, topic: Topic) {
        if self.subscriptions.insert((publisher, topic)) {
            self.send(publisher, LinkMessage::Subscribe(topic));
        }
    }

    fn unsubscribe(&mut self, publisher: NodeId, topic: Topic) {
        if self.subscriptions.remove(&(publisher, topic)) {
            self.send(publisher, LinkMessage::Unsubscribe(topic));
        }
    }

    fn publish(&mut self, topic: Topic, record: Bytes) {
        let subscribers = { self.nodes.values() }.filter(|linked| linked.topics.contains(&topic));
        for (port, connection) in subscribers.map(|linked| linked.place) {
            if let Some(port) = self.ports.get_mut(port) {
                port.send(connection, LinkMessage::Record(topic, record.clone()));
            }
        }
    }

    fn ask(&mut self, to: NodeId, question: Question) -> QuestionId {
        let (id, has_room) = self.questions.open(to, self.now);
        if has_room {
            self.send(to, LinkMessage::Question(id, question));
        }
        id
    }

    fn answer(&mut self, to: NodeId, id: QuestionId, answer: Bytes) {
        self.send(to, LinkMessage::Answer(id, answer));
    }

    fn poll(&mut self) -> Option<CarrierEvent> {
        self.events.pop_front()
    }
}
