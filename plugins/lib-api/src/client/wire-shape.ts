/** What of an operation goes over the wire: all that a client needs to send it. Every operation is one. */
import type { Method } from '../operations/operation.js';

export interface WireShape {
  readonly operationId: string;
  readonly method: Method;
  readonly path: string;
  /** Names count, values do not. */
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** `stream`, or anything else for a JSON body. */
  readonly body?: unknown;
  readonly result: { readonly kind: 'json' | 'text' | 'bytes' | 'empty' };
}

export type WireShapes = Readonly<Record<string, WireShape>>;

/** An operation in one line: how the wire sees it, without schemas and handlers. */
export type WireLine = readonly [
  method: Method,
  path: string,
  result: WireShape['result']['kind'],
  more?: { readonly query?: readonly string[]; readonly headers?: readonly string[]; readonly body?: 'json' | 'stream' },
];

/** @param lines by operation id. */
export function shapesOf(lines: Readonly<Record<string, WireLine>>): WireShapes {
  return Object.fromEntries(
    Object.entries(lines).map(([operationId, [method, path, kind, { query, headers, body } = {}]]) => [
      operationId,
      {
        operationId,
        method,
        path,
        ...(query ? { query: named(query) } : {}),
        ...(headers ? { headers: named(headers) } : {}),
        ...(body === undefined ? {} : { body }),
        result: { kind },
      },
    ]),
  );
}

/** The inverse of {@link shapesOf}. */
export function linesOf(shapes: WireShapes): Record<string, WireLine> {
  return Object.fromEntries(
    Object.entries(shapes).map(
      ([
        operationId,
        {
          method,
          path,
          query = {},
          headers = {},
          body,
          result: { kind },
        },
      ]) => {
        const more = {
          ...(Object.keys(query).length > 0 ? { query: Object.keys(query) } : {}),
          ...(Object.keys(headers).length > 0 ? { headers: Object.keys(headers) } : {}),
          ...(body === undefined ? {} : { body: body === 'stream' ? ('stream' as const) : ('json' as const) }),
        };
        return [operationId, Object.keys(more).length > 0 ? [method, path, kind, more] : [method, path, kind]];
      },
    ),
  );
}

function named(names: readonly string[]): Record<string, true> {
  return Object.fromEntries(names.map(name => [name, true]));
}
