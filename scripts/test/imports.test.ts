import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf } from '../dependencies/imports.js';

const specifiers = (source: string): string[] => importsOf(source).map(({ specifier }) => specifier);

test('every form of import is found, with its line', () => {
  const source = [
    "import 'effect';",
    "import a from 'a';",
    "import type { B } from 'b';",
    "import * as c from 'c';",
    'import {\n  d,\n  e,\n} from "de";',
    "export * from 'f';",
    "export { g } from 'g';",
    "const h = await import('h');",
    'const i = await import(`i`);',
    "let j: import('j').J;",
    "import k from 'k' with { type: 'json' };",
  ].join('\n');
  assert.deepEqual(specifiers(source), ['effect', 'a', 'b', 'c', 'de', 'f', 'g', 'h', 'i', 'j', 'k']);
  assert.deepEqual(
    importsOf(source).map(({ line }) => line),
    [1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 14],
  );
});

test('ignores comments, strings, templates and regular expressions', () => {
  const source = [
    "// import 'a'",
    "/* import b from 'b' */",
    'const c = "import \'c\'";',
    `const d = \`import 'd' \${nested(\`import 'e' \${{ f: 1 }.f} import 'g'\`)} import 'h'\`;`,
    "const i = /import 'i'/.test(j) && x / 2 / import.meta.y;",
    'const k = /[`"\']/g;',
    "import 'last';",
  ].join('\n');
  assert.deepEqual(specifiers(source), ['last']);
});

test('ignores names and arguments that look like an import', () => {
  assert.deepEqual(
    specifiers("Array.from('a'); const from = 1; f(from, 'b'); x.import; x.import('y'); import.meta.resolve('c'); await import(name);"),
    [],
  );
});

test('an import inside a template expression is one', () => {
  assert.deepEqual(specifiers(`const t = \`\${await import('inside')}\`;`), ['inside']);
});

test('distinguishes imports of types alone from others', () => {
  const source = [
    "import type { A } from 'a';",
    "import { type B, c } from 'b';",
    "export type * from 'd';",
    "export { e } from 'e';",
    "let f: import('f').F;",
    "const g = await import('g');",
    "import 'h';",
  ].join('\n');
  assert.deepEqual(
    importsOf(source).map(({ specifier, typesOnly }) => [specifier, typesOnly]),
    [
      ['a', true],
      ['b', false],
      ['d', true],
      ['e', false],
      ['f', true],
      ['g', false],
      ['h', false],
    ],
  );
});
