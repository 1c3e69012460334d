//! Keys: where they come from, where they are kept, and that nobody sees them.

use crate::model::keys::{KeyPlace, KeyStatus, KeyStore, Keyring, Keys, Secret, Withheld};
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
    Provider { name: name.to_owned(), kind: Kind::OpenAi, endpoint: None, key: KeyFrom::Usual, environment: None }
}

/// A provider of this name at this address.
fn at(name: &str, endpoint: &str) -> Provider {
    Provider { endpoint: Some(endpoint.to_owned()), ..provider(name) }
}

/// The same, and the user sends the environment's key there.
fn sent(provider: Provider) -> Provider {
    Provider { environment: provider.origin(), ..provider }
}

fn keys(folder: &std::path::Path, ring: Option<Ring>) -> Keys {
    let environment = |name: &str| (name == "IN_ENV_API_KEY").then(|| " from-env\n".to_owned());
    let ring = ring.map(|ring| Box::new(ring) as Box<dyn Keyring>);
    Keys::new(Arc::new(environment), Arc::new(secrets::Store::with_keyring(folder, ring)))
}

fn value(keys: &Keys, name: &str) -> Option<String> {
    key(keys, &provider(name)).expect("a key for this address")
}

fn key(keys: &Keys, provider: &Provider) -> Result<Option<String>, Withheld> {
    Ok(keys.get(provider)?.map(|key| key.expose_secret().to_owned()))
}

fn place(keys: &Keys, provider: &Provider) -> Option<KeyPlace> {
    keys.list(std::slice::from_ref(provider)).pop().expect("its status").place
}

#[rstest]
#[case::keyring(Some(Ring::default()), KeyStore::Keyring)]
#[case::no_keyring(None, KeyStore::File)]
#[case::locked(Some(Ring { locked: Arc::new(Mutex::new(true)), ..Ring::default() }), KeyStore::File)]
fn a_key_is_kept(#[case] ring: Option<Ring>, #[case] kept: KeyStore) {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = keys(folder.path(), ring);
    assert_eq!(value(&keys, "mine"), None);
    assert_eq!(keys.set(&provider("mine"), &Secret::from(" one ")).expect("kept"), kept);
    assert_eq!(keys.set(&provider("mine"), &Secret::from("two")).expect("kept"), kept);
    assert_eq!(value(&keys, "mine").as_deref(), Some("two"));
    assert_eq!(place(&keys, &provider("mine")), Some(KeyPlace::Stored(kept)));
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
    let in_env = sent(provider("in-env"));
    keys.set(&in_env, &Secret::from("stored")).expect("kept");
    keys.set(&provider("mine"), &Secret::from("stored")).expect("kept");
    assert_eq!(key(&keys, &in_env), Ok(Some("from-env".to_owned())));
    // The environment's key was not set for this address, the stored one was.
    assert_eq!(value(&keys, "in-env").as_deref(), Some("stored"));
    let none = Provider { key: KeyFrom::Nowhere, ..provider("mine") };
    assert_eq!(key(&keys, &none), Ok(None));
    let list = keys.list(&[in_env, provider("mine"), provider("new")]);
    let status = |provider: &str, place| KeyStatus { provider: provider.to_owned(), place, withheld: None };
    assert_eq!(
        list,
        [
            status("in-env", Some(KeyPlace::Environment("IN_ENV_API_KEY".to_owned()))),
            status("mine", Some(KeyPlace::Stored(KeyStore::File))),
            status("new", None),
        ]
    );
}

#[rstest]
#[case::same("https://api.example.com/v1", true)]
#[case::another_path("https://API.example.com:443/v2/", true)]
#[case::another_host("https://api.example.org/v1", false)]
#[case::a_name_before_the_host("https://api.example.com@example.org/v1", false)]
#[case::a_longer_host("https://api.example.com.example.org/v1", false)]
#[case::another_port("https://api.example.com:444/v1", false)]
#[case::not_private("http://api.example.com/v1", false)]
#[case::this_machine("http://127.0.0.1:1234/v1", false)]
#[case::the_kinds_own("", false)]
fn a_stored_key_belongs_to_its_origin(
    #[case] endpoint: &str,
    #[case] is_sent: bool,
    #[values(None, Some(Ring::default()))] ring: Option<Ring>,
) {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = keys(folder.path(), ring);
    keys.set(&at("mine", "https://api.example.com/v1"), &Secret::from("sk-1")).expect("kept");
    let withheld = Withheld::Elsewhere(Some("https://api.example.com".to_owned()));
    let expected = if is_sent { Ok(Some("sk-1".to_owned())) } else { Err(withheld) };
    let provider = at("mine", endpoint);
    assert_eq!(key(&keys, &provider), expected);
    let status = keys.list(&[provider]).pop().expect("its status");
    assert_eq!(status.withheld.is_none(), is_sent);
    let is_said =
        |why: protocol::Text| why.english.contains("belongs to https://api.example.com and") && why.named.is_some();
    assert!(is_sent || status.withheld.is_some_and(is_said));
}

