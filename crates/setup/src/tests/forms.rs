//! Forms of configuration that only some agents have, each with an agent that is made up here.

use super::{TestFolders, apply, server, server_at};
use crate::{Options, Registration, Status, connect, disconnect, look};
use agents::{
    Agent, ConfigurationFiles, EntryForm, Environment, Facts, HookEvent, HookTables, Hooks, HooksForm, OurCommand,
    OwnFile, Scope, ServerForm, Syntax, WindowsShell,
};
use rstest::rstest;
use std::fs;
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::MAIN_SEPARATOR;

/// Its servers and its hooks are lists of tables in one file.
struct Tables;

const TABLES: &dyn Agent = &Tables;

const EVENTS: &[HookEvent] =
    &[HookEvent::answered("Prompt"), HookEvent { timeout: Some(60), ..HookEvent::heard("Tool").of(".*") }];

const MEMBERS: HookTables = HookTables { event: "type", matcher: "match", named: true };

const HOOKS: Hooks = Hooks {
    form: HooksForm::Tables(MEMBERS),
    events: EVENTS,
    timeout: 5,
    named: false,
    windows_shell: WindowsShell::PowerShell,
    off: None,
};

impl Agent for Tables {
    fn facts(&self) -> &'static Facts {
        const FACTS: Facts = Facts {
            server_form: Some(ServerForm::Entry(EntryForm {
                syntax: Syntax::Toml,
                servers: "mcp_servers",
                is_list: true,
                off: Some(("disabled", true)),
                ..EntryForm::MCP_SERVERS
            })),
            hooks: Some(HOOKS),
            ..Facts::new("tables", "Tables")
        };
        &FACTS
    }

    fn files(&self, environment: &Environment, _scope: &Scope) -> ConfigurationFiles {
        let file = environment.home.join("tables.toml");
        ConfigurationFiles { servers: vec![file.clone()], hooks: Some(file), ..ConfigurationFiles::default() }
    }
}

/// It is extended by a file of ours, and its hooks are programs.
struct Files;

const FILES: &dyn Agent = &Files;

fn extension(ours: &OurCommand<'_>) -> String {
    format!("// Sightline's, made by `sightline connect files`.\nspawn({:?});\n", ours.server_arguments())
}

fn program(ours: &OurCommand<'_>) -> String {
    format!("#!/bin/sh\nexec {}\n", ours.hook_line)
}

impl Agent for Files {
    fn facts(&self) -> &'static Facts {
        const FACTS: Facts = Facts {
            server_form: Some(ServerForm::File(extension)),
            hooks: Some(Hooks { form: HooksForm::Files, ..HOOKS }),
            ..Facts::new("files", "Files")
        };
        &FACTS
    }

    fn files(&self, environment: &Environment, _scope: &Scope) -> ConfigurationFiles {
        let servers = vec![environment.home.join("extensions/sightline.ts")];
        ConfigurationFiles { servers, ..ConfigurationFiles::default() }
    }

    fn own_files(&self, environment: &Environment, _scope: &Scope) -> Vec<OwnFile> {
        let file = |name| OwnFile { path: environment.home.join("hooks").join(name), is_program: true, text: program };
        ["Prompt", "Tool"].map(file).to_vec()
    }
}

fn state(folders: &TestFolders, agent: &'static dyn Agent) -> Status {
    look(&folders.environment(), agent, &Scope::User, &server()).expect("it can be looked at")
}

