import { type DataFolder, SIGHTLINE } from "../parts/gateway.ts";

/** `sightline connect AGENT`, with its self-test, in the home and on the data of this folder. */
export async function connect(agent: string, folder: DataFolder, ...more: string[]): Promise<void> {
  const args = ["connect", agent, "--yes", ...more, "--data-dir", folder.path];
  const connecting = folder.spawn(`sightline connect ${agent}`, SIGHTLINE, args);
  const code = await connecting.end();
  if (code !== 0 || !/the test list arrived after \d+ ms/.test(connecting.output))
    throw new Error(`connect ended with ${code}: ${connecting.output}`);
}
