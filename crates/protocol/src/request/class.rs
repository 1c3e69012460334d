//! Classes of requests, and what follows from them.

use super::{Edited, Reply, Request, TodoManage};
use crate::{Code, Error, with_requests};

/// Senders that a request is open to, by the least right of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Asker {
    /// An agent; and a person with the right to edit, or to look where it only reads.
    Agent,
    /// A person with the right to look.
    Look,
    /// A person with the right to edit.
    Edit,
    /// A person with the right to answer approvals.
    Answer,
    /// A person with the right to administer.
    Administer,
}

/// `$then` for the edits, `$otherwise` for the other classes.
macro_rules! of_edits {
    (Edit, $then:expr, $otherwise:expr) => {
        $then
    };
    (ItemEdit, $then:expr, $otherwise:expr) => {
        $then
    };
    ($class:ident, $then:expr, $otherwise:expr) => {
        $otherwise
    };
}

/// `$then` for the edits of items that are named, `$otherwise` for the other classes.
macro_rules! of_item_edits {
    (ItemEdit, $then:expr, $otherwise:expr) => {
        $then
    };
    ($class:ident, $then:expr, $otherwise:expr) => {
        $otherwise
    };
}

macro_rules! classes {
    ($($(#[$about:meta])* $class:ident {
        $($name:ident -> $answer:ident, $kind:literal => $reply:literal, $command:ident, $asker:ident, $repeat:ident;)*
    })*) => {
        /// Subject of a request, which decides who answers it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Class {
            $($(#[$about])* $class,)*
        }

        /// The requests of each class, so that whoever answers a class is made to answer all of it.
        #[expect(missing_docs, reason = "each variant is its struct")]
        pub mod classes {
            $(
                $(#[$about])*
                #[derive(Debug, Clone, Copy)]
                pub enum $class<'a> { $($name(&'a crate::$name),)* }
            )*
        }

        /// A request in its class.
        #[derive(Debug, Clone, Copy)]
        #[expect(missing_docs, reason = "each variant is described at its class")]
        pub enum Sorted<'a> {
            $($class(classes::$class<'a>),)*
        }

        impl Request {
            /// The request in its class.
            #[must_use]
            pub fn sorted(&self) -> Sorted<'_> {
                match self { $($(Self::$name(ask) => Sorted::$class(classes::$class::$name(ask)),)*)* }
            }

            /// Its class.
            #[must_use]
            pub fn class(&self) -> Class {
                match self { $($(Self::$name(_) => Class::$class,)*)* }
            }

            /// Senders that it is open to.
            #[must_use]
            pub fn asker(&self) -> Asker {
                match self { $($(Self::$name(_) => Asker::$asker,)*)* }
            }

            /// True if it does no more when it is sent twice, so that it may be sent again when its answer was lost.
            #[must_use]
            pub fn may_repeat(&self) -> bool {
                match self { $($(Self::$name(ask) => $repeat(ask),)*)* }
            }

            /// The answer to an edit under the name of its request; `None` for any other request.
            #[must_use]
            pub fn edited(&self, edited: Edited) -> Option<Reply> {
                match self { $($(Self::$name(_) => of_edits!($class, Some(Reply::$name(edited)), None),)*)* }
            }

            /// An edit, in that session; any other request as it is.
            #[must_use]
            #[expect(unused_variables, reason = "only edits are looked into")]
            pub fn in_session(mut self, id: &str) -> Self {
                match &mut self { $($(Self::$name(ask) => of_edits!($class, id.clone_into(&mut ask.session_id), ()),)*)* }
                self
            }

            /// The session that an edit names, empty where it names none; `None` for any other request.
            #[must_use]
            #[expect(unused_variables, reason = "only edits are looked into")]
            pub fn edited_session(&self) -> Option<&str> {
                match self { $($(Self::$name(ask) => of_edits!($class, Some(ask.session_id.as_str()), None),)*)* }
            }

            /// The session and the `uid` of the one item that an edit names; `None` for any other request, and for an
            /// edit that goes by position.
            #[must_use]
            #[expect(unused_variables, reason = "only such edits are looked into")]
            pub fn named_item(&self) -> Option<(&str, &str)> {
                match self {
                    $($(Self::$name(ask) => {
                        of_item_edits!($class, Some((ask.session_id.as_str(), ask.uid.as_deref()?)), None)
                    })*)*
                }
            }
        }

        impl Reply {
            /// The list after an edit; `None` for the answer to any other request.
            #[must_use]
            #[expect(unused_variables, reason = "only edits are looked into")]
            pub fn into_edited(self) -> Option<Edited> {
                match self { $($(Self::$name(edited) => of_edits!($class, Some(edited), None),)*)* }
            }
        }
    };
}

with_requests!(classes);

impl Request {
    /// The error of whoever was handed a request of a class that it does not answer.
    #[must_use]
    pub fn misplaced(&self) -> Error {
        Error::new(Code::Internal, format!("{} is not answered here", self.kind()))
    }

    /// True if it may take many seconds, since agents are started or models or the user are asked for it. Nothing else waits
    /// for it.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        matches!(self.class(), Class::Computer | Class::Models | Class::Permission)
    }
}

fn always<T>(_: &T) -> bool {
    true
}

fn never<T>(_: &T) -> bool {
    false
}

fn unless_it_adds(ask: &TodoManage) -> bool {
    !ask.action.starts_with("add")
}

#[cfg(test)]
mod tests;
