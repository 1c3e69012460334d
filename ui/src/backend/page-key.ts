/**
 * The page's own key: made here, kept by the browser so that no script can read it, and proved instead of sent.
 *
 * Both sides derive two keys from it (see `docs/protocol.md`). The gateway proves itself first: to one that cannot, the
 * page sends nothing.
 */

const DATABASE = "sightline";
const STORE = "keys";
const PAGE = "page";
const NONCE_BYTES = 32;
export const ANSWER_WITHIN = 10_000;

/** A key as the page keeps it. */
export type PageKey = { id: string; key: CryptoKey };

/** The two sides of an exchange, over which both prove that they know the key. */
type Exchange = { id: string; clientNonce: string; gatewayNonce: string };

/** A proof that the gateway gave, and what opens a connection with it. */
export type Entrance = { protocols: string[]; isOpenedBy: (message: unknown) => Promise<boolean> };

/** The gateway does not know the key or the code, any more or at all. */
export class Unknown extends Error {}
/** Whatever answers cannot prove that it is the gateway. */
export class Unproven extends Error {}

/** Takes a pairing code out of the address (`#pair=…`), so that it is neither bookmarked nor shown. */
export function takeCode(): string | undefined {
  const code = /^#pair=([0-9A-Za-z]+\.[0-9A-Za-z]+)$/.exec(location.hash)?.[1];
  if (location.hash.startsWith("#pair=")) {
    history.replaceState(history.state, "", `${location.pathname}${location.search}#/`);
  }
  return code;
}

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.addEventListener("upgradeneeded", () => request.result.createObjectStore(STORE));
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error()));
  });
}

async function inStore<T>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await opened();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = ask(transaction.objectStore(STORE));
      transaction.addEventListener("complete", () => resolve(request.result));
      transaction.addEventListener("abort", () => reject(transaction.error ?? new Error()));
      transaction.addEventListener("error", () => reject(transaction.error ?? new Error()));
    });
  } finally {
    database.close();
  }
}

/** The key of this browser, if it has one. */
export async function keptKey(): Promise<PageKey | undefined> {
  try {
    return (await inStore("readonly", (store) => store.get(PAGE))) as PageKey | undefined;
  } catch {
    // Storage is closed to us: a page is paired anew each time.
    return undefined;
  }
}

/** Keeps the key of this browser. */
export async function keep(key: PageKey): Promise<void> {
  try {
    await inStore("readwrite", (store) => store.put(key, PAGE));
  } catch {
    // It lasts as long as this page.
  }
}

/** A text as its bytes. */
export function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

export function hex(bytes: ArrayBuffer | Uint8Array): string {
  return [...new Uint8Array(bytes as ArrayBuffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function imported(bytes: BufferSource): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

function hmac(key: CryptoKey, words: string): Promise<ArrayBuffer> {
  return crypto.subtle.sign("HMAC", key, encoded(words));
}

/** The keys that both sides derive: `client` is shown, masked; by `gateway` the gateway proves itself. */
export async function derived(
  key: CryptoKey,
): Promise<{ client: Uint8Array; stored: ArrayBuffer; gateway: ArrayBuffer }> {
  const client = new Uint8Array(await hmac(key, "client"));
  return {
    client,
    stored: await crypto.subtle.digest("SHA-256", client),
    gateway: await hmac(key, "gateway"),
  };
}

/** The place of the gateway, over which both prove: its port on this machine, its origin beyond it. */
function place(): string {
  return location.protocol === "https:" ? location.origin : location.port || "80";
}

function exchanged(role: string, { id, clientNonce, gatewayNonce }: Exchange): string {
  return `sightline ${role} ${id} ${clientNonce} ${gatewayNonce} ${place()}`;
}

async function isOfGateway(
  key: CryptoKey,
  role: string,
  exchange: Exchange,
  proof: unknown,
): Promise<boolean> {
  const { gateway } = await derived(key);
  return hex(await hmac(await imported(gateway), exchanged(role, exchange))) === proof;
}

/** The page's own proof. */
export async function prove(key: CryptoKey, exchange: Exchange): Promise<string> {
  const { client, stored } = await derived(key);
  const mask = new Uint8Array(await hmac(await imported(stored), exchanged("client", exchange)));
  return hex(client.map((byte, at) => byte ^ (mask[at] ?? 0)));
}

/** Has the gateway prove that it knows the key. */
export async function begin({ id, key }: PageKey): Promise<Exchange> {
  const clientNonce = hex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  const response = await fetch(`/prove?key=${id}&nonce=${clientNonce}`, {
    cache: "no-store",
    signal: AbortSignal.timeout(ANSWER_WITHIN),
  });
  if (response.status === 401) throw new Unknown();
  if (!response.ok) throw new Error(String(response.status));
  const answer: unknown = await response.json().catch(() => undefined);
  const { nonce, proof } = (answer ?? {}) as { nonce?: unknown; proof?: unknown };
  if (typeof nonce !== "string" || !/^[0-9a-f]{64}$/.test(nonce)) throw new Unproven();
  const exchange = { id, clientNonce, gatewayNonce: nonce };
  if (!(await isOfGateway(key, "gateway", exchange, proof))) throw new Unproven();
  return exchange;
}

/** Makes an entrance: the gateway has proved itself, and the page's own proof is ready. */
export async function enter(page: PageKey): Promise<Entrance> {
  const exchange = await begin(page);
  const { id, clientNonce, gatewayNonce } = exchange;
  const proof = await prove(page.key, exchange);
  return {
    protocols: ["sightline", `proof.${id}.${clientNonce}.${gatewayNonce}.${proof}`],
    isOpenedBy: (message) => {
      const { type, proof: given } = (message ?? {}) as { type?: unknown; proof?: unknown };
      return type === "proved" ? isOfGateway(page.key, "opened", exchange, given) : Promise.resolve(false);
    },
  };
}
