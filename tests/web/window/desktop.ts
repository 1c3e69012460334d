// A desktop's services on the session bus: a tray, and a server of notifications. Owned by a test.
import { interface as services, Message, type MessageBus, sessionBus, Variant } from "@jellybrick/dbus-next";
import { until } from "../parts/process.ts";

const WATCHER = "org.kde.StatusNotifierWatcher";
const ITEM = "org.kde.StatusNotifierItem";
const MENU = "com.canonical.dbusmenu";
const NOTIFICATIONS = "org.freedesktop.Notifications";

/** Something on the bus that other programs talk to. */
class Service {
  protected constructor(
    protected readonly bus: MessageBus,
    readonly name: string,
  ) {}

  #gone = false;

  /** Goes, as a desktop does that is logged out of. */
  async leave(): Promise<void> {
    if (this.#gone) return;
    this.#gone = true;
    await this.bus.releaseName(this.name);
    this.bus.disconnect();
  }

  protected async call(
    destination: string,
    path: string,
    face: string,
    member: string,
    signature = "",
    body: unknown[] = [],
  ): Promise<unknown[]> {
    const message = new Message({ destination, path, interface: face, member, signature, body });
    return (await this.bus.call(message))?.body ?? [];
  }

  protected async property(destination: string, path: string, face: string, name: string): Promise<unknown> {
    const [value] = await this.call(destination, path, "org.freedesktop.DBus.Properties", "Get", "ss", [
      face,
      name,
    ]);
    return (value as Variant).value;
  }
}

class Face extends services.Interface {
  constructor(name: string) {
    super(name);
    // Empty fields of the library's own, which hide what `configureMembers` has put on the prototype.
    for (const field of ["$properties", "$methods", "$signals"]) Reflect.deleteProperty(this, field);
  }
}

class WatcherFace extends Face {
  readonly items: string[] = [];

  RegisterStatusNotifierItem(service: string): void {
    if (!this.items.includes(service)) this.items.push(service);
    this.StatusNotifierItemRegistered(service);
  }
  RegisterStatusNotifierHost(_service: string): void {
    this.StatusNotifierHostRegistered();
  }
  get RegisteredStatusNotifierItems(): string[] {
    return this.items;
  }
  get IsStatusNotifierHostRegistered(): boolean {
    return true;
  }
  get ProtocolVersion(): number {
    return 0;
  }
  StatusNotifierItemRegistered(service: string): string {
    return service;
  }
  StatusNotifierHostRegistered(): void {}
}

WatcherFace.configureMembers({
  methods: {
    RegisterStatusNotifierItem: { inSignature: "s" },
    RegisterStatusNotifierHost: { inSignature: "s" },
  },
  properties: {
    RegisteredStatusNotifierItems: { signature: "as", access: "read" },
    IsStatusNotifierHostRegistered: { signature: "b", access: "read" },
    ProtocolVersion: { signature: "i", access: "read" },
  },
  signals: {
    StatusNotifierItemRegistered: { signature: "s" },
    StatusNotifierHostRegistered: { signature: "" },
  },
});

type Layout = [number, Record<string, Variant>, Variant<Layout>[]];

/** An entry of a tray's menu. */
export interface Entry {
  id: number;
  label: string;
  enabled: boolean;
}

/** A panel with a tray. */
export class Tray extends Service {
  readonly #face: WatcherFace;

  private constructor(bus: MessageBus, face: WatcherFace) {
    super(bus, WATCHER);
    this.#face = face;
  }

  static async open(): Promise<Tray> {
    const bus = sessionBus();
    const face = new WatcherFace(WATCHER);
    bus.export("/StatusNotifierWatcher", face);
    await bus.requestName(WATCHER);
    return new Tray(bus, face);
  }

