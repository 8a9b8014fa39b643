/** Paths with nothing between two slashes, where an operation expects a parameter: programs that build addresses from empty names. */
import type { AnyOperation } from '@srv/lib-api';

type Segment = { readonly text: string } | { readonly parameter: string };

interface Template {
  readonly method: string;
  readonly segments: readonly Segment[];
}

export class EmptySegments {
  readonly #templates: readonly Template[];

  constructor(operations: readonly AnyOperation[]) {
    this.#templates = operations.map(({ method, path }) => ({ method, segments: path.split('/').map(segmentOf) }));
  }

  /**
   * The parameter that is missing; `undefined` when no operation has the path with names in place of its empty segments.
   * @param path below the base of the API, without a query.
   */
  missingParameter(method: string, path: string): string | undefined {
    const given = path.split('/');
    for (const template of this.#templates) {
      if (template.method !== method || template.segments.length !== given.length) continue;
      const missing = missingIn(template.segments, given);
      if (missing !== undefined) return missing;
    }
    return undefined;
  }
}

function segmentOf(text: string): Segment {
  return text.startsWith('{') ? { parameter: text.slice(1, -1) } : { text };
}

function missingIn(segments: readonly Segment[], given: readonly string[]): string | undefined {
  let missing: string | undefined;
  for (const [i, segment] of segments.entries()) {
    if ('text' in segment) {
      if (segment.text !== given[i]) return undefined;
    } else if (given[i] === '') missing ??= segment.parameter;
  }
  return missing;
}
