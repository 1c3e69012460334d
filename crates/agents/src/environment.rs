//! The home folder and the environment variables that say where an agent keeps its files.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// A user's home folder and environment variables, passed in by the program's edge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// The user's home folder.
    pub home: PathBuf,
    /// Environment variables by name.
    pub variables: BTreeMap<String, String>,
}

impl Environment {
    /// The value of a variable, unless it is blank.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// The absolute folder that a variable names, with `~` for the home folder.
    #[must_use]
    pub fn folder(&self, variable: &str) -> Option<PathBuf> {
        let value = self.variable(variable)?;
        let path = match value.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) if rest.starts_with(['/', '\\']) => self.home.join(rest.trim_start_matches(['/', '\\'])),
            _ => PathBuf::from(value),
        };
        path.is_absolute().then_some(path)
    }

    /// The folder that the first of these variables names, or else this one below the home folder.
    #[must_use]
    pub fn folder_or_home(&self, variables: &[&str], below: &str) -> PathBuf {
        variables.iter().find_map(|name| self.folder(name)).unwrap_or_else(|| self.home.join(below))
    }

    /// The file of the program of this name on the search path.
    #[must_use]
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        programs::find(name, |variable| self.variable(variable).map(str::to_owned))
    }
}

/// A variable's name as this system compares it: on Windows `Path` is `PATH`, and the table of variables tells them apart.
#[must_use]
pub fn variable_name(name: String) -> String {
    name_on(name, cfg!(windows))
}

fn name_on(name: String, is_windows: bool) -> String {
    if is_windows { name.to_ascii_uppercase() } else { name }
}

#[cfg(test)]
mod tests {
    use super::name_on;

    #[test]
    fn names_of_variables_have_no_case_on_windows_only() {
        assert_eq!(name_on("Path".to_owned(), true), "PATH");
        assert_eq!(name_on("ProgramFiles(x86)".to_owned(), true), "PROGRAMFILES(X86)");
        assert_eq!(name_on("Path".to_owned(), false), "Path");
    }
}
