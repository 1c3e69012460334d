//! The keys and the pairing codes in memory: what the gateway's door goes by.

use jiff::{SignedDuration, Timestamp};
use protocol::proof::{Secret, Verifier};
use protocol::{AuditDeed, AuditEntry, Key, Rights};
use serde::Serialize;
use serde::de::DeserializeOwned;
use session::Word;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{AuditRow, KeyRow};
use tokio::sync::watch;

/// Time for which a pairing code is good.
const CODE: Duration = Duration::from_secs(600);

/// Times that a code may be tried without its secret.
const TRIES: u32 = 5;

/// Codes at once; the oldest goes for another.
const CODES: usize = 50;

/// Time between two notes of a key's use.
const USED: SignedDuration = SignedDuration::from_mins(1);

/// The setting that says that no page is paired on trust any more.
pub(crate) const TRUST_USED: &str = "pairingTrustUsed";

/// Its value once a window has had the folder.
pub(crate) const OF_WINDOW: &str = "window";

/// Those whose uses, or refusals, are counted apart within that time; there are fewer keys.
const NOTED: usize = 256;

/// The trust with a folder for being first, and to whom it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trust {
    /// Nobody yet.
    Nobody,
    Page,
    /// A window, whoever was before it.
    Window,
}

/// A valid key, and what verifies it.
#[derive(Clone, PartialEq, Eq)]
pub struct KnownKey {
    pub key: Key,
    pub verifier: Verifier,
}

impl KnownKey {
    /// Returns whether it has not ended by itself.
    #[must_use]
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.key.expires_at.is_none_or(|end| now < end)
    }

    /// A key as it is stored; `None` for one of a later build, which opens nothing.
    pub(crate) fn of(row: KeyRow) -> Option<Self> {
        let rights = |word: Option<String>| match word {
            None => Some(None),
            Some(word) => of_word(&word).map(Some),
        };
        Some(Self {
            key: Key {
                key_id: row.key_id,
                kind: of_word(&row.kind)?,
                name: row.name,
                rights: rights(row.rights)?,
                wanted: rights(row.wanted)?,
                created_at: row.created_at,
                used_at: row.used_at,
                expires_at: row.expires_at,
            },
            verifier: Verifier { client: row.verifier.try_into().ok()?, gateway: row.gateway_key.try_into().ok()? },
        })
    }

    pub(crate) fn row(&self) -> KeyRow {
        let Self { key, verifier } = self;
        KeyRow {
            key_id: key.key_id.clone(),
            kind: word(key.kind),
            name: key.name.clone(),
            rights: key.rights.map(word),
            wanted: key.wanted.map(word),
            verifier: verifier.client.to_vec(),
            gateway_key: verifier.gateway.to_vec(),
            created_at: key.created_at,
            used_at: key.used_at,
            expires_at: key.expires_at,
        }
    }
}

/// The word of a value, as it is on the wire.
pub(crate) fn word(value: impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

fn of_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(word.into()).ok()
}

/// An entry of the log as it is stored; `None` for a deed of a later build.
pub(crate) fn audited(row: AuditRow) -> Option<AuditEntry> {
    let deed = of_word::<AuditDeed>(&row.deed)?;
    Some(AuditEntry {
        number: row.pk.unsigned_abs(),
        at: row.at,
        who: row.who,
        rights: row.rights.as_deref().and_then(of_word),
        way: Word::from_word(&row.way),
        deed,
        subject_text: crate::wording::subject(deed, &row.subject),
        subject: row.subject,
    })
}

/// A code that pairs a page once.
#[derive(Clone)]
pub struct Code {
    /// Its id, which is no secret.
    pub id: String,
    /// The verifier of its secret.
    pub verifier: Verifier,
    /// Rights that the page has at once.
    pub rights: Rights,
    /// Rights that it asks for.
    pub wanted: Rights,
    /// The page that is paired first is trusted with them.
    pub(crate) is_first: bool,
    until: Duration,
    tries: u32,
}

/// The keys and the codes.
pub(crate) struct KeyRing {
    known: watch::Sender<Arc<Vec<KnownKey>>>,
    codes: Mutex<Vec<Code>>,
    used: Mutex<HashMap<String, Timestamp>>,
    refused: Mutex<HashMap<String, Timestamp>>,
    trust: Mutex<Trust>,
}

/// The keys of the database; one that cannot be read opens nothing.
fn read(rows: Vec<KeyRow>) -> Arc<Vec<KnownKey>> {
    let known = rows.into_iter().filter_map(|row| {
        let id = row.key_id.clone();
        let known = KnownKey::of(row);
        if known.is_none() {
            tracing::warn!(id, "a key cannot be read; it opens nothing");
        }
        known
    });
    Arc::new(known.collect())
}

