//! `Remote`: a server in the task of its transport.

use std::future::Future;
use std::iter::from_fn;
use std::ops::ControlFlow;
use std::time::Duration;

use syncvar::Endpoint;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::soon;

/// Closure for the next tick of a server.
type Command<E> = Box<dyn FnOnce(&mut E) -> ControlFlow<()> + Send>;

/// Closure that a transport calls in each tick, with the time since its start.
pub type Tick<E> = Box<dyn FnMut(&mut E, Duration) -> ControlFlow<()> + Send>;

/// Server of any protocol in a task.
///
/// A tick runs the game, stores the events that the game leaves, and runs one command.
#[derive(Debug)]
pub struct Remote<E: Endpoint> {
    commands: mpsc::UnboundedSender<Command<E>>,
    events: mpsc::UnboundedReceiver<E::Event>,
    task: JoinHandle<E>,
}

impl<E: Endpoint + Send + 'static> Remote<E>
where
    E::Event: Send,
{
    /// Spawns the future that `run` returns: the loop of a transport, which calls the given [`Tick`].
    pub fn spawn<F>(
        mut game: impl FnMut(&mut E) + Send + 'static,
        run: impl FnOnce(Tick<E>) -> F,
    ) -> Self
    where
        F: Future<Output = E> + Send + 'static,
    {
        let (commands, mut queue) = mpsc::unbounded_channel::<Command<E>>();
        let (happened, events) = mpsc::unbounded_channel();
        let tick = move |server: &mut E, _| {
            game(server);
            while let Some(event) = server.poll_event() {
                // The test may have dropped its end.
                let _ = happened.send(event);
            }
            match queue.try_recv() {
                Ok(command) => command(server),
                Err(_) => ControlFlow::Continue(()),
            }
        };
        Self {
            commands,
            events,
            task: tokio::spawn(run(Box::new(tick))),
        }
    }

    /// Runs a closure on the server in a tick; [`ControlFlow::Break`] stops the server.
    ///
    /// # Panics
    ///
    /// When the server has stopped.
    pub fn command(&self, command: impl FnOnce(&mut E) -> ControlFlow<()> + Send + 'static) {
        let sent = self.commands.send(Box::new(command));
        assert!(sent.is_ok(), "the server runs");
    }

    /// Runs a closure on the server in a tick, and returns its result.
    ///
    /// # Errors
    ///
    /// When the server has stopped.
    pub async fn try_ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut E) -> T + Send + 'static,
    ) -> Result<T, &'static str> {
        let (answer, answered) = oneshot::channel();
        let command = move |server: &mut E| {
            let _ = answer.send(question(server));
            ControlFlow::Continue(())
        };
        let stopped = "the server has stopped";
        let sent = self.commands.send(Box::new(command));
        sent.map_err(|_| stopped)?;
        soon(answered).await.map_err(|_| stopped)
    }

    /// Runs a closure on the server in a tick, and returns its result.
    ///
    /// # Panics
    ///
    /// When the server has stopped.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut E) -> T + Send + 'static,
    ) -> T {
        self.try_ask(question).await.expect("the server runs")
    }

    /// Waits for an event that `wanted` accepts.
    ///
    /// # Panics
    ///
    /// When the server stops first.
    pub async fn event<T>(&mut self, wanted: impl Fn(E::Event) -> Option<T>) -> T {
        soon(async {
            loop {
                let event = self.events.recv().await.expect("the server runs");
                if let Some(found) = wanted(event) {
                    return found;
                }
            }
        })
        .await
    }

    /// Removes and returns the events so far.
    pub fn events(&mut self) -> Vec<E::Event> {
        from_fn(|| self.events.try_recv().ok()).collect()
    }

    /// Stops the server, and returns it.
    pub async fn stop(self) -> E {
        // A server that has stopped by a command takes no further one.
        let _ = self.commands.send(Box::new(|_| ControlFlow::Break(())));
        self.stopped().await
    }

    /// Waits until a command has stopped the server.
    ///
    /// # Panics
    ///
    /// When the task panics.
    pub async fn stopped(self) -> E {
        soon(self.task).await.expect("the task of the server")
    }

    /// Drops the server with its sockets, as a crash does.
    pub async fn abort(self) {
        self.task.abort();
        let _ = self.task.await;
    }
}
