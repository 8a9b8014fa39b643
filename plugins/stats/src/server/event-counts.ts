/** Counts of events between two posts. */
import type { Activity } from '@srv/kernel';
import type { Disclosure, EventFields } from './disclosure.js';

/** A count as it is posted. */
export type Metric = EventFields & { readonly value: number };

/** Others are dropped. @bound different events that are counted between two posts */
const capacity = 8192;
/** Characters of a class or a name. */
const longest = 200;

export class EventCounts {
  readonly #disclosure: Disclosure;
  #counts = new Map<string, { readonly fields: EventFields; value: number }>();

  constructor(disclosure: Disclosure) {
    this.#disclosure = disclosure;
  }

  /** Different events counted. */
  get size(): number {
    return this.#counts.size;
  }

  add(activity: Activity): void {
    // Clients choose the words of what they report.
    if (activity.class.length > longest || activity.name.length > longest) return;
    const { class: group, name, repository, ref, sourceRef, user, client, count = 1 } = activity;
    // What is not disclosed makes no difference between two events.
    const key = this.#disclosure.extended
      ? [group, name, repository, ref, sourceRef, user, client].join('\0')
      : [group, name, this.#disclosure.client(client)].join('\0');
    const known = this.#counts.get(key);
    if (known) known.value += count;
    else if (this.#counts.size < capacity) this.#counts.set(key, { fields: this.#disclosure.fieldsOf(activity), value: count });
  }

  /** Returns all counts and resets them. */
  take(): readonly Metric[] {
    const taken = [...this.#counts.values()].map(({ fields, value }) => ({ ...fields, value }));
    this.#counts = new Map();
    return taken;
  }
}
