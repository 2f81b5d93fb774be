//! Parts of the stages over sockets: a runtime, and closures for a server inside its transport's loop.

use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// Time in which the replicas must become equal.
pub(crate) const SOON: Duration = Duration::from_secs(10);

type Command<S> = Box<dyn FnOnce(&mut S) + Send>;

/// Closures for the next tick of a server.
pub(crate) type Queue<S> = mpsc::UnboundedReceiver<Command<S>>;

/// Sender of closures to a server.
pub(crate) struct Remote<S>(mpsc::UnboundedSender<Command<S>>);

impl<S> Remote<S> {
    pub(crate) fn new() -> (Self, Queue<S>) {
        let (commands, queue) = mpsc::unbounded_channel();
        (Self(commands), queue)
    }

    /// Runs a closure on the server in its next tick.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut S) -> T + Send + 'static,
    ) -> Result<T, String> {
        let (answer, answered) = oneshot::channel();
        let command: Command<S> = Box::new(move |server| {
            let _ = answer.send(question(server));
        });
        let gone = "the server has ended";
        self.0.send(command).map_err(|_| gone)?;
        let answered = timeout(SOON, answered).await;
        let answered = answered.map_err(|_| "the server does not tick")?;
        Ok(answered.map_err(|_| gone)?)
    }
}

/// Runs the closures that wait.
pub(crate) fn run_commands<S>(queue: &mut Queue<S>, server: &mut S) {
    while let Ok(command) = queue.try_recv() {
        command(server);
    }
}

/// Creates a runtime on the present thread.
pub(crate) fn runtime() -> Runtime {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build();
    runtime.expect("a system with sockets")
}
