//! A session of zenoh, and the thread that hands the output of a node to it.
//!
//! ```text
//! program's thread             thread of the node            threads of zenoh
//! publish, ask, answer ──> outbox ──> put, get, reply ──> ... link ...
//! update, poll <────────── inbox <────────────────────── callbacks
//! ```
//!
//! Calls of zenoh may wait for room in a link. They run in the thread of the node, so the program's thread never waits.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use syncvar_fleet::{Node, NodeId, Question, QuestionId, Topic};
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::qos::{CongestionControl, Priority};
use zenoh::query::{Query, Queryable};
use zenoh::sample::SampleKind;
use zenoh::{Session, Wait};

use crate::keys::KeyNames;
use crate::mailbox::{Mail, Mailbox};
use crate::{ZenohConfig, ZenohError, question};

/// Own records that wait for the thread: 2 s at 30 ticks per second.
const MAX_OUTGOING: usize = 64;

/// Received records that wait for the program.
const MAX_INCOMING: usize = 1024;

/// Input of a node.
#[derive(Debug)]
pub(crate) enum NodeInput {
    /// A node with its tier.
    Alive(Node, u8),
    Gone(NodeId),
    Asked(NodeId, QuestionId, Question, Query),
    Answered(NodeId, QuestionId, Bytes),
}

/// Output of a node.
#[derive(Debug)]
pub(crate) enum NodeOutput {
    Subscribe(NodeId, Topic),
    Unsubscribe(NodeId, Topic),
    Ask(NodeId, QuestionId, Question),
    Answer(Query, Bytes),
}

pub(crate) type IncomingMail = Mailbox<NodeInput, (NodeId, Topic, Bytes)>;
pub(crate) type OutgoingMail = Mailbox<NodeOutput, (Topic, Bytes)>;

/// A session with its thread. Both end with it.
#[derive(Debug)]
pub(crate) struct NodeSession {
    pub(crate) inbox: Arc<IncomingMail>,
    pub(crate) outbox: Arc<OutgoingMail>,
    thread: Option<JoinHandle<()>>,
}

impl NodeSession {
    /// Opens a session, and begins to listen and to dial.
    pub(crate) fn open(
        id: NodeId,
        config: &ZenohConfig,
        timeout: Duration,
    ) -> Result<Self, ZenohError> {
        let session = zenoh::open(config.to_zenoh()?).wait();
        let world = config.world.clone();
        let mut node = SessionThread {
            id,
            keys: KeyNames { world },
            timeout,
            session: session.map_err(ZenohError::Zenoh)?,
            inbox: Arc::new(Mailbox::new(MAX_INCOMING)),
            publishers: BTreeMap::new(),
            subscribers: BTreeMap::new(),
        };
        let declared = node.declare(config).map_err(ZenohError::Zenoh)?;
        let inbox = Arc::clone(&node.inbox);
        let outbox = Arc::new(Mailbox::new(MAX_OUTGOING));
        let orders = Arc::clone(&outbox);
        let thread = std::thread::spawn(move || {
            while let Some(mail) = orders.wait() {
                node.send(mail);
            }
            drop(declared);
            if let Err(error) = node.session.close().wait() {
                tracing::debug!(error, "the session of zenoh ends");
            }
        });
        Ok(Self {
            inbox,
            outbox,
            thread: Some(thread),
        })
    }
}

impl Drop for NodeSession {
    fn drop(&mut self) {
        self.outbox.close();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread of a node has panicked");
        }
    }
}

/// State of the thread.
struct SessionThread {
    id: NodeId,
    keys: KeyNames,
    timeout: Duration,
    session: Session,
    inbox: Arc<IncomingMail>,
    publishers: BTreeMap<Topic, Publisher<'static>>,
    subscribers: BTreeMap<(NodeId, Topic), Subscriber<()>>,
}

/// Declarations that live as long as the node.
type Declared = (LivelinessToken, Subscriber<()>, Queryable<()>);

