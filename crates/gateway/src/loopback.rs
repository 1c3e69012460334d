//! The port on loopback, of both families of addresses: `localhost` leads to either, so nobody else is to have that port of
//! the other one.

use crate::accept::Door;
use crate::peer::Peer;
use crate::visits::WayIn;
use std::io::{Error, ErrorKind, Result};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::{TcpListener, TcpStream};

/// Ports that are tried where any will do.
const TRIES: usize = 16;

/// Listens on a port of loopback.
pub struct Loopback {
    v4: TcpListener,
    /// None where this machine has no IPv6.
    v6: Option<TcpListener>,
}

impl Loopback {
    /// Takes the first of those ports that is free, in both families; 0 is any.
    ///
    /// # Errors
    /// When none is free; the error is that of the last.
    pub async fn bind(ports: &[u16]) -> Result<Self> {
        let mut last = Error::new(ErrorKind::InvalidInput, "no port was given");
        for port in ports.iter().flat_map(|port| std::iter::repeat_n(*port, if *port == 0 { TRIES } else { 1 })) {
            match Self::both(port).await {
                Ok(both) => return Ok(both),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn both(port: u16) -> Result<Self> {
        let v4 = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let v6 = match TcpListener::bind((Ipv6Addr::LOCALHOST, v4.local_addr()?.port())).await {
            Ok(v6) => Some(v6),
            Err(error) if matches!(error.kind(), ErrorKind::AddrInUse | ErrorKind::PermissionDenied) => {
                return Err(error);
            }
            Err(error) => {
                tracing::debug!(%error, "there is no IPv6");
                None
            }
        };
        Ok(Self { v4, v6 })
    }

    /// Its address of IPv4, which is the one that is told.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn address(&self) -> Result<SocketAddr> {
        self.v4.local_addr()
    }
}

impl Door for Loopback {
    type Stream = TcpStream;

    async fn accept(&self) -> Result<Option<(TcpStream, WayIn)>> {
        let Some(v6) = &self.v6 else { return Door::accept(&self.v4).await };
        tokio::select! {
            accepted = Door::accept(&self.v4) => accepted,
            accepted = Door::accept(v6) => accepted,
        }
    }

    fn peer(stream: &TcpStream) -> Option<Peer> {
        TcpListener::peer(stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_port_is_taken_in_both_families_or_not_at_all() {
        let Ok(theirs) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).await else {
            // Without IPv6 nobody can take its port.
            return;
        };
        let taken = theirs.local_addr().expect("it has an address").port();
        let refused = Loopback::bind(&[taken]).await.map(drop);
        assert_eq!(refused.map_err(|error| error.kind()), Err(ErrorKind::AddrInUse));
        let ours = Loopback::bind(&[taken, 0]).await.expect("any other will do");
        let port = ours.address().expect("it has an address").port();
        assert_ne!(port, taken);
        for address in [SocketAddr::from((Ipv6Addr::LOCALHOST, port)), SocketAddr::from((Ipv4Addr::LOCALHOST, port))] {
            assert!(TcpListener::bind(address).await.is_err(), "{address} is ours");
            let (client, accepted) = tokio::join!(TcpStream::connect(address), ours.accept());
            assert!(client.is_ok() && accepted.is_ok_and(|accepted| accepted.is_some()), "{address}");
        }
    }
}
