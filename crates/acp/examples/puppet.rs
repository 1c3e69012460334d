//! An agent whose strings a test holds: what it hears goes to the address in its first argument, and what comes from there
//! it says. It ends when the other end does.

use std::io::copy;
use std::net::{Shutdown, TcpStream};

fn main() -> std::io::Result<()> {
    let mut strings = TcpStream::connect(std::env::args().nth(1).unwrap_or_default())?;
    strings.set_nodelay(true)?;
    let mut heard = strings.try_clone()?;
    std::thread::spawn(move || {
        // The other end may have gone.
        let _ = copy(&mut std::io::stdin(), &mut heard);
        let _ = heard.shutdown(Shutdown::Write);
    });
    copy(&mut strings, &mut std::io::stdout())?;
    Ok(())
}
