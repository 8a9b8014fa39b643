import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { GlobError, branchSyntax, parseGlob, wildcardSyntax } from '../src/names/glob.js';
import type { GlobSyntax } from '../src/names/glob.js';

const actionSyntax: GlobSyntax = { separator: '/', classes: '^' };

/** A pattern as a tree, from which both the text of the pattern and a naive matcher are made. */
type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'star' | 'globstar' | 'folders' | 'one' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly members: readonly string[] }
  | { readonly kind: 'either'; readonly nodes: readonly (readonly Node[])[] };

const textOf = (nodes: readonly Node[]): string =>
  nodes
    .map(node => {
      if (node.kind === 'text') return node.text.replaceAll(/[\\*?[{},]/g, String.raw`\$&`);
      if (node.kind === 'class') return `[${node.negated ? '^' : ''}${node.members.join('')}]`;
      if (node.kind === 'either') return `{${node.nodes.map(textOf).join(',')}}`;
      return { star: '*', globstar: '**', folders: '**/', one: '?' }[node.kind];
    })
    .join('');

/** Tries everything: `rest` receives each end that the nodes can have. */
function naive(nodes: readonly Node[], text: readonly string[], at: number, rest: (at: number) => boolean): boolean {
  const [node, ...others] = nodes;
  if (node === undefined) return rest(at);
  const after = (end: number): boolean => naive(others, text, end, rest);
  const run = (stops: boolean, from: number): boolean =>
    after(from) || (from < text.length && !(stops && text[from] === '/') && run(stops, from + 1));
  const character = text[at];
  if (node.kind === 'star') return run(true, at);
  if (node.kind === 'globstar') return run(false, at);
  if (node.kind === 'folders') return after(at) || text.some((c, i) => i >= at && c === '/' && after(i + 1));
  if (node.kind === 'either') return node.nodes.some(inner => naive(inner, text, at, after));
  if (character === undefined) return false;
  if (node.kind === 'class') return node.members.includes(character) !== node.negated && after(at + 1);
  if (node.kind === 'text') return node.text === character && after(at + 1);
  return character !== '/' && after(at + 1);
}

const letter = fc.constantFrom('a', 'b', '/', '😀', '*', '[', '\\');
const simple: fc.Arbitrary<Node> = fc.oneof(
  letter.map((text): Node => ({ kind: 'text', text })),
  fc.constantFrom<Node>({ kind: 'star' }, { kind: 'globstar' }, { kind: 'folders' }, { kind: 'one' }),
  fc
    .record({ negated: fc.boolean(), members: fc.array(fc.constantFrom('a', 'b', '😀', '.'), { minLength: 1, maxLength: 3 }) })
    .map((parts): Node => ({ kind: 'class', ...parts })),
);
const nodes = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: simple },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.array(simple, { maxLength: 3 }), { minLength: 1, maxLength: 3 })
        .map((alternatives): Node => ({ kind: 'either', nodes: alternatives })),
    },
  ),
  { maxLength: 7 },
);
const text = fc.array(letter, { maxLength: 9 });

/** Whether the pattern says what the tree says: adjacent stars would be one token. */
function isFaithful(tree: readonly Node[]): boolean {
  const flat = tree.flatMap(node => (node.kind === 'either' ? node.nodes : [[node]])).concat([tree]);
  return flat.every(list =>
    list.every((node, i) => {
      const next = list[i + 1];
      const startsWithStar = next !== undefined && ['star', 'globstar', 'folders'].includes(next.kind);
      if (node.kind === 'star' && startsWithStar) return false;
      if (node.kind === 'globstar') return !startsWithStar && !(next?.kind === 'text' && next.text === '/');
      return true;
    }),
  );
}