  /** The owner of the icon that came last; waits for one. */
  async icon(): Promise<string> {
    return until("an icon comes into the tray", () => this.#face.items.at(-1), 30);
  }

  /** The words that appear when the pointer rests on the icon. */
  async tooltip(): Promise<string> {
    const tip = await this.property(await this.icon(), "/StatusNotifierItem", ITEM, "ToolTip");
    return (tip as [string, unknown, string, string])[3];
  }

  async expectTooltip(words: string | RegExp): Promise<void> {
    let seen = "";
    const says = async (): Promise<boolean> => {
      seen = await this.tooltip();
      return typeof words === "string" ? seen === words : words.test(seen);
    };
    await until(`the tray says ${words}`, says, 20).catch((error: Error) => {
      throw new Error(`${error.message}; it says ${seen}`);
    });
  }

  /** The icon's pixels: alpha, red, green and blue of each. */
  async pixels(): Promise<{ width: number; height: number; bytes: Buffer }> {
    const pictures = await this.property(await this.icon(), "/StatusNotifierItem", ITEM, "IconPixmap");
    const [width, height, bytes] = (pictures as [number, number, Uint8Array][])[0]!;
    return { width, height, bytes: Buffer.from(bytes) };
  }

  async menu(): Promise<Entry[]> {
    const icon = await this.icon();
    const path = String(await this.property(icon, "/StatusNotifierItem", ITEM, "Menu"));
    const [, layout] = await this.call(icon, path, MENU, "GetLayout", "iias", [0, -1, []]);
    return (layout as Layout)[2].map(({ value: [id, properties] }) => ({
      id,
      label: String(properties["label"]?.value ?? ""),
      enabled: properties["enabled"]?.value !== false,
    }));
  }

  /** Waits until the menu has an entry with these words. */
  async expectEntry(words: string): Promise<Entry> {
    let seen: string[] = [];
    const found = async (): Promise<Entry | undefined> => {
      const menu = await this.menu();
      seen = menu.map(({ label }) => label);
      return menu.find(({ label }) => label.includes(words));
    };
    return until(`the tray's menu has ${words}`, found, 20).catch((error: Error) => {
      throw new Error(`${error.message}; it has ${JSON.stringify(seen)}`);
    });
  }

  async choose(words: string): Promise<void> {
    const { id } = await this.expectEntry(words);
    const icon = await this.icon();
    const path = String(await this.property(icon, "/StatusNotifierItem", ITEM, "Menu"));
    await this.call(icon, path, MENU, "Event", "isvu", [id, "clicked", new Variant("s", ""), 0]);
  }

  /** A click on the icon itself. */
  async click(): Promise<void> {
    await this.call(await this.icon(), "/StatusNotifierItem", ITEM, "Activate", "ii", [0, 0]);
  }
}

/** A notification as it came. */
export interface Notice {
  id: number;
  app: string;
  title: string;
  body: string;
  /** Each action's name by its id. */
  actions: Record<string, string>;
  /** 0 low, 1 normal, 2 critical. */
  urgency: number;
  category: string;
  sound: string | undefined;
}

class NotificationsFace extends Face {
  readonly shown: Notice[] = [];
  readonly closed = new Set<number>();

  Notify(
    app: string,
    _replaces: number,
    _icon: string,
    title: string,
    body: string,
    actions: string[],
    hints: Record<string, Variant>,
  ): number {
    const id = this.shown.length + 1;
    const names = actions.flatMap((action, at) => (at % 2 === 0 ? [[action, actions[at + 1]!]] : []));
    const hint = (name: string): unknown => hints[name]?.value;
    this.shown.push({
      id,
      app,
      title,
      body,
      actions: Object.fromEntries(names) as Record<string, string>,
      urgency: Number(hint("urgency")),
      category: String(hint("category")),
      sound: hint("sound-name") as string | undefined,
    });
    return id;
  }
  CloseNotification(id: number): void {
    this.closed.add(id);
    this.NotificationClosed(id, 3);
  }
  GetCapabilities(): string[] {
    return ["actions", "body", "body-markup"];
  }
  GetServerInformation(): string[] {
    return ["a test", "Sightline", "1", "1.2"];
  }
  ActionInvoked(id: number, action: string): [number, string] {
    return [id, action];
  }
  NotificationClosed(id: number, reason: number): [number, number] {
    return [id, reason];
  }
}

NotificationsFace.configureMembers({
  methods: {
    Notify: { inSignature: "susssasa{sv}i", outSignature: "u" },
    CloseNotification: { inSignature: "u" },
    GetCapabilities: { outSignature: "as" },
    GetServerInformation: { outSignature: "ssss" },
  },
  signals: { ActionInvoked: { signature: "us" }, NotificationClosed: { signature: "uu" } },
});

/** The server that shows notifications. */
export class Notifications extends Service {
  readonly #face: NotificationsFace;

  private constructor(bus: MessageBus, face: NotificationsFace) {
    super(bus, NOTIFICATIONS);
    this.#face = face;
  }

  static async open(): Promise<Notifications> {
    const bus = sessionBus();
    const face = new NotificationsFace(NOTIFICATIONS);
    bus.export("/org/freedesktop/Notifications", face);
    await bus.requestName(NOTIFICATIONS);
    return new Notifications(bus, face);
  }

  get shown(): readonly Notice[] {
    return this.#face.shown;
  }

  /** The first with these words in its title; waits for it. */
  async first(title: string): Promise<Notice> {
    const found = (): Notice | undefined => this.shown.find((notice) => notice.title.includes(title));
    return until(`there is a notification ${title}`, found, 30).catch((error: Error) => {
      throw new Error(`${error.message}; there are ${JSON.stringify(this.shown.map((one) => one.title))}`);
    });
  }

  /** Presses one of its buttons, or the notification itself: `default`. */
  press(notice: Notice, action: string): void {
    if (!(action in notice.actions)) throw new Error(`${notice.title} has no ${action}`);
    this.#face.ActionInvoked(notice.id, action);
    this.#face.NotificationClosed(notice.id, 2);
  }

  async expectTakenBack(notice: Notice): Promise<void> {
    await until(`${notice.title} is taken back`, () => this.#face.closed.has(notice.id), 20);
  }
}
