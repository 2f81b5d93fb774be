//! The thread of a recorder, and its queue.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle, park_timeout};
use std::time::Duration;

use super::RecorderEvent;
use super::encoder::{Encoder, Task};
use super::output::Output;

/// Facts that both ends of the queue share.
#[derive(Debug, Default)]
struct Shared {
    /// Bytes of the tasks that are not written.
    bytes: AtomicUsize,
    /// Set when the recorder ends: the thread does not wait for a failing storage.
    is_closing: AtomicBool,
}

/// The end of the queue at the tick.
#[derive(Debug)]
pub(super) struct Queue {
    limit: usize,
    shared: Arc<Shared>,
    /// `None` after the end.
    tasks: Option<Sender<(usize, Task)>>,
    events: Receiver<RecorderEvent>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

/// The end of the queue at the thread.
#[derive(Debug)]
pub(super) struct QueueEnd {
    shared: Arc<Shared>,
    tasks: Receiver<(usize, Task)>,
    events: Sender<RecorderEvent>,
}

/// State of the thread.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) channel: QueueEnd,
    pub(super) encoder: Encoder,
    pub(super) output: Output,
    pub(super) retry_interval: Duration,
}

impl Queue {
    /// Starts the thread.
    pub(super) fn start(limit: usize, worker: impl FnOnce(QueueEnd) -> Worker) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let ((tasks, receiver), (sender, events)) = (channel(), channel());
        let mut worker = worker(QueueEnd {
            shared: Arc::clone(&shared),
            tasks: receiver,
            events: sender,
        });
        let thread = Builder::new().name("syncvar-recorder".into());
        let thread = thread.spawn(move || worker.run())?;
        Ok(Self {
            limit,
            shared,
            tasks: Some(tasks),
            events,
            thread: Some(thread),
        })
    }

    /// Returns whether a task of a length has room. An empty queue has room for any task.
    pub(super) fn has_room(&self, length: usize) -> bool {
        let bytes = self.shared.bytes.load(Ordering::Relaxed);
        bytes == 0 || bytes.saturating_add(length.max(1)) <= self.limit
    }

    /// Adds a task of a length.
    pub(super) fn push(&mut self, length: usize, task: Task) {
        self.shared.bytes.fetch_add(length, Ordering::Relaxed);
        if let Some(tasks) = &self.tasks {
            // A thread that has ended has told its error.
            let _ = tasks.send((length, task));
        }
    }

    /// Takes the events of the thread.
    pub(super) fn events(&self) -> impl Iterator<Item = RecorderEvent> {
        self.events.try_iter()
    }

    /// Ends the thread, behind the tasks of the queue.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.tasks = None;
        self.shared.is_closing.store(true, Ordering::Relaxed);
        let Some(thread) = self.thread.take() else {
            return Ok(());
        };
        thread.thread().unpark();
        let panicked = |_| Err(io::Error::other("the thread of the recorder has panicked"));
        thread.join().unwrap_or_else(panicked)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // The caller that asks for the error calls `finish`.
        let _ = self.finish();
    }
}

impl Worker {
    fn run(&mut self) -> io::Result<()> {
        while let Ok((length, task)) = self.channel.tasks.recv() {
            let pieces = self.encoder.encode(task)?;
            self.output.add(pieces);
            self.write()?;
            self.channel
                .shared
                .bytes
                .fetch_sub(length, Ordering::Relaxed);
        }
        let pieces = self.encoder.finish()?;
        self.output.add(pieces);
        self.write()
    }

    /// Writes the complete bytes. Waits for a storage that fails, until the recorder ends.
    fn write(&mut self) -> io::Result<()> {
        let mut has_failed = false;
        loop {
            let mut ended = Vec::new();
            let written = self.output.write(&mut ended);
            for (number, length) in ended {
                self.report(RecorderEvent::FileEnded { number, length });
            }
            let Err(error) = written else {
                break;
            };
            if self.channel.shared.is_closing.load(Ordering::Relaxed) {
                return Err(error);
            }
            if !has_failed {
                self.report(RecorderEvent::StorageFailed(error));
            }
            has_failed = true;
            park_timeout(self.retry_interval);
        }
        if has_failed {
            self.report(RecorderEvent::StorageWorks);
        }
        Ok(())
    }

    fn report(&self, event: RecorderEvent) {
        // The recorder may have ended.
        let _ = self.channel.events.send(event);
    }
}
