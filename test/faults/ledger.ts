/** What a branch may contain, as far as requests and answers show. */
import assert from 'node:assert/strict';

/** `undefined`: there is no such object. */
type Content = string | undefined;

/** Path → content. */
export type Objects = ReadonlyMap<string, string>;

export class Ledger {
  /** Contents each path may have; one when every request about it was answered. */
  readonly #possible = new Map<string, ReadonlySet<Content>>();

  /** A request that gives `path` this content is on its way: from now on the path has the old or the new one. */
  asked(path: string, content: Content): void {
    this.#possible.set(path, new Set([...this.#of(path), content]));
  }

  /** The server acknowledged the request. */
  acknowledged(path: string, content: Content): void {
    this.#possible.set(path, new Set([content]));
  }

  /** What was seen now holds for good. @throws AssertionError for an acknowledged object that is gone or other than it may be. */
  saw(objects: Objects): void {
    for (const path of new Set([...this.#possible.keys(), ...objects.keys()])) {
      const content = objects.get(path);
      assert.ok(
        this.#of(path).has(content),
        `${path} holds ${shown(content)}, but may hold only ${[...this.#of(path)].map(shown).join(' or ')}`,
      );
      this.acknowledged(path, content);
    }
  }

  /** The objects, when nothing is in doubt. */
  certain(): Objects {
    const objects = new Map<string, string>();
    for (const [path, contents] of this.#possible) {
      assert.equal(contents.size, 1, `${path} is in doubt`);
      const [content] = contents;
      if (content !== undefined) objects.set(path, content);
    }
    return objects;
  }

  #of(path: string): ReadonlySet<Content> {
    return this.#possible.get(path) ?? new Set([undefined]);
  }
}

function shown(content: Content): string {
  return content === undefined ? 'nothing' : JSON.stringify(content.slice(0, 40));
}
