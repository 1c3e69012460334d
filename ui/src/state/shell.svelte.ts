import { toFailure, type Failure } from "../backend/backend";
import type { Shell, ShellAction, ShellInfo, TextDeed, WindowDeed } from "../backend/shell";

/** The desktop's window around the page, where there is one. */
export class Desktop {
  /** Its state; nothing in a browser, and before the first answer. */
  info = $state.raw<ShellInfo>();
  readonly #shell: Shell | undefined;

  constructor(shell: Shell | undefined) {
    this.#shell = shell;
  }

  get isThere(): boolean {
    return this.#shell !== undefined;
  }

  /** True if the page answers to the keys of a desktop's window: not where its native menu does, nor in a browser. */
  get hasKeys(): boolean {
    return this.isThere && this.info?.nativeKeys !== true;
  }

  /** Follows it; what is chosen in its menus goes to `onAction`. Returns what ends that. */
  open(onAction: (action: ShellAction) => void): () => void {
    if (!this.#shell) return () => {};
    const end = this.#shell.listen((info) => (this.info = info), onAction);
    void this.#look(this.#shell);
    return end;
  }

  /** True if it edits the text of a field: the system's own menu need not be there for that. */
  get editsText(): boolean {
    return this.info?.platform === "linux";
  }

  act(deed: WindowDeed | TextDeed): void {
    void this.#shell?.act(deed).catch(() => undefined);
  }

  /** Shows a notification; the reason where the system refuses it. */
  async testNotification(sound: boolean): Promise<Failure | undefined> {
    try {
      await this.#shell?.testNotification(sound);
      return undefined;
    } catch (thrown) {
      return toFailure(thrown);
    }
  }

  /** Makes the window the strip, or the strip higher or lower. */
  shrink(height?: number): void {
    void this.#shell?.compact(true, height === undefined ? {} : { height }).catch(() => undefined);
  }

  /** Makes it a window again, at that address. */
  async grow(route?: string): Promise<void> {
    await this.#shell?.compact(false, route === undefined ? {} : { route }).catch(() => undefined);
  }

  async #look(shell: Shell): Promise<void> {
    try {
      const info = await shell.info();
      this.info ??= info;
    } catch {
      // A shell that does not say what it can is taken for one that can nothing.
    }
  }
}
