//! The way over ssh that a host's command takes, for what is opened there.

use protocol::OpenWith;

/// Options of `ssh` that have a value.
const VALUED: &str = "BbcDEeFIiJLlmOoPpQRSWw";

/// Options that say nothing about the way to a host.
const NO_WAY: &str = "46aACnqTvx";

/// A command that runs something on a host over ssh, without that something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ssh {
    /// The program.
    pub program: String,
    /// Its options, word by word.
    pub options: Vec<String>,
    /// The host as ssh knows it.
    pub destination: String,
}

impl Ssh {
    /// Reads a host's command; `None` where it does not run something over ssh.
    #[must_use]
    pub fn of(command: &[String]) -> Option<Self> {
        let (program, mut rest) = command.split_first()?;
        let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
        if !matches!(name, "ssh" | "ssh.exe") {
            return None;
        }
        let (mut options, mut destination) = (Vec::new(), None);
        while let Some((word, more)) = rest.split_first() {
            rest = more;
            match (word.strip_prefix('-').filter(|letters| !letters.is_empty()), &destination) {
                // No word after it is an option.
                (Some("-"), Some(_)) => break,
                (Some("-"), None) => {
                    let (last, more) = rest.split_first()?;
                    (destination, rest) = (Some(last.clone()), more);
                    break;
                }
                (Some(letters), _) => {
                    let takes = letters.find(|letter| VALUED.contains(letter));
                    options.push(word.clone());
                    if takes.is_some_and(|at| at + 1 == letters.len()) {
                        let (value, more) = rest.split_first()?;
                        options.push(value.clone());
                        rest = more;
                    }
                }
                (None, None) => destination = Some(word.clone()),
                (None, Some(_)) => return Some(Self { program: program.clone(), options, destination: destination? }),
            }
        }
        (!rest.is_empty()).then_some(())?;
        Some(Self { program: program.clone(), options, destination: destination? })
    }

    /// True if the host's name says all of the way, so that other programs find it by the name.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let says_nothing =
            |word: &String| word.strip_prefix('-').is_some_and(|all| all.chars().all(|c| NO_WAY.contains(c)));
        let is_name = |c: char| c.is_ascii_alphanumeric() || "._-@".contains(c);
        self.options.iter().all(says_nothing) && self.destination.chars().all(is_name)
    }

    /// The programs that can open the folder of a session there.
    #[must_use]
    pub fn opens(&self) -> Vec<OpenWith> {
        let editor = self.is_plain().then_some(OpenWith::Editor);
        [Some(OpenWith::Terminal), editor].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Ssh;
    use rstest::rstest;

    #[rstest]
    #[case("ssh box sightline dial-stdio", Some(("", "box", true)))]
    #[case("/usr/bin/ssh -T me@box.example.net /home/me/.local/bin/sightline dial-stdio", Some(("-T", "me@box.example.net", true)))]
    #[case("ssh -p 2222 -vi key box -C sightline dial-stdio", Some(("-p 2222 -vi key -C", "box", false)))]
    #[case("ssh -p2222 -- box sightline dial-stdio", Some(("-p2222", "box", false)))]
    #[case("ssh ssh://box:22 sightline dial-stdio", Some(("", "ssh://box:22", false)))]
    #[case("ssh box", None)]
    #[case("ssh -p", None)]
    #[case("docker exec -i ssh sightline dial-stdio", None)]
    #[case("", None)]
    fn a_command_over_ssh_is_known(#[case] command: &str, #[case] known: Option<(&str, &str, bool)>) {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let found = Ssh::of(&words);
        let told = found.as_ref().map(|ssh| (ssh.options.join(" "), ssh.destination.as_str(), ssh.is_plain()));
        assert_eq!(told, known.map(|(options, destination, plain)| (options.to_owned(), destination, plain)));
    }
}
