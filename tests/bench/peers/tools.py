"""All tools, and their installation."""

import subprocess
from pathlib import Path

from backlog import Backlog
from claude_readers import AgentsView, ClaudeCodeTemplates, ClaudeRun
from opencode import OpenCode
from sightline import Sightline
from tool import FOLDER

TOOLS = [Sightline, AgentsView, OpenCode, Backlog, ClaudeRun, ClaudeCodeTemplates]


def install(folder: Path) -> Path:
    """Installs the peers that are on npm; the folder with their modules. Only opencode's script, a link, is run."""
    (folder / "package.json").write_text((FOLDER / "package.json").read_text())
    quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
    for words in (["install", "--ignore-scripts", *quiet], ["rebuild", "opencode-ai", *quiet]):
        subprocess.run(["npm", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder / "node_modules"
