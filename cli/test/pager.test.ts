/** Long output and pagers that work, that are missing, and that fail. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { offer } from '../src/output/outlet.js';
import { pager } from '../src/shell/pager.js';

type Show = (output: NodeJS.WritableStream) => Promise<unknown>;

/** @returns what the terminal got without the pager. */
async function shownBy(program: string, show: Show): Promise<string> {
  const shown: Buffer[] = [];
  const write = (chunk: string | Uint8Array): boolean => shown.push(Buffer.from(chunk as Uint8Array)) > 0;
  const output = { isTTY: true, rows: 10, columns: 80, write };
  const env = { PATH: process.env['PATH'], CLI_PAGER: program };
  await pager({ env, output: output as never, lend: work => work() })(new AbortController().signal, show);
  return Buffer.concat(shown).toString();
}

const lines = (from: number, to: number): string => Array.from({ length: to - from }, (_, i) => `row ä ${from + i}\n`).join('');

for (const ending of ['exit 127', 'exit 126', 'exit 1'])
  test(`a pager that ends with "${ending}" after a while loses nothing`, async () => {
    const gate = join(scratchFolder(), 'gate');
    const shown = await shownBy(`while ! test -e '${gate}'; do :; done; exec 0<&-; ${ending}`, async output => {
      // In pieces that split characters.
      const bytes = Buffer.from(lines(0, 100));
      for (let at = 0; at < bytes.length; at += 7) assert.ok(await offer(output, bytes.subarray(at, at + 7)));
      writeFileSync(gate, '');
      for (let n = 100; n < 2000; n++) assert.ok(await offer(output, lines(n, n + 1)));
    });
    assert.equal(shown, lines(0, 2000));
  });

test('a pager that does not exist, cannot be run or does not know its options loses nothing', async () => {
  const file = join(scratchFolder(), 'pager');
  writeFileSync(file, '', { mode: 0o600 });
  for (const program of ['no-such-pager', file, 'cat --no-such-option']) {
    assert.equal(await shownBy(program, output => offer(output, lines(0, 2000))), lines(0, 2000), program);
    assert.equal(await shownBy(program, async output => void output.write(lines(0, 20))), lines(0, 20), program);
  }
});

test('output that the person has seen is not shown again, however the pager ends', async () => {
  for (const program of ['cat > /dev/null', 'head -n 20 > /dev/null', 'head -c 2000000 > /dev/null; exit 1', 'read line; kill -INT $$'])
    assert.equal(
      await shownBy(program, async output => {
        for (let n = 0; n < 200_000 && (await offer(output, lines(n, n + 100))); n += 100);
      }),
      '',
      program,
    );
});
