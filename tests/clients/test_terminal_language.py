"""The command in the language of its terminal: what a person reads is translated, what a program reads is not."""

import json

import pytest

from gateway import Gateway
from socket_client import opened
from terminal import Ran, run, succeed

LIST = json.dumps([{"content": "Read"}, {"content": "Fix"}])

# By the locale: the outcome of an edit, the list, and the error for a session that is not there.
SAID = {
    "C.UTF-8": (
        'Set TODO at 1 to blocked: "Read"',
        ["Current TODO List:", "1. [BLOCKED] Read"],
        'Error: there is no session "none"; session.list (or `sightline todo list`) names those there are',
    ),
    "de_AT.UTF-8": (
        "Schritt 1 ist jetzt blockiert: „Read“",
        ["Aktuelle Liste:", "1. [BLOCKIERT] Read"],
        "Fehler: Sitzung „none“ gibt es nicht; `sightline todo list` zeigt die vorhandenen",
    ),
    "es_MX.UTF-8": (
        "El paso 1 ahora está bloqueado: «Read»",
        ["Lista actual:", "1. [BLOQUEADO] Read"],
        "Error: no existe la sesión «none»; `sightline todo list` muestra las que hay",
    ),
    "ja_JP.UTF-8": (
        "ステップ 1 を「ブロック中」にしました: 「Read」",
        ["現在のリスト:", "1. [ブロック中] Read"],
        "エラー: セッション「none」はありません。`sightline todo list` で一覧を表示します",
    ),
    "zh_CN.UTF-8": (
        "步骤 1 已设为受阻：“Read”",
        ["当前列表：", "1. [受阻] Read"],
        "错误: 没有会话“none”；`sightline todo list` 显示现有会话",
    ),
}


def given(gateway: Gateway) -> None:
    succeed(gateway, "todo", "write", "--session", "api", LIST)


def said(gateway: Gateway, locale: str, *arguments: str) -> Ran:
    return run(gateway, *arguments, variables={"LANG": locale})


@pytest.mark.parametrize("locale", SAID)
def test_a_command_speaks_the_language_of_the_terminal(gateway, locale):
    given(gateway)
    outcome, lines, refusal = SAID[locale]
    done = said(gateway, locale, "todo", "set", "1", "blocked", "--session", "api")
    assert (done.code, done.out) == (0, outcome + "\n")
    shown = said(gateway, locale, "todo", "show", "--session", "api").out.splitlines()
    assert [line for line in shown if "─" not in line and "Fix" not in line and line] == lines
    refused = said(gateway, locale, "todo", "show", "--session", "none")
    assert (refused.code, refused.out, refused.err) == (1, "", refusal + "\n")


def test_lists_counts_and_times_are_in_the_language_too(gateway):
    given(gateway)
    german = "de_DE.UTF-8"
    status = said(gateway, german, "status").out.splitlines()
    assert status[0].startswith("1 Sitzung")
    assert status[1].split() == ["SITZUNG", "STAND", "STATUS", "SEIT", "SCHRITT"]
    lists = said(gateway, german, "todo", "list").out
    assert "Gespeicherte Listen:" in lists
    assert "2 Schritte (2 offen)" in lists
    history = said(gateway, german, "todo", "history", "--session", "api").out
    assert history.startswith("r1  ") and history.endswith("  2 hinzugefügt\n")
    key = said(gateway, german, "key", "new", "backup", "--rights", "look")
    assert key.code == 0
    assert "  ansehen  backup  nie benutzt\n" in said(gateway, german, "key", "list").out


NOTES = {
    ("codex", "de_DE.UTF-8"): (
        "Hinweis: Codex fragt beim Start einmal, ob den Hooks vertraut wird; bis dahin laufen sie nicht.",
        "Codex asks you once to trust the hooks when it starts; until then it does not run them",
    ),
    ("gemini", "ja_JP.UTF-8"): (
        "注意: Gemini CLI は信頼されたフォルダーでのみサーバーを起動します。",
        "Gemini CLI starts servers only in folders that you trust",
    ),
}


