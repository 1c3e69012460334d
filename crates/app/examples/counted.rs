//! A gateway that counts its heap allocations and the statements that it has prepared, for `cargo xtask bench --counts`.
//!
//! Started as `serve --data-dir DIR`, it says where it listens. For each line on its input it prints the counts as JSON;
//! it ends in good order with the end of its input.
#![allow(clippy::print_stdout, reason = "its output is its purpose")]

use app::{Config, Started};
use serde_json::json;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::mpsc;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

#[global_allocator]
static MEMORY: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

static PREPARED: AtomicU64 = AtomicU64::new(0);

/// Counts the events of the store's statements that were prepared.
struct Prepared;

impl<S: tracing::Subscriber> Layer<S> for Prepared {
    fn on_event(&self, _: &tracing::Event<'_>, _: Context<'_, S>) {
        PREPARED.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let prepared = Targets::new().with_target("store::prepared", LevelFilter::TRACE);
    tracing_subscriber::registry().with(Prepared.with_filter(prepared)).init();
    let data_dir = std::env::args_os().next_back().unwrap_or_default().into();
    let config = Config { data_dir, port: Some(0), public_hosts: Vec::new(), idle: None, demo: None };
    let Started::Here(running) = app::start(config).await? else { anyhow::bail!("another process has this folder") };
    println!("{}", json!({ "listening": running.runtime.address(), "page": running.page() }));
    let mut lines = lines();
    while lines.recv().await.is_some() {
        let (memory, prepared) = (MEMORY.stats(), PREPARED.load(Ordering::Relaxed));
        let bytes = memory.bytes_allocated.saturating_sub(memory.bytes_deallocated);
        println!("{}", json!({ "allocations": memory.allocations, "prepared": prepared, "bytes": bytes }));
    }
    running.stop().await;
    Ok(())
}

/// The lines of the input. A thread waits for them, so that no other one is taken from the gateway.
fn lines() -> mpsc::Receiver<()> {
    let (read, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut line = String::new();
        while std::io::stdin().read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            line.clear();
            if read.blocking_send(()).is_err() {
                return;
            }
        }
    });
    lines
}
