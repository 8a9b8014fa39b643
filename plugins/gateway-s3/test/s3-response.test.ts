/** Answers that take long. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { parseTarget } from '../src/server/protocol/address.js';
import { S3Error } from '../src/server/protocol/errors.js';
import { element } from '../src/server/protocol/xml-writer.js';
import { S3Response } from '../src/server/s3-response.js';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { XmlElement } from '../src/server/protocol/xml-writer.js';

interface Outcome {
  readonly status: number;
  readonly text: string;
  readonly thrown: unknown;
}

/** What a client gets, and what the server sees, when `work` makes the document: at once, or when two spaces have come. */
async function ask(t: TestContext, when: 'at once' | 'after spaces', work: () => XmlElement): Promise<Outcome> {
  let thrown: unknown;
  let release = (): void => undefined;
  const released =
    when === 'at once'
      ? Promise.resolve()
      : new Promise<void>(resolve => {
          release = resolve;
        });
  const server = createServer(async (request, response) => {
    const answer = new S3Response(request, response, { region: 'r', paddingInterval: when === 'at once' ? 60_000 : 5 });
    answer.target = parseTarget('/repo/main/x', { known: false });
    try {
      await answer.xmlWhenReady(released.then(work));
    } catch (error) {
      thrown = error;
      if (!answer.begun) await answer.error(error as S3Error);
      assert.equal(answer.ended, true);
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  let text = '';
  for await (const piece of answer.body ?? []) {
    text += Buffer.from(piece as Uint8Array).toString();
    if (/\n {2,}$/.test(text)) release();
  }
  return { status: answer.status, text, thrown };
}

const fail = (): never => {
  throw new S3Error('InvalidPart');
};

test('spaces come until the document does', async t => {
  const { status, text } = await ask(t, 'after spaces', () => element('Done', 'x'));
  assert.equal(status, 200);
  assert.match(text, /^<\?xml version="1.0" encoding="UTF-8"\?>\n {2,}<Done>x<\/Done>$/);
});

test('an error that comes late stands in the document', async t => {
  const { status, text, thrown } = await ask(t, 'after spaces', fail);
  assert.equal(status, 200);
  assert.match(text, /^<\?xml [^>]*>\n +<Error><Code>InvalidPart<\/Code>.*<BucketName>repo<\/BucketName>/);
  assert.ok(thrown instanceof S3Error);
});

test('quick answers have their own status and no spaces', async t => {
  const good = await ask(t, 'at once', () => element('Done', 'x'));
  assert.deepEqual([good.status, good.text], [200, '<?xml version="1.0" encoding="UTF-8"?>\n<Done>x</Done>']);
  const bad = await ask(t, 'at once', fail);
  assert.equal(bad.status, 400);
  assert.match(bad.text, /<Code>InvalidPart<\/Code>/);
});
