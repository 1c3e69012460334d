import { execFileSync } from "node:child_process";
import { createHash, createHmac, randomBytes } from "node:crypto";

const derived = (secret: string, role: string): Buffer => createHmac("sha256", secret).update(role).digest();

/** Pairs as the first page, by the address that `serve` printed; a secret that works as a bearer's and administers. */
export async function pair(page: string): Promise<string> {
  const [address = "", code = ""] = page.split("/#pair=");
  const [id = ""] = code.split(".");
  const clientNonce = randomBytes(32).toString("hex");
  const answer = await fetch(`${address}/prove?key=${id}&nonce=${clientNonce}`);
  const { nonce } = (await answer.json()) as { nonce: string };
  const client = derived(code, "client");
  const stored = createHash("sha256").update(client).digest();
  const words = `sightline client ${id} ${clientNonce} ${nonce} ${new URL(address).port}`;
  const mask = createHmac("sha256", stored).update(words).digest();
  const own = randomBytes(32).toString("hex");
  const paired = await fetch(`${address}/pair`, {
    method: "POST",
    body: JSON.stringify({
      key: id,
      clientNonce,
      gatewayNonce: nonce,
      proof: Buffer.from(client.map((byte, at) => byte ^ (mask[at] ?? 0))).toString("hex"),
      name: "test",
      client: createHash("sha256").update(derived(own, "client")).digest("hex"),
      gateway: derived(own, "gateway").toString("hex"),
    }),
  });
  if (!paired.ok) throw new Error(`not paired: ${paired.status} ${await paired.text()}`);
  return own;
}

/** The JSON that a `sightline` command prints. */
export function asked(command: string, args: string[], env: Record<string, string>): Record<string, string> {
  return JSON.parse(execFileSync(command, ["--json", ...args], { encoding: "utf8", env })) as Record<
    string,
    string
  >;
}
