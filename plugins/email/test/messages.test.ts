import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withPage } from '../src/server/messages.js';

it('a message about a page ends with its address, as users reach the server', () => {
  const message = { to: ['a@example.com'], subject: 's', text: 'Look.\n' };
  assert.deepEqual(withPage(message, 'https://srv.example/'), message);
  const page = '/repositories/lakes/pulls/a%20b';
  assert.deepEqual(withPage({ ...message, page }, 'https://srv.example/below/?x#y'), {
    ...message,
    text: 'Look.\n\nhttps://srv.example/below/repositories/lakes/pulls/a%20b\n',
  });
});
