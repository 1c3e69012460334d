//! The backend of the window: a hub of its own, another process's, another gateway, or the reason why there is none.

use crate::Options;
use app::{Config, Opened};
use protocol::{Backend, BoxFuture, Caller, Code, Error, Reply, Request, Result, Subscription, Transport};
use std::path::PathBuf;
use std::sync::Arc;

/// Hosts the hub of the data folder, attaches to the process that has it, or connects to the gateway that was named.
pub(crate) async fn open(options: Options, data_dir: PathBuf, window: &str) -> anyhow::Result<Opened> {
    let client = app::client("Sightline", Transport::Window, Some(window.to_owned()));
    match options.gateway {
        Some(address) => Ok(Opened::Attached(app::gateway_at(&address, &data_dir, client)?)),
        None => {
            let demo = options.demo();
            // Any free port, since agents connect to the usual ones.
            let port = demo.map(|_| 0);
            app::host_or_attach(Config { data_dir, port, public_hosts: Vec::new(), idle: None, demo }, client).await
        }
    }
}

/// The backend that answers the window; where none could be opened, one that answers every request with the reason.
pub(crate) fn of(opened: &anyhow::Result<Opened>) -> Arc<dyn Backend> {
    match opened {
        Ok(opened) => opened.backend(),
        Err(error) => Arc::new(Unavailable(Error::new(Code::Unavailable, format!("{error:#}")))),
    }
}

/// A backend that answers every request with an error.
struct Unavailable(Error);

impl Backend for Unavailable {
    fn call(&self, _caller: Caller, _request: Request) -> BoxFuture<Result<Reply>> {
        let error = self.0.clone();
        Box::pin(async move { Err(error) })
    }

    fn subscribe(&self, _since: Option<String>) -> BoxFuture<Result<Subscription>> {
        let error = self.0.clone();
        Box::pin(async move { Err(error) })
    }
}
