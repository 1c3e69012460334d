import { resolve } from "node:path";

const SERVERS = resolve(import.meta.dirname, "../../models/node_modules/@modelcontextprotocol");

/** Tools of the file server, as the settings and the models call them. */
export const READ = "files__read_text_file";
export const WRITE = "files__write_file";

/** The command of a public MCP server whose tools read and write the files of one folder. */
export function fileCommand(folder: string): string[] {
  return [process.execPath, resolve(SERVERS, "server-filesystem/dist/index.js"), folder];
}

/** The settings that give it to the built-in agent: it reads by itself and asks before it writes. */
export function fileServer(folder: string): Record<string, unknown> {
  return {
    chatServers: [{ name: "files", command: fileCommand(folder) }],
    chatTools: { [READ]: "auto", [WRITE]: "ask" },
  };
}
