//! A computation on a thread of its own, with a time limit.

use super::block::{Block, Limits};
use super::run;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The result of a computation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Computed {
    /// The function's results, separated by spaces; empty if it has none.
    Value(String),
    /// The reason why there is none, as a sentence.
    Error(String),
}

impl fmt::Display for Computed {
    /// As the model reads it: `<computed>…</computed>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => write!(f, "<computed>{}</computed>", todo::text::escaped(value)),
            Self::Error(why) => write!(f, "<computed error=\"true\">{}</computed>", todo::text::escaped(why)),
        }
    }
}

/// Computes a block. Dropping the future stops the computation within a few milliseconds.
pub async fn compute(block: &Block, limits: Limits) -> Computed {
    let stop = Stop(Arc::new(AtomicBool::new(false)));
    let (block, stopped) = (block.clone(), stop.0.clone());
    let computing = tokio::task::spawn_blocking(move || run::run(&block, limits, &stopped));
    match tokio::time::timeout(limits.time, computing).await {
        Ok(Ok(Ok(value))) => Computed::Value(value),
        Ok(Ok(Err(why))) => Computed::Error(why),
        Ok(Err(_)) => Computed::Error("The interpreter has failed.".to_owned()),
        Err(_) => Computed::Error(format!(
            "The computation took longer than {} seconds and was stopped.",
            limits.time.as_secs_f64()
        )),
    }
}

/// Stops the computation when it is dropped.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
