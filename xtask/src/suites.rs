//! The suites that test the built programs from outside, with other people's clients and agents, a browser and the
//! window.

use crate::build::Profile;
use crate::call::Call;
use crate::steps::Steps;
use crate::workspace::{self, Workspace};
use crate::{display, npm, python, setup, tools};
use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::fs;

const CLIENTS: &str = "tests/clients";
/// The part of it that puts a gateway under faults.
const TORTURE: &str = "tests/clients/torture";
/// The npm package of the suites that drive a browser, the window and agents.
pub(crate) const WEB: &str = "tests/web";
/// The agents that are too big for every run, each with an npm package in a folder of its own.
const AGENTS: &str = "tests/web/more-agents";
/// The name for agents that are built with an SDK. Their Python packages do not go with those of the clients' tests.
const SDK: &str = "sdk";

/// The npm package of MCP's own conformance suite, which the clients' tests call.
const CONFORMANCE: &str = "tests/conformance";

/// The npm package of the scripted model and of tool servers, which all of them start.
const MODELS: &str = "tests/models";

/// Environment variables.
type Env = Vec<(&'static str, OsString)>;

/// The suites, with their environment on this machine.
pub(crate) struct Suites<'a> {
    workspace: &'a Workspace,
    env: Env,
}

impl<'a> Suites<'a> {
    /// Finds or installs the programs that the suites drive.
    pub(crate) fn prepare(steps: &mut Steps, workspace: &'a Workspace, profile: Profile) -> Result<Self> {
        let chromium = setup::chromium().context("no Chromium was found; name one in CHROMIUM")?;
        let mut env = vec![
            ("SIGHTLINE_BIN", workspace.program(profile, "sightline").into_os_string()),
            ("SIGHTLINE_DESKTOP_BIN", workspace.program(profile, "sightline-desktop").into_os_string()),
            ("CHROMIUM", chromium.into_os_string()),
        ];
        if cfg!(target_os = "linux") {
            env.push(("TAURI_DRIVER", tools::tauri_driver(steps, workspace)?.into_os_string()));
        }
        npm::packages(steps, workspace, MODELS)?;
        Ok(Self { workspace, env })
    }

