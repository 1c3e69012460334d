import { expect, type Locator, type Page } from "@playwright/test";

/** Opens a field that offers several ways and takes one of them. */
export async function select(field: Locator, name: string): Promise<void> {
  await field.click();
  await field.page().getByRole("option", { name, exact: true }).click();
}

/** The page as a person uses it: by what is written and announced, never by classes. */
export class SightlinePage {
  readonly trouble: string[] = [];

  constructor(readonly page: Page) {
    page.on("pageerror", (error) => this.trouble.push(`uncaught: ${error.message}`));
    page.on("dialog", (dialog) => {
      this.trouble.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("console", (message) => {
      // A connection that breaks is what some stories are about; the browser always reports it.
      if (message.type() === "error" && !/WebSocket connection|ERR_CONNECTION_REFUSED/.test(message.text())) {
        this.trouble.push(`console: ${message.text()}`);
      }
    });
  }

  card(agent: string): Locator {
    return this.page.getByRole("main").getByRole("link", { name: new RegExp(`^${agent} · .*, `) });
  }

  get list(): Locator {
    return this.page.getByRole("list", { name: "Steps", exact: true });
  }

  get rows(): Locator {
    return this.list.locator("[data-uid]");
  }

  row(words: string): Locator {
    return this.rows.filter({ hasText: words });
  }

  /** The line of the command bar. */
  get command(): Locator {
    return this.page.getByRole("combobox", { name: "Command", exact: true });
  }

  /** The output of the last line of the command bar. */
  get output(): Locator {
    return this.page.getByLabel("Output", { exact: true });
  }

  details(position: number): Locator {
    return this.page.getByRole("group", { name: `Details of step ${position}`, exact: true });
  }

  get progress(): Locator {
    return this.page.getByRole("progressbar").first();
  }

  get connection(): Locator {
    return this.page.locator('[role="status"][data-state]');
  }

  async open(address: string): Promise<void> {
    await this.page.goto(address);
    await expect(this.connection).toHaveAttribute("data-state", "connected");
  }

  /** Goes to a place in the page, which is open. */
  async goTo(place: string): Promise<void> {
    await this.page.evaluate((hash) => (location.hash = hash), place);
  }

  async openSession(agent: string): Promise<void> {
    await this.card(agent).click();
    await expect(this.list.or(this.page.getByLabel("Add a step")).first()).toBeVisible();
  }

  async expectRows(contents: string[]): Promise<void> {
    await expect(this.rows).toHaveCount(contents.length);
    for (const [place, content] of contents.entries()) {
      const row = this.rows.nth(place);
      await expect(row).toHaveAttribute("data-position", String(place + 1));
      await expect(row).toContainText(content);
    }
  }

  /** Types into the field at the end of the list. */
  async add(content: string): Promise<void> {
    await this.page.getByLabel("Add a step", { exact: true }).click();
    await this.page.keyboard.type(content);
    await this.page.keyboard.press("Enter");
  }

  /** Opens the gap before a row with the mouse and types into it. */
  async insert(position: number, content: string): Promise<void> {
    await this.rows.nth(position - 1).hover();
    await this.page.getByRole("button", { name: `Insert at ${position}`, exact: true }).click();
    await expect(this.page.getByLabel(`Insert a step at ${position}`, { exact: true })).toBeFocused();
    await this.page.keyboard.type(content);
    await this.page.keyboard.press("Enter");
  }

  async delete(position: number): Promise<void> {
    await this.rows.nth(position - 1).hover();
    await this.page.getByRole("button", { name: `Delete step ${position}`, exact: true }).click();
  }

  async clear(): Promise<void> {
    await this.page.getByRole("button", { name: "Clear list", exact: true }).click();
  }

  /** Types a line into the command bar, which is open, and runs it. */
  async run(line: string): Promise<void> {
    await this.page.keyboard.type(line);
    await this.page.keyboard.press("Enter");
  }

  async undo(): Promise<void> {
    await this.page.getByRole("button", { name: "Undo", exact: true }).click();
  }
}
