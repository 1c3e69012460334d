// Mistral Vibe is a Python package: `npm ci` makes a virtual environment for it beside the other agents' packages.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const ENVIRONMENT = join(import.meta.dirname, "node_modules/python");
const PROBE = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))";

/** The interpreters that pyenv has, the newest first. Those on the search path may be pinned to another version. */
function ofPyenv() {
  const versions = join(process.env.PYENV_ROOT ?? join(homedir(), ".pyenv"), "versions");
  if (!existsSync(versions)) return [];
  const newest = readdirSync(versions).sort((one, other) =>
    other.localeCompare(one, "en", { numeric: true }),
  );
  return newest.map((version) => join(versions, version, "bin/python"));
}

function isNewEnough(python) {
  try {
    execFileSync(python, ["-c", PROBE], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const named = process.env.SIGHTLINE_PYTHON ? [process.env.SIGHTLINE_PYTHON] : [];
const python = [...named, "python3", "python3.14", "python3.13", "python3.12", ...ofPyenv()].find(
  isNewEnough,
);
if (python === undefined) {
  console.error(
    "Mistral Vibe needs Python 3.12 or newer with venv, and none was found.\n" +
      "  What to do: install one, or name one by SIGHTLINE_PYTHON.",
  );
  process.exit(1);
}
const run = (program, ...args) => execFileSync(program, args, { stdio: "inherit" });
run(python, "-m", "venv", "--clear", ENVIRONMENT);
const quiet = ["--quiet", "--disable-pip-version-check"];
run(
  join(ENVIRONMENT, "bin/python"),
  "-m",
  "pip",
  "install",
  ...quiet,
  "-r",
  join(import.meta.dirname, "requirements.txt"),
);
