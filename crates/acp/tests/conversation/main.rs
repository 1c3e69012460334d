//! A scripted editor, a scripted agent in a process of its own, and a real hub: with pipes between them.

mod bytes;
mod permissions;
mod prompts;
mod sdk;
mod sessions;
mod world;
