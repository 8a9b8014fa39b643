/** The commands, run against a whole server. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createClient } from '@srv/lib-api/client';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { startSrv } from '@srv/test-servers';
import { prApprove } from '../src/cli/approve.js';
import { prClose } from '../src/cli/close.js';
import { prComment } from '../src/cli/comment.js';
import { prCreate } from '../src/cli/create.js';
import { prList } from '../src/cli/list.js';
import { prMerge } from '../src/cli/merge.js';
import { prSettings } from '../src/cli/settings.js';
import { prShow } from '../src/cli/show.js';
import operations from '../src/operations/index.js';
import type {} from '@srv/auth/contract';
import type {} from '@srv/engine/contract';
import type { CommandContext, CommandInput } from '@srv/lib-commands';

const commands = [prCreate, prList, prShow, prComment, prApprove, prMerge, prClose, prSettings] as const;

it('opens, discusses, approves and merges a pull request by commands', async t => {
  const { url, kernel, key, stop } = await startSrv({ plugins: ['pulls', 'branch-protection'] });
  t.after(stop);
  const { services } = kernel;
  const [engine, auth] = [services.get('engine'), services.get('auth')];
  await engine.createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
  await engine.createBranch('lakes', 'dev', 'main');
  await engine.putObject('lakes', 'dev', 'a', Buffer.from('a'), {});
  await engine.commit('lakes', 'dev', { committer: 'admin', message: 'a' });
  await services.get('branchProtection').set('lakes', { main: ['commit', 'staging_write'] });
  await auth.createUser({ username: 'bob' });
  const as = (credentials: typeof key) => {
    const client = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...credentials });
    t.after(() => client.close());
    return (name: string, args: readonly string[], options: CommandInput['options'] = {}) =>
      runCommand(
        commands as never,
        fakeContext({}, { client: (async () => client) as unknown as CommandContext['client'] }),
        name,
        args,
        options,
      );
  };
  const [admin, bob] = [as(key), as(await auth.createCredential('bob'))];
  const repository = 'srv://lakes';
  assert.match(
    (await admin('pr settings', [repository], { approvals: ['main=1'], 'delete-source': true })).text,
    /^Source branch after a merge: deleted\nApprovals for main: 1$/,
  );
  await assert.rejects(admin('pr settings', [repository], { approvals: ['main=x'] }), /approvals of main: "x" is not a number from 1 on/);
  const { data } = await admin('pr create', [`${repository}/dev`, `${repository}/main`], { title: 'Add a' });
  const { id } = data as { id: string };
  const at = [repository, id];
  assert.match((await bob('pr list', [repository])).text, new RegExp(`${id}.*Add a.*admin.*dev.*main.*open`));
  const top = (await bob('pr comment', [...at, 'Why?'], { path: 'a', line: 1 })).data as { id: string };
  await assert.rejects(admin('pr comment', [...at, 'So.'], { resolve: true }), /--resolve needs --reply-to/);
  await admin('pr comment', [...at, 'So.'], { 'reply-to': top.id, resolve: true });
  await assert.rejects(admin('pr approve', at), /authors cannot approve their own/);
  await assert.rejects(admin('pr merge', at), /main needs 1 approvals of commit/);
  assert.match((await bob('pr approve', at)).text, /has 1 approvals, 1 needed/);
  assert.match((await bob('pr approve', at, { withdraw: true })).text, /has 0 approvals, 1 needed/);
  await bob('pr approve', at);
  const { text } = await admin('pr show', at);
  assert.match(text, /^Add a \(open\)\nadmin wants to merge dev into main\nApprovals: 1 \(bob\), 1 needed\n/);
  assert.match(text, new RegExp(`\n${top.id} bob on a:1 \\(resolved\\): Why\\?\n  [0-9a-v]{20} admin: So\\.$`));
  await admin('pr close', at);
  await admin('pr close', at, { reopen: true });
  assert.match((await admin('pr merge', at)).text, /^Merged as [0-9a-f]{64}$/);
  assert.match((await admin('pr show', at)).text, /\(merged\)/);
  await assert.rejects(engine.getBranch('lakes', 'dev'), /branch not found/);
  assert.match((await admin('pr settings', [repository], { 'clear-approvals': true })).text, /none needed/);
});
