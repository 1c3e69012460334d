//! Keys: where they come from, where they are kept, and that nobody sees them.

use crate::model::keys::{KeyOrigin, KeyStore, Keyring, Keys, Secret};
use crate::model::{KeyFrom, Kind, Provider};
use rstest::rstest;
use secrecy::ExposeSecret;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// A keyring in memory; locked, it does nothing.
#[derive(Clone, Default)]
struct Ring {
    keys: Arc<Mutex<HashMap<String, String>>>,
    locked: Arc<Mutex<bool>>,
}

impl Ring {
    fn open(&self) -> Result<std::sync::MutexGuard<'_, HashMap<String, String>>, String> {
        if *self.locked.lock().expect("a lock") {
            Err("locked".to_owned())
        } else {
            Ok(self.keys.lock().expect("keys"))
        }
    }
}

impl Keyring for Ring {
    fn get(&self, name: &str) -> Result<Option<Secret>, String> {
        Ok(self.open()?.get(name).map(|key| Secret::from(key.as_str())))
    }

    fn set(&self, name: &str, key: &Secret) -> Result<(), String> {
        self.open()?.insert(name.to_owned(), key.expose_secret().to_owned());
        Ok(())
    }

    fn delete(&self, name: &str) -> Result<(), String> {
        self.open()?.remove(name);
        Ok(())
    }
}

fn provider(name: &str) -> Provider {
    Provider { name: name.to_owned(), kind: Kind::OpenAi, endpoint: None, key: KeyFrom::Usual }
}

fn keys(folder: &std::path::Path, ring: Option<Ring>) -> Keys {
    let environment = |name: &str| (name == "IN_ENV_API_KEY").then(|| " from-env\n".to_owned());
    Keys::with_keyring(Arc::new(environment), folder, ring.map(|ring| Box::new(ring) as Box<dyn Keyring>))
}

fn value(keys: &Keys, name: &str) -> Option<String> {
    keys.get(&provider(name)).map(|key| key.expose_secret().to_owned())
}

#[rstest]
#[case::keyring(Some(Ring::default()), KeyStore::Keyring)]
#[case::no_keyring(None, KeyStore::File)]
#[case::locked(Some(Ring { locked: Arc::new(Mutex::new(true)), ..Ring::default() }), KeyStore::File)]
fn a_key_is_kept(#[case] ring: Option<Ring>, #[case] kept: KeyStore) {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = keys(folder.path(), ring);
    assert_eq!(value(&keys, "mine"), None);
    assert_eq!(keys.set("mine", &Secret::from(" one ")).expect("kept"), kept);
    assert_eq!(keys.set("mine", &Secret::from("two")).expect("kept"), kept);
    assert_eq!(value(&keys, "mine").as_deref(), Some("two"));
    assert_eq!(keys.origin(&provider("mine")), Some(KeyOrigin::Stored(kept)));
    assert_eq!(folder.path().join("keys.json").exists(), kept == KeyStore::File);
    assert!(!format!("{keys:?} {:?}", keys.get(&provider("mine"))).contains("two"));
    keys.delete("mine").expect("forgotten");
    assert_eq!(value(&keys, "mine"), None);
    keys.delete("mine").expect("nothing to forget");
}

#[test]
fn the_environment_comes_first_and_the_list_has_no_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = keys(folder.path(), None);
    keys.set("in-env", &Secret::from("stored")).expect("kept");
    keys.set("mine", &Secret::from("stored")).expect("kept");
    assert_eq!(value(&keys, "in-env").as_deref(), Some("from-env"));
    let none = Provider { key: KeyFrom::Nowhere, ..provider("mine") };
    let other = Provider { key: KeyFrom::Variable("IN_ENV_API_KEY".to_owned()), ..provider("other") };
    assert_eq!(keys.get(&none).map(|_| ()), None);
    let list = keys.list(&[provider("in-env"), provider("mine"), other, provider("new")]);
    let env = Some(KeyOrigin::Environment("IN_ENV_API_KEY".to_owned()));
    assert_eq!(
        list,
        [
            ("in-env".to_owned(), env.clone()),
            ("mine".to_owned(), Some(KeyOrigin::Stored(KeyStore::File))),
            ("other".to_owned(), env),
            ("new".to_owned(), None),
        ]
    );
}

#[test]
fn a_keyring_that_comes_back_takes_the_key_out_of_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let ring = Ring::default();
    let keys = keys(folder.path(), Some(ring.clone()));
    *ring.locked.lock().expect("a lock") = true;
    assert_eq!(keys.set("mine", &Secret::from("old")).expect("kept"), KeyStore::File);
    *ring.locked.lock().expect("a lock") = false;
    assert_eq!(value(&keys, "mine").as_deref(), Some("old"));
    assert_eq!(keys.set("mine", &Secret::from("new")).expect("kept"), KeyStore::Keyring);
    let file = std::fs::read_to_string(folder.path().join("keys.json")).expect("a file");
    assert!(!file.contains("old"), "{file}");
}

#[rstest]
#[case::empty("  ")]
#[case::two_lines("a\nb")]
fn what_is_no_key_is_refused(#[case] key: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(keys(folder.path(), None).set("mine", &Secret::from(key)).is_err());
    assert!(!folder.path().join("keys.json").exists());
}

#[test]
fn a_file_that_cannot_be_read_stays_as_it_is_and_is_not_quoted() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("keys.json"), "{\"mine\": \"sk-secret\" oops").expect("written");
    let keys = keys(folder.path(), None);
    let error = keys.set("other", &Secret::from("x")).expect_err("it would be lost");
    assert!(!error.to_string().contains("sk-secret"), "{error}");
    assert_eq!(value(&keys, "mine"), None);
    let file = std::fs::read_to_string(folder.path().join("keys.json")).expect("a file");
    assert!(file.contains("oops"));
}

#[cfg(unix)]
#[test]
fn the_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    keys(folder.path(), None).set("mine", &Secret::from("x")).expect("kept");
    let mode = std::fs::metadata(folder.path().join("keys.json")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[rstest]
#[case::built_in("openai", &["OPENAI_API_KEY"])]
#[case::gemini("gemini", &["GEMINI_API_KEY", "GOOGLE_API_KEY"])]
#[case::own("my-server.2", &["MY_SERVER_2_API_KEY"])]
fn the_usual_variables(#[case] name: &str, #[case] variables: &[&str]) {
    assert_eq!(provider(name).variables(), variables);
}
