//! `sightline dial-stdio`: this machine's gateway on standard input and output, for `sightline host add` elsewhere.

use std::path::Path;

pub(crate) async fn run(data_dir: &Path) -> anyhow::Result<()> {
    // Standard output belongs to the protocol.
    let _logs = app::logs(data_dir, false).ok();
    app::dial_stdio(data_dir).await
}