@pytest.mark.parametrize(("agent", "locale"), NOTES)
def test_notes_on_an_agents_files_are_in_the_language(gateway, tmp_path, agent, locale):
    def connect(home, *arguments: str) -> Ran:
        home.mkdir()
        return run(gateway, *arguments, "connect", agent, "--yes", "--no-test", home=home, variables={"LANG": locale})

    note, english = NOTES[agent, locale]
    done = connect(tmp_path / "one")
    assert done.code == 0 and note in done.out.splitlines(), done
    assert connect(tmp_path / "two", "--json").json["change"]["notes"] == [english]


def test_the_problem_of_an_agents_file_is_in_the_language(gateway):
    settings = gateway.home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"mcpServers": 1}))
    refused = said(gateway, "de_DE.UTF-8", "connect", "gemini", "--yes")
    problem = f"{settings} lässt sich nicht bearbeiten: `mcpServers` ist kein Objekt. Von Hand ändern"
    assert refused.code == 1 and refused.err.startswith(f"Fehler: {problem}"), refused


@pytest.mark.anyio
async def test_an_undo_says_in_the_language_what_it_left(gateway):
    given(gateway)
    assert run(gateway, "todo", "set", "1-2", "blocked", "--session", "api").code == 0
    async with opened(gateway) as socket:
        await socket.ask("todo.setStatus", sessionId="api", position="2", status="skipped")
    undone = said(gateway, "de_DE.UTF-8", "todo", "undo", "--session", "api")
    assert undone.out.splitlines() == [
        "Rückgängig gemacht: Status von 2 Schritten geändert",
        "Nicht geändert: Status von „Fix“ wurde inzwischen geändert",
    ]


# The command bar asks the same over the WebSocket.
@pytest.mark.anyio
async def test_the_answer_to_a_typed_question_has_parts_that_are_worded(gateway):
    given(gateway)
    async with opened(gateway) as socket:
        asked = await socket.ask("todo.command", sessionId="api", line="/todo show")
        helped = await socket.ask("todo.command", sessionId="api", line="/todo help")
        completed = await socket.ask("todo.complete", sessionId="api", line="/todo arch")
    named = [part["name"] for part in asked["parts"] if not isinstance(part, str)]
    assert named == ["shown_title", "shown_pending", "shown_pending"]
    assert "1. [PENDING] Read" in asked["output"]
    assert {"name": "help_show"} in helped["parts"]
    assert completed["choices"][0]["detailText"] == {"name": "help_archive"}
    history = said(gateway, "ja_JP.UTF-8", "todo", "history", "--session", "api").out
    assert history.startswith("r1  ") and history.endswith("  追加 2\n"), history


def test_the_refusal_of_a_gateway_is_in_the_language_of_the_terminal(gateway):
    given(gateway)
    german = {"LANG": "de_DE.UTF-8", "SIGHTLINE_KEY": "nobody.secret"}
    refused = run(gateway, "todo", "show", "--session", "api", variables=german)
    assert refused.code == 1 and "diesen Schlüssel oder Code gibt es hier nicht" in refused.err, refused


# Programs and agents read the same everywhere.
def test_a_program_reads_the_same_in_every_language(gateway):
    given(gateway)
    german = "de_DE.UTF-8"
    refused = said(gateway, german, "--json", "todo", "show", "--session", "none")
    assert json.loads(refused.err) == {
        "code": "SESSION_NOT_FOUND",
        "message": 'there is no session "none"; session.list (or `sightline todo list`) names those there are',
        "text": {"name": "session_unknown", "params": {"name": "none"}},
    }
    edited = said(gateway, german, "--json", "todo", "set", "2", "completed", "--session", "api").json
    assert edited["message"] == 'Set TODO at 2 to completed: "Fix"'
    assert edited["text"]["params"] == {"position": "2", "status": "completed", "content": "Fix"}
    assert said(gateway, german, "hook", "nobody").err.startswith("Error: ")


def test_what_the_locale_leaves_open_is_english(gateway):
    for variables in ({"LANG": "fr_FR.UTF-8"}, {"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, {"LANG": ""}):
        assert run(gateway, "search", "nothing", variables=variables).out == "Nothing found\n"
    wished = {"LANG": "fr_FR.UTF-8", "LANGUAGE": "fr:es"}
    assert run(gateway, "search", "nothing", variables=wished).out == "No se encontró nada\n"
