import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { RunningFiles } from '../test-runner/running-files.js';
import type { TestFile } from '../test-runner/test-files.js';

const file = (source: string): TestFile => ({ source, compiled: `/${source}` });

test('names the files that run, and how long they have', () => {
  const running = new RunningFiles();
  try {
    const end = running.begin([file('a.test.ts')]);
    running.begin([file('b.test.ts'), file('c.test.ts')]);
    end();
    assert.match(running.report(performance.now() + 90_000), /^ {4}90\.\d s {2}b\.test\.ts c\.test\.ts\n$/);
  } finally {
    running.close();
  }
});

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`${signal} ends the run, which says what did not end`, async () => {
    const module = new URL('../test-runner/running-files.js', import.meta.url).href;
    const program = `import { RunningFiles } from ${JSON.stringify(module)};
      new RunningFiles().begin([{ source: 'hangs.test.ts', compiled: '/hangs.test.js' }]);
      setInterval(() => undefined, 1000);
      console.log('ready');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const printed = text(child.stdout);
    await once(child.stdout, 'readable');
    child.kill(signal);
    assert.deepEqual(await once(child, 'exit'), [1, null]);
    assert.match(await printed, new RegExp(`^ready\n\n${signal}\\. Running at that time:\n {4}[\\d.]+ s {2}hangs\\.test\\.ts\n$`));
  });