describe('globs', () => {
  it('match what a naive matcher matches', () => {
    const syntax: GlobSyntax = { separator: '/', globstar: true, classes: '^', braces: true };
    fc.assert(
      fc.property(nodes.filter(isFaithful), text, (tree, characters) => {
        const pattern = textOf(tree);
        const expected = naive(tree, characters, 0, at => at === characters.length);
        assert.equal(parseGlob(pattern, syntax).matches(characters.join('')), expected, pattern);
      }),
      { numRuns: 5000 },
    );
  });

  it('cost at most the length of the pattern times the length of the text', () => {
    const hostile = fc.array(fc.constantFrom('*', '**', '**/', 'a', '?', '[ab]', '{a,*}', '{*a,*aa}', '/'), { maxLength: 200 });
    for (const separator of [undefined, '/']) {
      fc.assert(
        fc.property(hostile, fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 300 }), (parts, characters) => {
          const pattern = parts.join('');
          const { steps } = parseGlob(pattern, { classes: '^', braces: true, globstar: true, ...(separator && { separator }) }).match(
            characters.join(''),
          );
          assert.ok(steps <= (pattern.length + 2) * (characters.length + 1), `${steps} steps for ${pattern}`);
        }),
      );
    }
    const { matches, steps } = parseGlob('*a*a*a*a*a*ab', branchSyntax).match('a'.repeat(196));
    assert.equal(matches, false);
    assert.ok(steps < 14 * 197, `${steps} steps`);
  });

  it('of branches: stars, classes, alternatives and escapes', () => {
    const table: readonly (readonly [pattern: string, matching: readonly string[], others: readonly string[]])[] = [
      ['main', ['main'], ['mai', 'main2', '']],
      ['*', ['', 'a', 'a/b', '.a'], []],
      ['**', ['', 'a/b'], []],
      ['release-?', ['release-1', 'release-é'], ['release-', 'release-10']],
      ['v[0-9]', ['v0', 'v9'], ['va']],
      ['v[!0-9]', ['va'], ['v0', 'v']],
      ['v[^0-9]', ['va'], ['v0']],
      ['[]a-]', [']', 'a', '-'], ['b']],
      ['{dev,stable*,x{1,2}}_a', ['dev_a', 'stable-1_a', 'x2_a'], ['x_a', '_a']],
      ['{a,}b', ['ab', 'b'], ['a']],
      [String.raw`\*\{`, ['*{'], ['a{']],
      ['a.b+(c)|$^', ['a.b+(c)|$^'], ['aab+(c)|$^']],
      ['a}b,c', ['a}b,c'], []],
    ];
    for (const [pattern, matching, others] of table) {
      const glob = parseGlob(pattern, branchSyntax);
      for (const name of matching) assert.ok(glob.matches(name), `${pattern} matches ${name}`);
      for (const name of others) assert.ok(!glob.matches(name), `${pattern} does not match ${name}`);
    }
  });

  it('of actions: nothing but a class matches the separator, braces are text', () => {
    const glob = parseGlob('{a*}', actionSyntax);
    assert.deepEqual([glob.matches('{ab}'), glob.matches('{a/b}'), glob.matches('ab')], [true, false, false]);
    assert.ok(parseGlob('[!a]', actionSyntax).matches('!'));
    assert.ok(!parseGlob('a**b', actionSyntax).matches('a/x/b'));
    assert.ok(parseGlob('a**b', { separator: '/', globstar: true }).matches('a/x/b'));
  });

  it('literal parts match themselves only', () => {
    const glob = parseGlob(['user/', { literal: 'a*?' }, '/*'], wildcardSyntax);
    assert.deepEqual([glob.matches('user/a*?/x/y'), glob.matches('user/abc/x')], [true, false]);
  });

  it('know whether a text with this beginning matches', () => {
    const glob = parseGlob('a/*/c?', branchSyntax);
    assert.deepEqual(
      ['', 'a', 'a/', 'a/x/c', 'a/x/cd', 'b', 'a-'].map(prefix => glob.continues(prefix)),
      [true, true, true, true, true, false, false],
    );
    assert.ok(!parseGlob('a?', branchSyntax).continues('abc'));
  });

  it('that do not parse say why', () => {
    const refused = (pattern: string, message: RegExp): void =>
      assert.throws(
        () => parseGlob(pattern, branchSyntax),
        error => error instanceof GlobError && message.test(error.message),
      );
    refused('[a', /\[ is not closed/);
    refused('[', /\[ is not closed/);
    refused('a\\', /nothing follows/);
    refused('{a,b', /\{ is not closed/);
    refused('*'.repeat(5000), /longer than 4096/);
    assert.throws(() => parseGlob('[a-]', actionSyntax), /- needs a \\/);
  });
});
