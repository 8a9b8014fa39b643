/** What an endpoint is, and those that only differ in what they call. */
import type { AccountService, AuthService, InvitationService } from '@srv/auth/contract';

export interface EndpointRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON; `null` without bytes. */
  readonly body: unknown;
}

/** What endpoints are made of. */
export interface EndpointParts {
  readonly auth: AuthService;
  readonly accounts: AccountService;
  readonly invitations: () => InvitationService | undefined;
}

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the path of the service. */
  readonly path: string;
  /** Status of success. */
  readonly status: number;
  /** True: everybody may call it. */
  readonly open?: boolean;
  // biome-ignore lint/suspicious/noConfusingVoidType: endpoints without a body pass on what the directory returns
  handle(request: EndpointRequest): Promise<object | undefined | void>;
}

type Handle = Endpoint['handle'];

export const reads = (path: string, handle: Handle): Endpoint => ({ method: 'GET', path, status: 200, handle });
export const creates = (path: string, handle: Handle): Endpoint => ({ method: 'POST', path, status: 201, handle });
export const removes = (path: string, handle: Handle): Endpoint => ({ method: 'DELETE', path, status: 204, handle });

/** A relation between what the two parameters of the path name: PUT adds it, DELETE removes it. */
export function relates(
  path: string,
  add: (owner: string, other: string) => Promise<void>,
  remove: (owner: string, other: string) => Promise<void>,
): Endpoint[] {
  const [owner = '', other = ''] = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const named =
    (change: typeof add): Handle =>
    request =>
      change(given(request, owner), given(request, other));
  return [{ method: 'PUT', path, status: 201, handle: named(add) }, removes(path, named(remove))];
}

/** A parameter of the path. */
export function given(request: EndpointRequest, name: string): string {
  return request.params[name] ?? '';
}