impl SessionThread {
    /// Declares the node, its view of the living nodes, and its answers.
    fn declare(&self, config: &ZenohConfig) -> zenoh::Result<Declared> {
        let (id, keys, inbox) = (self.id, self.keys.clone(), Arc::clone(&self.inbox));
        let liveliness = self.session.liveliness();
        let nodes = liveliness
            .declare_subscriber(self.keys.all_alive())
            .history(true)
            .callback(move |sample| {
                let node = keys.node(sample.key_expr().as_str());
                let Some((node, tier)) = node.filter(|(node, _)| node.id != id) else {
                    return;
                };
                inbox.push(match sample.kind() {
                    SampleKind::Put => NodeInput::Alive(node, tier),
                    SampleKind::Delete => NodeInput::Gone(node.id),
                });
            })
            .wait()?;
        let inbox = Arc::clone(&self.inbox);
        let questions = { &self.session }
            .declare_queryable(self.keys.questions(id))
            .callback(move |query| {
                let bytes = query.payload().map(|it| it.to_bytes().into_owned().into());
                if let Some((from, id, question)) = bytes.as_ref().and_then(question::read) {
                    inbox.push(NodeInput::Asked(from, id, question, query));
                }
            })
            .wait()?;
        // The node appears in the fleet once it can answer.
        let node = Node {
            id,
            role: config.role,
            address: config.address.clone(),
        };
        let token = liveliness
            .declare_token(self.keys.alive(&node, config.tier))
            .wait()?;
        Ok((token, nodes, questions))
    }

    /// Hands an element of the output to zenoh.
    fn send(&mut self, mail: Mail<NodeOutput, (Topic, Bytes)>) {
        let sent = match mail {
            Mail::Record((topic, bytes)) => self.publish(topic, bytes),
            Mail::Message(NodeOutput::Subscribe(publisher, topic)) => {
                self.subscribe(publisher, topic)
            }
            Mail::Message(NodeOutput::Unsubscribe(publisher, topic)) => {
                self.subscribers.remove(&(publisher, topic));
                Ok(())
            }
            Mail::Message(NodeOutput::Ask(to, id, question)) => self.ask(to, id, &question),
            Mail::Message(NodeOutput::Answer(query, bytes)) => {
                query.reply(query.key_expr(), bytes).wait()
            }
        };
        if let Err(error) = sent {
            tracing::debug!(error, "zenoh does not send");
        }
    }

    fn publish(&mut self, topic: Topic, bytes: Bytes) -> zenoh::Result<()> {
        if !self.publishers.contains_key(&topic) {
            let publisher = { &self.session }
                .declare_publisher(self.keys.records(self.id, topic))
                .congestion_control(CongestionControl::Drop)
                .priority(Priority::InteractiveHigh)
                .wait()?;
            self.publishers.insert(topic, publisher);
        }
        let publisher = self.publishers.get(&topic);
        publisher.map_or(Ok(()), |it| it.put(bytes).wait())
    }

    fn subscribe(&mut self, publisher: NodeId, topic: Topic) -> zenoh::Result<()> {
        let inbox = Arc::clone(&self.inbox);
        let subscriber = { &self.session }
            .declare_subscriber(self.keys.records(publisher, topic))
            .callback(move |sample| {
                let bytes = sample.payload().to_bytes().into_owned().into();
                inbox.push_record((publisher, topic, bytes));
            })
            .wait()?;
        self.subscribers.insert((publisher, topic), subscriber);
        Ok(())
    }

    fn ask(&self, to: NodeId, id: QuestionId, question: &Question) -> zenoh::Result<()> {
        let inbox = Arc::clone(&self.inbox);
        { &self.session }
            .get(self.keys.questions(to))
            .payload(question::write(self.id, id, question))
            .timeout(self.timeout)
            .callback(move |reply| {
                if let Ok(sample) = reply.result() {
                    let bytes = sample.payload().to_bytes().into_owned().into();
                    inbox.push(NodeInput::Answered(to, id, bytes));
                }
            })
            .wait()
    }
}