    /// The environment variables of the suites.
    pub(crate) fn env(&self) -> &[(&'static str, OsString)] {
        &self.env
    }

    /// Tests with other people's clients, in Python.
    pub(crate) fn clients(&self, steps: &mut Steps) -> Result<()> {
        npm::packages(steps, self.workspace, CONFORMANCE)?;
        steps.step("Models and tool servers of others", || {
            self.workspace
                .cargo_workspace(&["nextest", "run"])
                .args(["--run-ignored", "only"])
                .args(["-E", "package(sightline-agent) & binary(peers)"])
                .advice("mend the tests that failed above")
                .run()
        })?;
        // Three at once on two cores: each test has a gateway of its own, and waits a third of the time.
        let at_once = ["-n", "3", "--dist", "worksteal"].map(String::from);
        self.pytest(steps, "Tests with other people's clients", CLIENTS, &at_once)
    }

    /// Tests of a gateway under faults.
    pub(crate) fn torture(&self, steps: &mut Steps, rest: &[String]) -> Result<()> {
        self.pytest(steps, "Torture", TORTURE, rest)
    }

    fn pytest(&self, steps: &mut Steps, what: &str, folder: &str, rest: &[String]) -> Result<()> {
        let requirements = self.workspace.root.join(CLIENTS).join("requirements.txt");
        ensure!(requirements.is_file(), "{CLIENTS}/requirements.txt is missing: the checkout is not complete");
        let python = python::environment(steps, self.workspace, "venv", &requirements)?;
        steps.step(what, || {
            Call::new(&python)
                .args(["-m", "pytest", folder])
                .args(rest)
                .within(&self.workspace.root)
                .envs(&self.env)
                .advice("mend the tests that failed above")
                .run()
        })
    }

    /// Tests in a browser, through the window, and with real agents: those that are installed for every run, and those of
    /// these names. All at once, since each waits half of the time.
    pub(crate) fn web(&self, steps: &mut Steps, agents: &[String]) -> Result<()> {
        npm::packages(steps, self.workspace, WEB)?;
        let mut projects = vec!["browser", "agents"];
        if cfg!(target_os = "linux") {
            projects.extend(["pictures", "window"]);
        } else {
            steps.left_out("Pictures of every page", "they are drawn with fontconfig, which is on Linux only");
            steps.left_out("Tests through the real window", "they need WebKitWebDriver, which is on Linux only");
        }
        let more = if agents.is_empty() { None } else { Some(self.more_agents(steps, agents)?) };
        projects.extend(more.is_some().then_some("more-agents"));
        let screen = cfg!(target_os = "linux").then(display::virtual_screen);
        let name = "Tests in a browser, through the window, and with real agents";
        steps.step(name, || self.playwright(screen, &projects, &more.unwrap_or_default()))
    }

    /// Takes new pictures: those that the page and the window are compared with and the README's, or only the README's.
    pub(crate) fn pictures(&self, steps: &mut Steps, only_readme: bool) -> Result<()> {
        ensure!(cfg!(target_os = "linux"), "pictures are drawn with fontconfig\n  What to do: take them on Linux");
        npm::packages(steps, self.workspace, WEB)?;
        let npm = || Call::new(workspace::npm());
        if !only_readme {
            // Pictures of pages that no longer exist are not to stay.
            for folder in ["browser", "window"] {
                let folder = self.workspace.root.join(WEB).join("pictures").join(folder);
                if folder.exists() {
                    fs::remove_dir_all(&folder).with_context(|| format!("{} cannot be removed", folder.display()))?;
                }
            }
            steps.step("Pictures of every page", || self.script(npm(), "pictures:browser"))?;
            let screen = display::virtual_screen().arg(workspace::npm());
            steps.step("Pictures of the real window", || self.script(screen, "pictures:window"))?;
        }
        steps.step("Pictures for the README", || self.script(npm(), "pictures:readme"))
    }

    /// Tests with nothing but real agents that are too big to install for every run: those of these names, or all.
    pub(crate) fn agents(&self, steps: &mut Steps, names: &[String]) -> Result<()> {
        npm::packages(steps, self.workspace, WEB)?;
        let chosen = self.more_agents(steps, names)?;
        steps.step("Tests with real agents", || self.playwright(None, &["more-agents"], &chosen))
    }

    /// Installs the agents of these names, or all, and returns the variables that choose them.
    fn more_agents(&self, steps: &mut Steps, names: &[String]) -> Result<Env> {
        let known = self.known_agents()?;
        let chosen = if names == ["all"] { &known } else { names };
        for name in chosen {
            ensure!(known.contains(name), "--agents names \"{name}\"; there are {}", known.join(", "));
            let packages = format!("{AGENTS}/{name}");
            if self.workspace.root.join(&packages).is_dir() {
                npm::packages(steps, self.workspace, &packages)?;
            }
        }
        let mut env = vec![("SIGHTLINE_AGENTS", chosen.join(",").into())];
        if chosen.iter().any(|name| name == SDK) {
            let requirements = self.workspace.root.join(AGENTS).join(SDK).join("requirements.txt");
            let python = python::environment(steps, self.workspace, "venv-sdk", &requirements)?;
            env.push(("SIGHTLINE_SDK_PYTHON", python.into_os_string()));
        }
        Ok(env)
    }

    /// The agents that are described for the tests, and the SDKs.
    fn known_agents(&self) -> Result<Vec<String>> {
        let folder = self.workspace.root.join(AGENTS).join("agents");
        let mut names = vec![SDK.to_owned()];
        for entry in fs::read_dir(&folder).with_context(|| format!("{} cannot be read", folder.display()))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            names.extend(name.strip_suffix(".ts").filter(|name| *name != "index").map(str::to_owned));
        }
        names.sort();
        Ok(names)
    }

    fn playwright(&self, screen: Option<Call>, projects: &[&str], more: &Env) -> Result<()> {
        let npm = screen.map_or_else(|| Call::new(workspace::npm()), |screen| screen.arg(workspace::npm()));
        let projects = projects.iter().map(|project| format!("--project={project}"));
        npm.args(["run", "test", "--"])
            .args(projects)
            .within(&self.workspace.root.join(WEB))
            .envs(&self.env)
            .envs(more)
            .advice("mend the tests that failed above")
            .run()
    }

    fn script(&self, npm: Call, name: &str) -> Result<()> {
        npm.args(["run", name])
            .within(&self.workspace.root.join(WEB))
            .envs(&self.env)
            .advice("mend the tests that failed above")
            .run()
    }
}
