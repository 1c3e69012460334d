import { afterEach, expect, test, vi } from "vitest";
import { enter, keptKey, takeCode, Unknown, Unproven, type PageKey } from "./page-key";
import { browserName, pair } from "./pairing";

const text = new TextEncoder();
const hex = (bytes: ArrayBuffer | Uint8Array): string =>
  [...new Uint8Array(bytes as ArrayBuffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

async function hmac(bytes: BufferSource, words: string): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, true, ["sign"]);
  return crypto.subtle.sign("HMAC", key, text.encode(words));
}

async function pageKey(secret: string): Promise<PageKey> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return {
    id: "k",
    key: await crypto.subtle.importKey("raw", text.encode(secret), algorithm, false, ["sign"]),
  };
}

/** A gateway that knows a secret, as `crates/protocol/src/proof.rs` has it. */
function gateway(secret: string, port = location.port || "80"): { paired: Record<string, string>[] } {
  const paired: Record<string, string>[] = [];
  const answer = async (url: string, init?: RequestInit): Promise<Response> => {
    if (url === "/pair") {
      paired.push(JSON.parse(init?.body as string) as Record<string, string>);
      return Response.json({ keyId: "page1" });
    }
    const asked = new URLSearchParams(url.slice(url.indexOf("?")));
    const nonce = "2".repeat(64);
    const words = `sightline gateway ${asked.get("key")} ${asked.get("nonce")} ${nonce} ${port}`;
    const own = await hmac(text.encode(secret), "gateway");
    return Response.json({ nonce, proof: hex(await hmac(own, words)) });
  };
  vi.stubGlobal("fetch", answer);
  return { paired };
}

afterEach(() => {
  vi.unstubAllGlobals();
  history.replaceState(null, "", "/");
});

test("it proves that it has the key, and hears whether the gateway is the same", async () => {
  gateway("secret");
  const { protocols, isOpenedBy } = await enter(await pageKey("secret"));
  const [ours, offer = ""] = protocols;
  const [word, id, clientNonce, gatewayNonce, proof = ""] = offer.split(".");
  expect([ours, word, id]).toEqual(["sightline", "proof", "k"]);
  expect(offer).not.toContain("secret");
  const exchange = `k ${clientNonce} ${gatewayNonce} ${location.port || "80"}`;
  const client = await hmac(text.encode("secret"), "client");
  const stored = await crypto.subtle.digest("SHA-256", client);
  const mask = new Uint8Array(await hmac(stored, `sightline client ${exchange}`));
  const shown = mask.map((byte, at) => byte ^ Number.parseInt(proof.slice(2 * at, 2 * at + 2), 16));
  expect(hex(shown)).toBe(hex(client));
  const own = await hmac(text.encode("secret"), "gateway");
  const opened = hex(await hmac(own, `sightline opened ${exchange}`));
  expect(await isOpenedBy({ type: "proved", proof: opened })).toBe(true);
  const before = hex(await hmac(own, `sightline gateway ${exchange}`));
  for (const first of [
    { type: "proved", proof: before },
    { type: "proved" },
    { proof: opened },
    undefined,
    1,
  ]) {
    // oxlint-disable-next-line no-await-in-loop
    expect(await isOpenedBy(first)).toBe(false);
  }
});

test("to whoever knows another key, or has another port, nothing is shown", async () => {
  const page = await pageKey("secret");
  gateway("another");
  await expect(enter(page)).rejects.toBeInstanceOf(Unproven);
  gateway("secret", "1");
  await expect(enter(page)).rejects.toBeInstanceOf(Unproven);
  for (const odd of ["<html>", "{}", "null", '{"nonce":"x","proof":"y"}', `{"nonce":"${"2".repeat(64)}"}`]) {
    vi.stubGlobal("fetch", () => Promise.resolve(new Response(odd)));
    // oxlint-disable-next-line no-await-in-loop
    await expect(enter(page)).rejects.toBeInstanceOf(Unproven);
  }
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("{}", { status: 401 })));
  await expect(enter(page)).rejects.toBeInstanceOf(Unknown);
});

test("a code becomes a key that no script can read", async () => {
  const { paired } = gateway("c1.code");
  const { id, key } = await pair("c1.code", "Firefox on Linux");
  expect([id, key.extractable]).toEqual(["page1", false]);
  expect(paired[0]).toMatchObject({ key: "c1", name: "Firefox on Linux" });
  expect(paired[0]?.["client"]).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.stringify(paired)).not.toContain("code");
  gateway("another");
  await expect(pair("c1.code", "Firefox")).rejects.toBeInstanceOf(Unproven);
});

test("a browser that keeps nothing has no key", async () => {
  vi.stubGlobal("indexedDB", {
    open: () => {
      throw new Error("no");
    },
  });
  expect(await keptKey()).toBeUndefined();
});

test("a code is taken out of the address", () => {
  history.replaceState(null, "", "/#pair=abc.DEF9");
  expect(takeCode()).toBe("abc.DEF9");
  expect(location.hash).toBe("#/");
  expect(takeCode()).toBeUndefined();
  for (const odd of ["#pair=", "#pair=a", "#pair=a.b.c", "#pair=a.b&x"]) {
    history.replaceState(null, "", `/${odd}`);
    expect(takeCode()).toBeUndefined();
    expect(location.hash).toBe("#/");
  }
});

test("a browser is called as people call it", () => {
  const agents = {
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0": "Firefox on Linux",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0":
      "Edge on Windows",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18 Safari/605.1.15":
      "Safari on macOS",
    "": "Browser",
  };
  for (const [agent, name] of Object.entries(agents)) expect(browserName(agent)).toBe(name);
});
