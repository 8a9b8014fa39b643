/** Conformance suites end, and fail, when a store does not answer. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { repositoryRoot, temporaryFolder } from '../programs.js';

const suites = {
  testKvStore: { module: 'plugins/lib-stores/dist/src/testing/index.js', opened: '{ store, cleanup: async () => {} }' },
  testBlockStore: {
    module: 'plugins/lib-stores/dist/src/testing/index.js',
    opened: "{ store, namespace: 'hang://suite', cleanup: async () => {} }",
  },
};

for (const [suite, { module, opened }] of Object.entries(suites)) {
  it(`${suite} has a time limit`, t => {
    const file = join(temporaryFolder(t), 'hanging.test.mjs');
    writeFileSync(
      file,
      `import { ${suite} } from ${JSON.stringify(pathToFileURL(join(repositoryRoot, module)).href)};
       const never = () => new Promise(() => {});
       const facts = { type: 'hang', isShared: false, info: {}, close: async () => {} };
       const store = new Proxy(facts, { get: (known, name) => known[name] ?? never });
       // Nothing keeps the process of a store like this alive.
       setTimeout(() => {}, 5_000);
       ${suite}('hanging', async () => (${opened}), { timeout: 500 });`,
    );
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', file], {
      encoding: 'utf8',
      env,
    });
    assert.equal(status, 1, stdout);
    assert.match(stdout, /timed out after 500ms/);
  });
}
