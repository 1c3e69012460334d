//! TLS to a gateway behind a proxy: the certificate is checked against those that this computer trusts, and its name is that
//! of the address.

use rustls_platform_verifier::BuilderVerifierExt;
use std::io::{Error, ErrorKind, Result};
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, ClientConfig};

/// The protocol that both a WebSocket and the question for a proof begin with.
const HTTP: &[u8] = b"http/1.1";

/// Opens TLS over a stream to a host.
///
/// # Errors
/// When the certificate is refused, or the stream ends.
pub(crate) async fn over(stream: TcpStream, host: &str) -> Result<TlsStream<TcpStream>> {
    let name = ServerName::try_from(host.to_owned()).map_err(|error| Error::new(ErrorKind::InvalidInput, error))?;
    let connector = TlsConnector::from(Arc::new(config().map_err(Error::other)?));
    connector.connect(name, stream).await
}

/// Made anew for each connection: an authority that the user has come to trust counts without a restart.
fn config() -> std::result::Result<ClientConfig, rustls::Error> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let mut config = builder.with_safe_default_protocol_versions()?.with_platform_verifier()?.with_no_client_auth();
    config.alpn_protocols = vec![HTTP.to_vec()];
    Ok(config)
}
