//! The hub on the database of a data folder.

use std::path::Path;
use std::sync::Arc;

/// Returns the current time.
pub(crate) type Now = Arc<dyn Fn() -> jiff::Timestamp + Send + Sync>;

/// Starts a hub on the database of a folder whose lock this process holds.
///
/// # Errors
/// When the database refuses; the message names its file and says what to do.
pub(crate) async fn start_hub(data_dir: &Path, now: Now) -> anyhow::Result<hub::Running> {
    let database = data_dir.join("sightline.db");
    let config = hub::Config {
        database: database.clone(),
        now,
        elapsed: Arc::new(crate::clock::elapsed),
        uid: Arc::new(crate::clock::new_uid),
        secret: Arc::new(crate::clock::new_secret),
        version: crate::VERSION.to_owned(),
    };
    let started = hub::start(config).await;
    started.map_err(|error| anyhow::anyhow!("{}: {error}. {}", database.display(), error.advice()))
}
