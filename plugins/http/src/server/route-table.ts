/** Finds the route of a path: by its number of segments, the more literal route first, as the framework does. */
import type { DirectRoute } from '../contract.js';

/** A literal segment, or the name of a parameter. */
type Segment = { readonly literal: string } | { readonly parameter: string };

interface Compiled {
  readonly route: DirectRoute;
  readonly segments: readonly Segment[];
  /** Sorts literal segments before parameters, from the left. */
  readonly order: string;
}

interface Match {
  readonly route: DirectRoute;
  readonly params: Readonly<Record<string, string>>;
}

export class RouteTable {
  /** Method and number of segments → routes in order of precedence. */
  readonly #routes = new Map<string, Compiled[]>();

  add(route: DirectRoute): void {
    const segments = route.path.split('/').map((text): Segment => {
      const parameter = /^\{(\w+)\}$/.exec(text)?.[1];
      return parameter === undefined ? { literal: text } : { parameter };
    });
    const order = segments.map(segment => ('literal' in segment ? '0' : '1')).join('');
    const key = keyOf(route.method, segments.length);
    const routes = [...(this.#routes.get(key) ?? []), { route, segments, order }];
    this.#routes.set(
      key,
      routes.sort((a, b) => (a.order < b.order ? -1 : 1)),
    );
  }

  /** @returns `undefined` when no route matches, or a parameter is empty or cannot be decoded. */
  find(method: string, path: string): Match | undefined {
    const given = path.split('/');
    for (const { route, segments } of this.#routes.get(keyOf(method, given.length)) ?? []) {
      if (!segments.every((segment, index) => !('literal' in segment) || segment.literal === given[index])) continue;
      const params = paramsOf(segments, given);
      return params && { route, params };
    }
    return undefined;
  }
}

function keyOf(method: string, segments: number): string {
  return `${method} ${segments}`;
}

function paramsOf(segments: readonly Segment[], given: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    if ('literal' in segment) continue;
    const value = given[index] ?? '';
    if (value === '') return undefined;
    try {
      params[segment.parameter] = value.includes('%') ? decodeURIComponent(value) : value;
    } catch {
      return undefined;
    }
  }
  return params;
}
