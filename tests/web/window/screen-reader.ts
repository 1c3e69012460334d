// The tree that the window gives out over AT-SPI, read by a small reader of our own.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/** The system's, which has the bindings. */
const PYTHON = "/usr/bin/python3";
const READER = join(import.meta.dirname, "screen-reader.py");

/** A part of the window. */
export interface Node {
  depth: number;
  role: string;
  name: string;
  text: string;
  level: string;
  landmark: string;
  live: string;
  /** Of so many it is this one, as the page says it. */
  place: [at: string, of: string];
  states: string[];
}

/** The window's parts, each before what is in it. */
export async function tree(): Promise<Node[]> {
  const { stdout } = await promisify(execFile)(PYTHON, [READER], { maxBuffer: 16_000_000 });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Node);
}
