import { Failure, type Message } from "../backend/backend";
import type { LaterAdd, LaterEdit, LaterItem } from "../protocol/types";
import { AT } from "./samples";

/** The steps and messages that the desk keeps for later, as the gateway does. */
export class DeskLater {
  items: LaterItem[] = [];
  readonly #tell: (message: Message) => void;

  constructor(tell: (message: Message) => void) {
    this.#tell = tell;
  }

  /** One was handed over: it is an edit of its session now. */
  handOver(laterId: string, sessionId: string, editId: string): void {
    const handedOver = { sessionId, editId, at: AT };
    this.items = this.items.map((item) => (item.laterId === laterId ? { ...item, handedOver } : item));
    this.#changed(sessionId);
  }

  answer(type: string, fields: object): unknown {
    switch (type) {
      case "later.list":
        return { items: this.items };
      case "later.add": {
        const item = { laterId: `l${this.items.length + 1}`, createdAt: AT, ...(fields as LaterAdd) };
        this.items = [...this.items, item];
        this.#changed(item.sessionId);
        return item;
      }
      case "later.edit": {
        const { laterId, to, ...set } = fields as LaterEdit;
        const item = { ...this.#get(laterId), ...set } as LaterItem;
        const others = this.items.filter((other) => other.laterId !== laterId);
        const at = to === undefined ? this.items.findIndex((other) => other.laterId === laterId) : to - 1;
        this.items = others.toSpliced(at, 0, item);
        this.#changed(item.sessionId);
        return item;
      }
      default: {
        const { laterId, sessionId } = this.#get((fields as { laterId: string }).laterId);
        this.items = this.items.filter((other) => other.laterId !== laterId);
        this.#changed(sessionId);
        return {};
      }
    }
  }

  #get(laterId: string): LaterItem {
    const item = this.items.find((other) => other.laterId === laterId);
    if (!item || item.handedOver)
      throw new Failure("ITEM_NOT_FOUND", "it was handed over or deleted meanwhile");
    return item;
  }

  #changed(sessionId?: string): void {
    this.#tell({ type: "later.updated", cursor: "c", ...(sessionId !== undefined && { sessionId }) });
  }
}
