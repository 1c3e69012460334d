"""A session goes on whatever happens to the gateway between two of its calls."""

import asyncio
import os

import httpx2
import pytest

import agent
from agent import ERAS, call, connected, contents, post, rpc_answer
from gateway import END_SECONDS, Gateway, until
from socket_client import opened

pytestmark = pytest.mark.anyio

OWN = [
    {"content": "Read the format page", "status": "in_progress", "activeForm": "Reading the format page"},
    {"content": "Fix the parser", "status": "pending"},
]
NEXT = [{"content": "Read the format page", "status": "completed"}, {**OWN[1], "status": "in_progress"}]


async def restart(gateway: Gateway, port: int) -> None:
    """Ends it and starts it again, while clients go on with what they do."""
    await asyncio.to_thread(gateway.stop)
    await asyncio.to_thread(gateway.start, port)


# D2, D3
async def test_an_http_client_outlives_its_gateway(gateway):
    async with connected(gateway) as client:
        before = await agent.write(client, OWN)
        await restart(gateway, gateway.port)
        after = await agent.write(client, NEXT)
        assert after["sessionId"] == before["sessionId"]
        assert after["revision"] == before["revision"] + 1
        assert [item["uid"] for item in after["todos"]] == [item["uid"] for item in before["todos"]]


# D5, D3
async def test_an_edit_made_before_a_restart_is_told_after_it(gateway):
    async with connected(gateway) as client:
        session = (await agent.write(client, OWN))["sessionId"]
        async with opened(gateway) as socket:
            await socket.ask("todo.add", sessionId=session, content="Ask the customer")
        await restart(gateway, gateway.port)
        told = await agent.write(client, OWN)
        assert contents(told["todos"]) == [*contents(OWN), "Ask the customer"]
        assert len(told["userChanges"]) == 1


# D2
async def test_an_unknown_session_id_is_accepted(gateway):
    headers = {"Mcp-Session-Id": "0b5d7f3e-from-before-the-restart", "MCP-Protocol-Version": "2025-06-18"}
    first = await post(gateway, call("todo_write", {"todos": OWN}), **headers)
    assert first.status_code == 200, first.text
    written = rpc_answer(first)["result"]["structuredContent"]
    again = await post(gateway, call("todo_read", {}, 2), **headers)
    assert again.status_code == 200, again.text
    assert rpc_answer(again)["result"]["structuredContent"]["sessionId"] == written["sessionId"]
    other = await post(gateway, call("todo_read", {}, 3), **{**headers, "Mcp-Session-Id": "another"})
    assert rpc_answer(other)["result"]["structuredContent"]["sessionId"] != written["sessionId"]


# D2: an agent calls its tools side by side, also where its first calls meet a gateway that has just begun.
async def test_calls_side_by_side_restore_a_session_once(gateway):
    for turn in range(20):
        headers = {"Mcp-Session-Id": f"side-by-side-{turn}", "MCP-Protocol-Version": "2025-06-18"}
        answers = await asyncio.gather(
            *(post(gateway, call("todo_read", {}, number), **headers) for number in range(1, 9))
        )
        assert [answer.status_code for answer in answers] == [200] * 8, [answer.text for answer in answers]
        sessions = {rpc_answer(answer)["result"]["structuredContent"]["sessionId"] for answer in answers}
        assert len(sessions) == 1, "all of them are about one list"


# D3: it ends while agents are at work. Who was heard is answered; who was not can tell, and calls again.
async def test_a_gateway_that_ends_answers_the_calls_it_has_taken(gateway):
    answered = []

    async def work(label: str) -> None:
        turn = 0
        while True:
            turn += 1
            message = call("todo_write", {"todos": [{"content": f"{label} {turn}"}], "session": label}, turn)
            try:
                response = await post(gateway, message, **{"Mcp-Session-Id": label})
            except (httpx2.TransportError, FileNotFoundError):
                return
            assert response.status_code == 200, response.text
            assert "result" in rpc_answer(response), response.text
            answered.append((label, turn))

    for turn in range(5):
        agents = [asyncio.create_task(work(f"agent {turn}.{one}")) for one in range(4)]
        before = len(answered)
        while len(answered) < before + 20 and not any(agent.done() for agent in agents):
            await asyncio.sleep(0.001)
        assert len(answered) >= before + 20, await asyncio.gather(*agents)
        await asyncio.to_thread(gateway.stop)
        await asyncio.gather(*agents)
        await asyncio.to_thread(gateway.start)


