"""A scripted model that somebody else wrote (`@copilotkit/aimock`): it gives its answers one after the other."""

import json
import shutil
import socket
import subprocess
import urllib.request
from pathlib import Path

from gateway import until

FOLDER = Path(__file__).parents[2] / "models"
PROGRAM = FOLDER / "node_modules/@copilotkit/aimock/dist/cli.js"
START_SECONDS = 30
NAME = "scripted"


def says(text: str, **more) -> dict:
    """An answer of words."""
    return {"content": text, **more}


def thinks(value: dict) -> dict:
    """An answer of JSON, as a plan or a judgement is."""
    return {"content": json.dumps(value)}


def calls(*tools: tuple[str, dict], text: str | None = None) -> dict:
    """An answer that calls tools."""
    made = [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in tools]
    return {"toolCalls": made} | ({"content": text} if text else {})


def completes(*ids: int) -> dict:
    """An answer that completes the items of these numbers."""
    return calls(("todo_manager", {"action": "complete_multiple", "ids": list(ids)}))


SIMPLE, COMPLEX = thinks({"complex": False}), thinks({"complex": True})
DONE = thinks({"done": True, "reason": "all of it is there"})


def plan(*steps: str | dict) -> dict:
    return thinks({"steps": [{"content": step} if isinstance(step, str) else step for step in steps]})


class Model:
    """A server of one model, with a script."""

    def __init__(self, folder: Path):
        self.folder, self.process = folder, None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def start(self, *answers: dict, needs: str | None = None, **options: object) -> "Model":
        """`options` are those of its command: `latency=50` (milliseconds between pieces), `chaos_drop=1`. It answers
        nobody whose last message does not say what it `needs`."""
        script = self.folder / "script.json"
        fixtures = []
        for at, answer in enumerate(answers):
            beside = {key: answer.pop(key) for key in ("chaos", "latency", "truncateAfterChunks") if key in answer}
            match = {"model": NAME, "sequenceIndex": at} | ({"userMessage": needs} if needs else {})
            fixtures.append({"match": match, "response": answer, **beside})
        script.write_text(json.dumps({"fixtures": fixtures}))
        given = [word for key, value in options.items() for word in (f"--{key.replace('_', '-')}", str(value))]
        command = [shutil.which("node"), str(PROGRAM), "-p", str(self.port), "-f", str(script), "--strict", *given]
        log = (self.folder / "model.log").open("w")
        self.process = subprocess.Popen(command, stdout=log, stderr=log)
        until(self.is_there, START_SECONDS, "the scripted model listens")
        return self

    def is_there(self) -> bool:
        try:
            self.journal()
        except OSError:
            return False
        return True

    def journal(self) -> list[dict]:
        """The requests it got, oldest first."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/__aimock/journal", timeout=10) as answer:
            return json.load(answer)

    def asked(self) -> list[dict]:
        """The bodies of the questions that it was asked."""
        return [
            entry["body"] for entry in self.journal() if entry["path"].endswith(("/completions", "/messages", "/chat"))
        ]

    def stop(self) -> None:
        if self.process is not None:
            # It would wait for its slow answers.
            self.process.kill()
            self.process.wait()


def provider(model: Model, kind: str = "openai") -> dict:
    """The settings that make it the built-in agent's model."""
    path = {"openai": "/v1/", "anthropic": "/v1/", "gemini": "/v1beta/", "ollama": "/"}[kind]
    endpoint = f"http://127.0.0.1:{model.port}{path}"
    return {
        "chatProviders": [{"name": "mock", "kind": kind, "endpoint": endpoint}],
        "chatModel": f"mock:{NAME}",
    }
