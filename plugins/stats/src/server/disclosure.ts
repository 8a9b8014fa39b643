/** What this installation reports about an event: never a name, and a hash of it only with `stats.extended`. */
import { xxh64 } from '@node-rs/xxhash';
import type { Activity } from '@srv/kernel';

/** An event as it is posted; field names are a contract with receivers. */
export interface EventFields {
  readonly class: string;
  readonly name: string;
  readonly repository?: string;
  readonly ref?: string;
  readonly source_ref?: string;
  readonly user_id?: string;
  readonly client?: string;
}

/** Programs of the product itself; the names of others may reveal who uses them. */
const ownClients = /^(?:lakefs|srv)-/;

export class Disclosure {
  /** Whether hashes of repositories, refs and users are reported. */
  readonly extended: boolean;

  constructor(extended: boolean) {
    this.extended = extended;
  }

  fieldsOf({ class: group, name, repository, ref, sourceRef, user, client }: Activity): EventFields {
    const told = this.client(client);
    return {
      class: group,
      name,
      ...(this.extended ? hashed({ repository, ref, source_ref: sourceRef, user_id: user }) : {}),
      ...(told ? { client: told } : {}),
    };
  }

  /** @returns the client's name to report, `undefined` when it is not reported. */
  client(client: string | undefined): string | undefined {
    return client && (this.extended || ownClients.test(client)) ? client : undefined;
  }
}

function hashed(names: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([field, name]) => (name ? [[field, xxh64(name).toString(16).padStart(16, '0')]] : [])),
  );
}
