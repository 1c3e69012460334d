//! An agent whose strings a test holds: what it hears goes to the address in `PUPPET`, and what comes from there it says.
//! It ends when the other end does, with the code in `PUPPET_CODE`.

use std::io::copy;
use std::net::{Shutdown, TcpStream};

fn main() -> std::io::Result<()> {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let mut strings = TcpStream::connect(variable("PUPPET"))?;
    strings.set_nodelay(true)?;
    let mut heard = strings.try_clone()?;
    std::thread::spawn(move || {
        // The other end may have gone.
        let _ = copy(&mut std::io::stdin(), &mut heard);
        let _ = heard.shutdown(Shutdown::Write);
    });
    copy(&mut strings, &mut std::io::stdout())?;
    std::process::exit(variable("PUPPET_CODE").parse().unwrap_or(0))
}
