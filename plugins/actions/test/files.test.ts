/** Action files: what is read, what is wrong with them, in the words clients know. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMet } from '../src/files/condition.js';
import { eventTypes } from '../src/files/event-types.js';
import { parseShellGlob } from '../src/files/glob.js';
import { parseActionFile } from '../src/files/parse.js';
import { startsBy } from '../src/files/selection.js';
import type { HookType } from '@srv/lib-api/hook-types';

const probe: HookType = {
  properties: {
    validate: value => ('url' in (value as object) ? { value } : { error: { message: "'url' must be supplied in properties" } }),
  },
  run: () => Promise.resolve(),
};
const hookTypes = (type: string) => (type === 'probe' ? probe : undefined);
const parse = (text: string) => parseActionFile(text, hookTypes);
const problems = (text: string): string[] => parse(text).problems.map(({ message }) => message);
const hook = '{ id: hook, type: probe, properties: { url: u } }';

describe('an action file', () => {
  it('is read with YAML 1.2: `on` is a key like others, scalars of texts stay as written', () => {
    const { action, name, events } = parse(
      `name: good one-1.0\ndescription: d\non:\n  pre-commit:\n    branches: [main, "release-*"]\n  post-merge:\nunknown: [1]\nhooks:\n  - id: ab\n    type: probe\n    if: true\n    description: d\n    properties: { url: u, n: 010, yes: yes }\n`,
    );
    assert.ok(action);
    assert.equal(name, 'good one-1.0');
    assert.deepEqual([...(events ?? [])], ['pre-commit', 'post-merge']);
    assert.equal(action.hooks[0]?.condition, 'true');
    assert.deepEqual(action.hooks[0]?.properties, { url: 'u', n: 10, yes: 'yes' });
    assert.equal(startsBy(action, { type: 'pre-commit', branch: 'release-1' }), true);
    assert.equal(startsBy(action, { type: 'pre-commit', branch: 'dev' }), false);
    assert.equal(startsBy(action, { type: 'post-merge', branch: 'dev' }), true);
    assert.equal(startsBy(action, { type: 'pre-merge', branch: 'main' }), false);
  });

  it('has one document, and needs no hooks', () => {
    const one = 'name: first\non: { pre-commit: }\n';
    for (const text of [one, `---\n${one}`, `${one}---\n`, `${one}---\n# no more\n...\n`])
      assert.deepEqual(parse(text).action?.hooks, [], text);
    const message = 'yaml: a file has one document; move what follows --- to another file';
    for (const text of [`${one}---\n${one}`, `${one}---\nname: [`, `${one}---\n---\n${one}`]) {
      const { action, events, problems: found } = parse(text);
      assert.deepEqual([action, events], [undefined, undefined], 'it may be about any event');
      assert.deepEqual(
        found.map(problem => problem.message),
        [message],
      );
    }
  });

  it('knows every event', () => {
    assert.equal(eventTypes.length, 24);
    for (const event of eventTypes) assert.deepEqual(problems(`name: aa\non:\n  ${event}:\n`), []);
  });

  it('proposes the event that was meant', () => {
    const remedies = (event: string) => parse(`name: aa\non: { ${event}: }`).problems.map(({ remedy }) => remedy.split(' events are')[0]);
    assert.deepEqual(remedies('pre_commit'), ['did you mean pre-commit?']);
    assert.deepEqual(remedies('post-created-branch'), ['did you mean post-create-branch?']);
    assert.match(remedies('upload')[0] ?? '', /^events are prepare-commit, /);
  });

  it('may name tags for events of tags', () => {
    const { action } = parse('name: aa\non: { pre-create-tag: { tags: ["v*"] } }');
    assert.ok(action);
    assert.equal(startsBy(action, { type: 'pre-create-tag', tag: 'v1' }), true);
    assert.equal(startsBy(action, { type: 'pre-create-tag', tag: 'x1' }), false);
  });

  it('says what is wrong in the order and words clients compare', () => {
    const on = 'on: { pre-commit: }';
    const named = `name: aa\n${on}\n`;
    const cases: readonly (readonly [text: string, ...messages: string[]])[] = [
      ['', "'name' is required: invalid action", "'on' is required: invalid action"],
      [`${on}\n`, "'name' is required: invalid action"],
      [`name: "a"\n${on}`, "'name' is invalid: invalid action"],
      [`name: "-a"\n${on}`, "'name' is invalid: invalid action"],
      ['name: aa', "'on' is required: invalid action"],
      ['name: aa\non: [pre-commit]', "'on' is required: invalid action"],
      ['name: aa\non: { pre-upload: }', "event 'pre-upload' is not supported: invalid action"],
      ['name: aa\non: { pre-create-tag: { branches: [main] } }', "'branches' is not supported in tag event types. invalid event parameter"],
      [`name: aa\non: { pre-commit: { branches: ["[a"] } }`, '"[a": syntax error in pattern: invalid action'],
      [`${named}hooks: [{ type: probe, properties: { url: u } }]`, 'hook[0] missing ID: invalid action'],
      [`${named}hooks: [{ id: a, type: probe, properties: { url: u } }]`, 'hook[0] missing ID: invalid action'],
      [`${named}hooks: [${hook}, ${hook}]`, "hook[1] duplicate ID 'hook': invalid action"],
      [`${named}hooks: [{ id: hook, type: other, properties: { url: u } }]`, "hook[0] type 'hook' unknown: invalid action"],
      [`${named}hooks: [{ id: hook, type: probe }]`, "hook[0] type 'probe': missing hook properties: invalid action"],
      [
        `${named}hooks: [{ id: hook, type: probe, properties: { a: b } }]`,
        "hook[0] type 'probe': 'url' must be supplied in properties: invalid action",
      ],
    ];
    for (const [text, ...messages] of cases) assert.deepEqual(problems(text), messages, text);
  });

  it('has all its problems found, with their lines and what to do', () => {
    const { problems: found } = parse(
      'name: "?"\non:\n  pre-commit:\n  sometimes:\nhooks:\n  - id: hook\n    type: other\n    properties: {a: b}\n',
    );
    assert.deepEqual(
      found.map(({ line }) => line),
      [1, 4, 7],
    );
    for (const { remedy } of found) assert.notEqual(remedy, '');
  });

  it('has types recommended that are offered, and says which plugin would offer another one', () => {
    const remedy = (type: string, ...offered: readonly string[]): string | undefined =>
      parseActionFile(`name: aa\non: { pre-commit: }\nhooks: [{ id: hook, type: ${type}, properties: { url: u } }]`, asked =>
        offered.includes(asked) ? probe : undefined,
      ).problems[0]?.remedy;
    assert.equal(
      remedy('lua', 'webhook', 'airflow'),
      '"lua" is not a type that an enabled plugin offers: enable the plugin hook-lua; offered: webhook, airflow',
    );
    assert.equal(remedy('shell', 'lua'), '"shell" is not a type that an enabled plugin offers; offered: lua');
    assert.equal(remedy('""', 'lua'), 'no type is given; offered: lua');
    assert.equal(remedy('shell'), '"shell" is not a type that an enabled plugin offers');
  });

  it('has ten problems described, and the number of the others', () => {
    const hooks = Array.from({ length: 500 }, () => '  - type: probe\n').join('');
    for (const [text, last] of [
      ['['.repeat(3000), /^and \d{3,4} more$/],
      [`name: aa\non: { pre-commit: }\nhooks:\n${hooks}`, /^and 490 more$/],
    ] as const) {
      const found = problems(text);
      assert.equal(found.length, 11);
      assert.match(found.at(-1) ?? '', last);
    }
  });

  it('may be any bytes', () => {
    for (const text of ['a: b\na: c', '\0', '[', '*x', 'a: &a [*a]', '- 1', 'x', `a: ${'['.repeat(1000)}`, '!!js/function x'])
      assert.ok(problems(text).length > 0, JSON.stringify(text));
    const bomb = `name: aa\non: { pre-commit: }\nx: &x [1,1,1,1,1,1,1,1,1]\ny: &y [*x,*x,*x,*x,*x,*x,*x,*x,*x]\nz: &z [*y,*y,*y,*y,*y,*y,*y,*y]\nhooks: [{ id: hook, type: probe, properties: { a: [*z,*z,*z,*z,*z] } }]`;
    assert.match(problems(bomb)[0] ?? '', /^yaml: /);
  });
});

it('patterns match as existing files rely on', () => {
  const cases: readonly (readonly [pattern: string, name: string, matches: boolean])[] = [
    ['main', 'main', true],
    ['main', 'Main', false],
    ['*', 'feature', true],
    ['*', 'feature/a', false],
    ['**', 'feature/a', false],
    ['feature-*', 'feature-a', true],
    ['feature-*', 'feature-', true],
    ['feature-*', 'feature-a/b', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['[a-c]x', 'bx', true],
    ['[^a-c]x', 'bx', false],
    ['[^a-c]x', 'dx', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['*a*b', 'xaxab', true],
    ['*a*b', 'xaxa', false],
    ['', '', true],
    ['?', 'é', true],
  ];
  for (const [pattern, name, matches] of cases) assert.equal(parseShellGlob(pattern).matches(name), matches, `${pattern} ${name}`);
  for (const pattern of ['[', '[]', '[a', '[a-', '[-a]', '\\', '[^]'])
    assert.throws(() => parseShellGlob(pattern), /syntax error in pattern/, pattern);
  assert.equal(parseShellGlob(`${'*a'.repeat(100)}b`).matches('a'.repeat(250)), false);
});

it('conditions evaluate, or say why not', () => {
  const [good, bad] = [{ failed: false }, { failed: true }];
  const cases: readonly (readonly [text: string, afterSuccess: boolean, afterFailure: boolean])[] = [
    ['', true, false],
    ['success()', true, false],
    ['failure()', false, true],
    ['true', true, true],
    ['always()', true, true],
    ['!failure() && true', true, false],
    ['not success() or false', false, true],
    ['success() ? 1 < 2 : "a" == \'a\'', true, true],
    ['(1 == 1.0) and nil == nil', true, true],
    ['unknown != nil', false, false],
    ['-1 < +2 || 1 > "x"', true, true],
    ['"a" < "b" && "a\\"" != "a"', true, true],
  ];
  for (const [text, afterSuccess, afterFailure] of cases)
    assert.deepEqual([isMet(text, good), isMet(text, bad)], [afterSuccess, afterFailure], text);
  const noBoolean = "hook 'if' expression should evaluate to a boolean";
  for (const text of ['nil', 'unknown', '1', '"true"', 'success']) assert.throws(() => isMet(text, good), { message: noBoolean }, text);
  for (const text of ['always(', 'cancelled()', '1 +', 'true true', '&&', '@', '1 < "a"', '!1', 'constructor()', '('.repeat(1000)])
    assert.throws(() => isMet(text, good), /^ConditionError: 'if' /, text);
});