#[rstest]
#[case::own_address(provider("openai"), Ok(Some("sk-old")))]
#[case::another_address(at("openai", "https://example.org"), Err(Withheld::Elsewhere(Some("https://api.openai.com".to_owned()))))]
#[case::an_own_provider(at("mine", "https://example.org"), Err(Withheld::Elsewhere(None)))]
fn a_key_of_an_older_version_belongs_to_the_known_provider(
    #[case] provider: Provider,
    #[case] found: Result<Option<&str>, Withheld>,
) {
    let expected = found.map(|key| key.map(ToOwned::to_owned));
    let folder = tempfile::tempdir().expect("a folder");
    let text = r#"{"openai": "sk-old", "mine": "sk-old"}"#;
    std::fs::write(folder.path().join("keys.json"), text).expect("written");
    assert_eq!(key(&keys(folder.path(), None), &provider), expected);
    let ring = Ring::default();
    ring.open().expect("open").extend([("openai".into(), "sk-old".into()), ("mine".into(), "sk-old".into())]);
    let other = tempfile::tempdir().expect("a folder");
    assert_eq!(key(&keys(other.path(), Some(ring)), &provider), expected);
}

#[rstest]
#[case::https("https://example.org/v1", true)]
#[case::this_machine("http://localhost:1234", true)]
#[case::this_machine_by_number("http://[::1]:1234", true)]
#[case::the_network("http://192.168.1.2:1234", false)]
#[case::a_name_like_this_machine("http://localhost.example.org", false)]
#[case::no_web_address("ftp://example.org", false)]
fn a_key_goes_only_where_nobody_reads_it(#[case] endpoint: &str, #[case] is_kept: bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = keys(folder.path(), None);
    assert_eq!(keys.set(&at("mine", endpoint), &Secret::from("sk-1")).is_ok(), is_kept);
    assert_eq!(folder.path().join("keys.json").exists(), is_kept);
    let of_environment = key(&keys, &sent(at("in-env", endpoint)));
    match endpoint.starts_with("http") {
        true if is_kept => assert_eq!(of_environment, Ok(Some("from-env".to_owned()))),
        true => assert_eq!(of_environment, Err(Withheld::Readable)),
        false => assert_eq!(of_environment, Ok(None)),
    }
}

#[rstest]
#[case::not_allowed(at("in-env", "https://example.org"), Kind::Anthropic, Err(()))]
#[case::another_was_allowed(Provider { environment: Some("https://example.com".to_owned()), ..at("in-env", "https://example.org") }, Kind::Anthropic, Err(()))]
#[case::allowed(sent(at("in-env", "https://example.org/v1")), Kind::Anthropic, Ok(Some("from-env")))]
#[case::no_key_needed(at("in-env", "https://example.org"), Kind::OpenAi, Ok(None))]
fn a_key_of_the_environment_goes_where_the_user_sends_it(
    #[case] provider: Provider,
    #[case] kind: Kind,
    #[case] found: Result<Option<&str>, ()>,
) {
    let folder = tempfile::tempdir().expect("a folder");
    let withheld = Withheld::Environment("IN_ENV_API_KEY".to_owned());
    let expected = found.map(|key| key.map(ToOwned::to_owned)).map_err(|()| withheld);
    assert_eq!(key(&keys(folder.path(), None), &Provider { kind, ..provider }), expected);
}

#[test]
fn a_known_providers_key_of_the_environment_goes_to_its_own_address_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let environment = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "sk-env".to_owned());
    let keys = Keys::new(Arc::new(environment), Arc::new(secrets::Store::with_keyring(folder.path(), None)));
    let own = Provider { kind: Kind::Anthropic, ..provider("anthropic") };
    assert_eq!(key(&keys, &own), Ok(Some("sk-env".to_owned())));
    let moved = Provider { endpoint: Some("https://example.org".to_owned()), ..own };
    assert_eq!(key(&keys, &moved), Err(Withheld::Environment("ANTHROPIC_API_KEY".to_owned())));
}

#[test]
fn a_keyring_that_comes_back_takes_the_key_out_of_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let ring = Ring::default();
    let keys = keys(folder.path(), Some(ring.clone()));
    *ring.locked.lock().expect("a lock") = true;
    assert_eq!(keys.set(&provider("mine"), &Secret::from("old")).expect("kept"), KeyStore::File);
    *ring.locked.lock().expect("a lock") = false;
    assert_eq!(value(&keys, "mine").as_deref(), Some("old"));
    assert_eq!(keys.set(&provider("mine"), &Secret::from("new")).expect("kept"), KeyStore::Keyring);
    let file = std::fs::read_to_string(folder.path().join("keys.json")).expect("a file");
    assert!(!file.contains("old"), "{file}");
}

#[rstest]
#[case::empty("  ")]
#[case::two_lines("a\nb")]
fn what_is_no_key_is_refused(#[case] key: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(keys(folder.path(), None).set(&provider("mine"), &Secret::from(key)).is_err());
    assert!(!folder.path().join("keys.json").exists());
}

#[test]
fn a_file_that_cannot_be_read_stays_as_it_is_and_is_not_quoted() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("keys.json"), "{\"mine\": \"sk-secret\" oops").expect("written");
    let keys = keys(folder.path(), None);
    let error = keys.set(&provider("other"), &Secret::from("x")).expect_err("it would be lost");
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
    keys(folder.path(), None).set(&provider("mine"), &Secret::from("x")).expect("kept");
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
