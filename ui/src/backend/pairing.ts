import {
  ANSWER_WITHIN,
  begin,
  derived,
  encoded,
  hex,
  imported,
  keep,
  prove,
  Unknown,
  type PageKey,
} from "./page-key";

/** Pairs this browser by a code, which is good once. */
export async function pair(code: string, name: string): Promise<PageKey> {
  const id = code.slice(0, code.indexOf("."));
  const codeKey = await imported(encoded(code));
  const exchange = await begin({ id, key: codeKey });
  const algorithm = { name: "HMAC", hash: "SHA-256", length: 256 };
  const key = await crypto.subtle.generateKey(algorithm, false, ["sign"]);
  const { stored, gateway } = await derived(key);
  const response = await fetch("/pair", {
    method: "POST",
    cache: "no-store",
    signal: AbortSignal.timeout(ANSWER_WITHIN),
    body: JSON.stringify({
      key: id,
      clientNonce: exchange.clientNonce,
      gatewayNonce: exchange.gatewayNonce,
      proof: await prove(codeKey, exchange),
      name,
      client: hex(stored),
      gateway: hex(gateway),
    }),
  });
  if (!response.ok) throw new Unknown();
  const { keyId } = (await response.json()) as { keyId: string };
  const paired = { id: keyId, key };
  await keep(paired);
  return paired;
}

/** A name for this browser, as a person would call it. */
export function browserName(agent = navigator.userAgent): string {
  const browsers: [RegExp, string][] = [
    [/Edg\//, "Edge"],
    [/OPR\//, "Opera"],
    [/Firefox\//, "Firefox"],
    [/Chrom(e|ium)\//, "Chrome"],
    [/Safari\//, "Safari"],
  ];
  const systems: [RegExp, string][] = [
    [/Android/, "Android"],
    [/iPhone|iPad/, "iOS"],
    [/Windows/, "Windows"],
    [/Mac OS X/, "macOS"],
    [/Linux|X11/, "Linux"],
  ];
  const found = (names: [RegExp, string][]): string | undefined =>
    names.find(([sign]) => sign.test(agent))?.[1];
  const system = found(systems);
  return `${found(browsers) ?? "Browser"}${system === undefined ? "" : ` on ${system}`}`;
}
