/** Objects that operations of several plugins carry. Field names are a contract with existing clients. */
import { flag, integer, list, mapOf, optional, record, text } from './field.js';
import type { Out } from './field.js';

/** Unix seconds. */
export const seconds = integer();

/** The last second of year 9999. */
const maxSeconds = 253_402_300_799;

/** Unix seconds that a client sends: up to year 9999, since many clients cannot read later dates. */
export const givenSeconds = integer({
  min: 0,
  max: maxSeconds,
  problem: `{{#label}} is {{#value}}: it must be a time in Unix seconds, 0 to ${maxSeconds}; divide milliseconds by 1000`,
});

export const metadata = mapOf(text());

export const commit = record({
  id: text(),
  parents: list(text()),
  committer: text(),
  message: text(),
  creation_date: seconds,
  meta_range_id: text(),
  metadata: optional(metadata),
  generation: optional(integer()),
  version: optional(integer({ min: 0, max: 1 })),
});

/** RFC 3339. */
export const timestamp = text();

/** The response of an operation that continues in the background. */
export const taskCreation = record({ id: text() });

export const taskFields = {
  task_id: text(),
  completed: flag(),
  update_time: timestamp,
  error: optional(record({ message: text() })),
  /** As the operation would have answered when it is not in the background; only with `error`. */
  status_code: optional(integer()),
};

export const errorBody = record({ message: text() });

export const mergeResult = record({ reference: text() });

export const user = record({
  id: text(),
  creation_date: seconds,
  friendly_name: optional(text()),
  email: optional(text()),
  external_id: optional(text()),
  active: optional(flag()),
});

export type Commit = Out<typeof commit>;
export type WireUser = Out<typeof user>;