#[cfg(unix)]
#[rstest]
#[case::new("")]
#[case::others("# mine\nmcp_servers = []\n\n[[hooks]]\nevent = \"Tool\"\ncommand = \"other\"\n")]
fn lists_of_tables_there_and_back(#[case] before: &str) {
    let folders = TestFolders::new();
    let path = folders.path("home/tables.toml");
    if !before.is_empty() {
        folders.write(&path, before);
    }
    let files = folders.files();
    apply(folders.connect(TABLES, &Scope::User));
    let text = fs::read_to_string(&path).expect("a file");
    let hook = r#"command = """'/opt/sight line/sightline' hook tables --data-dir "/home/u/it's data"""""#;
    assert!(text.contains(&format!("name = \"sightline-Prompt\"\ntype = \"Prompt\"\n{hook}\ntimeout = 5\n")), "{text}");
    assert!(text.contains(&format!("type = \"Tool\"\nmatch = \".*\"\n{hook}\ntimeout = 60\n")), "{text}");
    assert!(text.contains("name = \"sightline\""), "{text}");
    assert_eq!(state(&folders, TABLES).server, Registration::Ours);
    assert_eq!(state(&folders, TABLES).hooks, Some(Registration::Ours));
    assert!(folders.connect(TABLES, &Scope::User).expect("a plan").is_nothing(), "once more");
    apply(folders.disconnect(TABLES, &Scope::User));
    assert_eq!(folders.files(), files);
}

#[test]
fn a_listed_server_is_brought_up_to_date_and_turned_on() {
    let folders = TestFolders::new();
    let path = folders.path("home/tables.toml");
    let entry = "[[mcp_servers]]\nname = \"sightline\"\ncommand = \"/old/sightline\"\nargs = [\"mcp\"]\nmine = 1\ndisabled = true\n";
    folders.write(&path, entry);
    let off = state(&folders, TABLES).server;
    assert_eq!(off, Registration::Disabled(texts::all::switch_is("disabled", "true")));
    apply(folders.connect(TABLES, &Scope::User));
    let text = fs::read_to_string(&path).expect("a file");
    assert!(text.contains("mine = 1\ndisabled = false\n"), "{text}");
    assert_eq!(state(&folders, TABLES).server, Registration::Ours);
}

#[test]
fn files_of_ours_are_made_and_removed_whole() {
    let folders = TestFolders::new();
    let before = folders.files();
    apply(folders.connect(FILES, &Scope::User));
    let hook = folders.path("home/hooks/Tool");
    #[cfg(unix)]
    {
        let mode = |path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
        assert_eq!(mode(&hook), 0o700, "the agent runs it");
        assert_eq!(mode(&folders.path("home/extensions/sightline.ts")), 0o600);
    }
    assert_eq!(state(&folders, FILES).server, Registration::Ours);
    assert_eq!(state(&folders, FILES).hooks, Some(Registration::Ours));
    fs::remove_file(&hook).expect("it was there");
    let Some(Registration::Outdated(why)) = state(&folders, FILES).hooks else { panic!("one is missing") };
    assert!(why.english.ends_with(&format!("hooks{MAIN_SEPARATOR}Tool is missing")), "{why}");
    apply(folders.connect(FILES, &Scope::User));
    apply(folders.disconnect(FILES, &Scope::User));
    assert_eq!(folders.files(), before);
    assert!(!folders.path("home/hooks").exists(), "its folder was made for it");
}

#[test]
fn files_of_another_version_are_replaced_and_files_of_others_stay() {
    let folders = TestFolders::new();
    let environment = folders.environment();
    let old = connect(&environment, FILES, &Scope::User, &server_at("/old/sightline"), Options::default());
    apply(old);
    let theirs = folders.path("home/hooks/Prompt");
    fs::write(&theirs, "#!/bin/sh\necho theirs\n").expect("it can be written");
    assert!(matches!(state(&folders, FILES).hooks, Some(Registration::Other(_))));
    let plan = folders.connect(FILES, &Scope::User).expect("a plan");
    assert!(
        plan.notes
            .iter()
            .any(|note| note.english.contains(&format!("hooks{MAIN_SEPARATOR}Prompt is not ours and stays")))
    );
    apply(Ok(plan));
    assert_eq!(state(&folders, FILES).server, Registration::Ours);
    apply(disconnect(&environment, FILES, &Scope::User, &server()));
    let files: Vec<_> = folders.files().into_keys().collect();
    assert_eq!(files, [theirs]);
}