# D2: nobody waits for somebody else's half of a request.
async def test_half_a_request_holds_up_no_other_of_its_session(gateway):
    _, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    lines = [
        "POST /mcp HTTP/1.1",
        f"Host: 127.0.0.1:{gateway.port}",
        f"Authorization: Bearer {gateway.agent_token}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        "Mcp-Session-Id: half",
        "Content-Length: 1000",
        "",
        '{"jsonrpc": "2.0", ',
    ]
    writer.write("\r\n".join(lines).encode())
    await writer.drain()
    # It has come: the next connection is looked at after it.
    assert (await post(gateway, call("todo_read", {}), **{"Mcp-Session-Id": "another"})).status_code == 200
    whole = await post(gateway, call("todo_read", {}), **{"Mcp-Session-Id": "half"})
    assert whole.status_code == 200 and "result" in rpc_answer(whole)
    writer.close()


def is_of(gateway, pid: int) -> bool:
    """True if the gateway that runs on the folder is that process."""
    return gateway.runtime_file.exists() and gateway.runtime["pid"] == pid


# D2
@pytest.mark.parametrize("era", ERAS)
async def test_the_shim_outlives_its_gateway_on_another_port(gateway, era):
    async with connected(gateway, "stdio", era) as client:
        before = await agent.write(client, OWN)
        port = gateway.port
        await asyncio.to_thread(gateway.stop)
        # The shim may be quicker and start a gateway by itself; then this one gives way to it.
        process, log = gateway.spawn("--port", "0")
        await asyncio.to_thread(
            until, lambda: process.poll() is not None or is_of(gateway, process.pid), END_SECONDS, "a gateway runs"
        )
        if process.poll() is None:
            gateway.process = process
        after = await agent.write(client, NEXT)
        assert after["sessionId"] == before["sessionId"]
        assert after["revision"] == before["revision"] + 1
        assert gateway.process is None or gateway.port != port, log.read_text()


# D2
async def test_the_shim_goes_on_after_its_gateway_was_killed(gateway):
    async with connected(gateway, "stdio") as client:
        before = await agent.write(client, OWN)
        gateway.kill()
        after = await agent.write(client, NEXT)
        assert after["sessionId"] == before["sessionId"]
        assert after["revision"] == before["revision"] + 1


# D2
async def test_the_shim_starts_a_gateway_where_none_runs(data_folder):
    async with connected(data_folder, "stdio") as client:
        written = await agent.write(client, OWN)
        pid = data_folder.runtime["pid"]
    async with opened(data_folder) as socket:
        kept = await socket.ask("session.get", sessionId=written["sessionId"])
        assert contents(kept["todos"]) == contents(OWN)
        assert data_folder.runtime["pid"] == pid, "it outlives the shim that started it"


# D2: the cancellation that opencode sends after each answered call undoes nothing.
async def test_a_late_cancellation_undoes_nothing(gateway):
    headers = {"Mcp-Session-Id": "late-cancellation"}
    written = await post(gateway, call("todo_write", {"todos": OWN}, 7), **headers)
    assert written.status_code == 200
    note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7, "reason": "done"}}
    assert (await post(gateway, note, **headers)).status_code in (200, 202)
    again = await post(gateway, call("todo_read", {}, 8), **headers)
    assert contents(rpc_answer(again)["result"]["structuredContent"]["todos"]) == contents(OWN)


# D2: five minutes of silence is where the older era's sessions end by default. It takes as long as it says.
@pytest.mark.skipif("SIGHTLINE_IDLE_TEST" not in os.environ, reason="six minutes; set SIGHTLINE_IDLE_TEST=1")
@pytest.mark.timeout(600)
async def test_silence_beyond_five_minutes_ends_nothing(gateway):
    async with connected(gateway) as client:
        before = await agent.write(client, OWN)
        await asyncio.sleep(310)
        after = await agent.write(client, NEXT)
        assert after["sessionId"] == before["sessionId"]
        assert after["revision"] == before["revision"] + 1
