/** What a handler knows about the request in addition to its input. */
import type { Decision, Logger, Permission, ServiceRegistry, User } from '@srv/kernel';

export interface OperationContext {
  /** What plugins provide: `services.get('engine')`. */
  readonly services: Pick<ServiceRegistry, 'get' | 'find'>;
  readonly log: Logger;
  /** Lower-case names; the values of repeated headers are joined. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values of all headers in turn, as they arrived. */
  readonly headerLines: readonly string[];
  /** Whether the caller reached us, or the proxy before us, by HTTPS. */
  readonly secure: boolean;
  /** Address of the caller, as conditions of policies see it. */
  readonly sourceIp: string;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
  /** Absent only in operations of access `public` and `anyone`. */
  readonly caller: User | undefined;
  /** The caller. @throws SrvError `unauthenticated` for anonymous requests. */
  readonly user: User;
  /** Name that goes into commits: the e-mail address, if there is one. */
  readonly committer: string;
  /** Asks about a further permission. */
  readonly decide: (permission: Permission) => Promise<Decision>;
  /** Status and text of an error, for answers about several items. */
  readonly describe: (error: unknown) => { readonly status: number; readonly message: string };
}
