//! Tests through the real parts, without Tauri. Those in Python and JavaScript are in `clients/` and `web/`.

#[cfg(test)]
mod layers;