/// The trust that was given, by the settings of the database.
fn trusted(settings: &[(String, String)]) -> Trust {
    match settings.iter().find(|(key, _)| key == TRUST_USED) {
        None => Trust::Nobody,
        Some((_, value)) if value == OF_WINDOW => Trust::Window,
        Some(_) => Trust::Page,
    }
}

/// Returns whether something is news a minute after the last time, and notes the time.
fn is_news(noted: &mut HashMap<String, Timestamp>, name: &str, now: Timestamp) -> bool {
    let is_news = match noted.get(name) {
        Some(last) => now.duration_since(*last) >= USED || now < *last,
        None => noted.len() < NOTED,
    };
    if is_news {
        noted.insert(name.to_owned(), now);
    }
    is_news
}

impl KeyRing {
    /// The keys and settings of the database, as they are stored.
    pub(crate) fn new(rows: Vec<KeyRow>, settings: &[(String, String)]) -> Self {
        Self {
            known: watch::Sender::new(read(rows)),
            codes: Mutex::default(),
            used: Mutex::default(),
            refused: Mutex::default(),
            trust: Mutex::new(trusted(settings)),
        }
    }

    /// Takes over what the database has. The codes are in memory only, and stay.
    pub(crate) fn rebuild(&self, rows: Vec<KeyRow>, settings: &[(String, String)]) {
        self.replace(read(rows));
        *lock(&self.trust) = trusted(settings);
    }

    /// The valid keys, to watch.
    pub(crate) fn watch(&self) -> watch::Receiver<Arc<Vec<KnownKey>>> {
        self.known.subscribe()
    }

    pub(crate) fn known(&self) -> Arc<Vec<KnownKey>> {
        self.known.borrow().clone()
    }

    pub(crate) fn replace(&self, keys: Arc<Vec<KnownKey>>) {
        self.known.send_replace(keys);
    }

    pub(crate) fn trust(&self) -> Trust {
        *lock(&self.trust)
    }

    pub(crate) fn use_trust(&self, trust: Trust) {
        *lock(&self.trust) = trust;
    }

    /// Notes a use; `true` where it is to be stored.
    pub(crate) fn note_use(&self, key_id: &str, now: Timestamp) -> bool {
        let known = self.known();
        lock(&self.used).retain(|id, _| known.iter().any(|known| known.key.key_id == *id));
        is_news(&mut lock(&self.used), key_id, now)
    }

    /// Notes a refusal of somebody; `true` where it is to be stored.
    pub(crate) fn note_refusal(&self, of: &str, now: Timestamp) -> bool {
        lock(&self.refused).retain(|_, last| now.duration_since(*last) < USED && *last <= now);
        is_news(&mut lock(&self.refused), of, now)
    }

    /// The time of a key's last use, as far as this process knows it.
    pub(crate) fn used_at(&self, key_id: &str) -> Option<Timestamp> {
        lock(&self.used).get(key_id).copied()
    }

    /// Makes a code with that secret.
    pub(crate) fn add_code(
        &self,
        id: &str,
        secret: &str,
        (rights, wanted): (Rights, Rights),
        is_first: bool,
        now: Duration,
    ) {
        let mut codes = lock(&self.codes);
        codes.retain(|code| now < code.until);
        if codes.len() >= CODES {
            codes.remove(0);
        }
        let verifier = Secret::of(secret).verifier();
        codes.push(Code { id: id.to_owned(), verifier, rights, wanted, is_first, until: now + CODE, tries: 0 });
    }

    pub(crate) fn code(&self, id: &str, now: Duration) -> Option<Code> {
        lock(&self.codes).iter().find(|code| code.id == id && now < code.until).cloned()
    }

    /// Counts a try without the secret.
    pub(crate) fn code_failed(&self, id: &str) {
        let mut codes = lock(&self.codes);
        codes.iter_mut().filter(|code| code.id == id).for_each(|code| code.tries += 1);
        codes.retain(|code| code.tries < TRIES);
    }

    /// Takes a code away: it is good once.
    pub(crate) fn take_code(&self, id: &str, now: Duration) -> Option<Code> {
        let mut codes = lock(&self.codes);
        let at = codes.iter().position(|code| code.id == id && now < code.until)?;
        Some(codes.remove(at))
    }

    /// The time after which a code that is made now is worth nothing.
    pub(crate) fn code_expires(now: Timestamp) -> Timestamp {
        now.saturating_add(SignedDuration::try_from(CODE).unwrap_or_default()).unwrap_or(now)
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
