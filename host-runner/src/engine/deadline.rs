//! Guest time: a call of the guest ends at its deadline, and the time of the host's own calls does not count.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use wasmtime::{Engine, EngineWeak, UpdateDeadline};

/// How much guest time one call has used.
#[derive(Clone)]
pub(crate) struct GuestTime(Arc<Mutex<Account>>);

struct Account {
    started: Instant,
    in_host: Duration,
    left_guest: Option<Instant>,
    limit: Duration,
    over: bool,
}

impl GuestTime {
    pub(super) fn start(limit: Duration) -> Self {
        let account =
            Account { started: Instant::now(), in_host: Duration::ZERO, left_guest: None, limit, over: false };
        Self(Arc::new(Mutex::new(account)))
    }

    /// Stops the clock until the guard is dropped.
    pub(crate) fn in_host(&self) -> impl Drop + use<> {
        self.lock().left_guest = Some(Instant::now());
        InHost(self.clone())
    }

    /// Whether the call ended for want of time.
    pub(super) fn is_over(&self) -> bool {
        self.lock().over
    }

    /// What to do at a tick.
    #[expect(clippy::unnecessary_wraps, reason = "the shape that Wasmtime calls back")]
    pub(super) fn verdict(&self) -> wasmtime::Result<UpdateDeadline> {
        let mut account = self.lock();
        let used = account.started.elapsed().saturating_sub(account.in_host);
        account.over = used >= account.limit;
        Ok(if account.over { UpdateDeadline::Interrupt } else { UpdateDeadline::Continue(1) })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Account> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct InHost(GuestTime);

impl Drop for InHost {
    fn drop(&mut self) {
        let mut account = self.0.lock();
        if let Some(left) = account.left_guest.take() {
            account.in_host += left.elapsed();
        }
    }
}

/// Moves the engine's epoch on while calls run; it sleeps while none does.
pub(super) struct Clockwork {
    shared: Arc<Shared>,
    engine: EngineWeak,
    tick: Duration,
    started: AtomicBool,
}

struct Shared {
    running: AtomicUsize,
    ended: AtomicBool,
    asleep: Mutex<()>,
    wake: Condvar,
}

impl Clockwork {
    pub(super) fn new(engine: &Engine, deadline: Duration) -> Self {
        let tick = (deadline / 8).clamp(Duration::from_millis(1), Duration::from_millis(100));
        let shared = Shared {
            running: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            asleep: Mutex::new(()),
            wake: Condvar::new(),
        };
        Self { shared: Arc::new(shared), engine: engine.weak(), tick, started: AtomicBool::new(false) }
    }

    /// Ticks until the guard is dropped.
    pub(super) fn run(&self) -> impl Drop + use<> {
        if !self.started.swap(true, Ordering::SeqCst) {
            let (shared, engine, tick) = (self.shared.clone(), self.engine.clone(), self.tick);
            std::thread::spawn(move || shared.ticks(&engine, tick));
        }
        if self.shared.running.fetch_add(1, Ordering::SeqCst) == 0 {
            self.shared.notify();
        }
        Running(self.shared.clone())
    }
}

impl Drop for Clockwork {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        self.shared.notify();
    }
}

struct Running(Arc<Shared>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Shared {
    fn notify(&self) {
        // The lock orders this after the check of a thread that is about to sleep.
        drop(self.asleep.lock().unwrap_or_else(PoisonError::into_inner));
        self.wake.notify_all();
    }

    fn ticks(&self, engine: &EngineWeak, tick: Duration) {
        while !self.ended.load(Ordering::SeqCst) {
            let guard = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
            if self.running.load(Ordering::SeqCst) == 0 {
                if !self.ended.load(Ordering::SeqCst) {
                    drop(self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner));
                }
                continue;
            }
            drop(guard);
            std::thread::sleep(tick);
            let Some(engine) = engine.upgrade() else { return };
            engine.increment_epoch();
        }
    }
}
