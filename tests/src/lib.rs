//! Tests through the real parts, without Tauri. Those in Python and JavaScript are in `clients/` and `web/`.

pub mod archive;
#[cfg(test)]
mod circles;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod licences;
#[cfg(test)]
mod proven;
#[cfg(test)]
mod requirements;
