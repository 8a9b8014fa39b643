/** Logins of users who get a new password, are deactivated or deleted, by a server that ends at any write. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startAuth } from './support/auth-server.js';
import { endingAtEachWrite } from './support/ending-store.js';
import { InterleavedStore } from './support/interleaved-store.js';
import type { Kernel } from '@srv/kernel';

const key = { accessKeyId: 'AKIAJENDED', secretAccessKey: 'a secret' };

/** A user who has logged in, at a server of the database. */
async function withSession(kernel: Kernel): Promise<string> {
  await kernel.services.get('accounts').createAccount({ username: 'ann', encryptedPassword: 'old' });
  await kernel.services.get('auth').createCredential('ann', key);
  return (await kernel.services.get('auth').issueToken('ann')).token;
}

const userOf = async (kernel: Kernel, token: string) =>
  (await kernel.services.get('identity').authenticate({ kind: 'token', token }))?.username;

for (const mode of ['none', 'internal'] as const)
  describe(`a server that ends in mode ${mode}`, () => {
    it('while it stores a new password leaves no session of the old one', async () => {
      let token = '';
      const seen = new Set<string | undefined>();
      await endingAtEachWrite(
        async kv => {
          const kernel = await startAuth(kv, mode);
          token = await withSession(kernel);
          return () => kernel.services.get('accounts').setPassword('ann', 'new');
        },
        async ({ kv, after }) => {
          const kernel = await startAuth(kv, mode);
          const password = (await kernel.services.get('accounts').findAccount('ann'))?.encryptedPassword;
          seen.add(password);
          if (password === 'new') assert.equal(await userOf(kernel, token), undefined, after);
        },
      );
      assert.deepEqual([...seen], ['old', 'new']);
    });

    it('while it deactivates a user leaves no session', async () => {
      let token = '';
      await endingAtEachWrite(
        async kv => {
          const kernel = await startAuth(kv, mode);
          token = await withSession(kernel);
          return () => kernel.services.get('provisioning').changeAccount('ann', { inactive: true });
        },
        async ({ kv, after }) => {
          const kernel = await startAuth(kv, mode);
          if (!(await kernel.services.get('auth').getUser('ann')).inactive) return;
          await kernel.services.get('provisioning').changeAccount('ann', { inactive: false });
          assert.equal(await userOf(kernel, token), undefined, after);
        },
      );
    });

    it('while it deletes a user leaves none who can log in', async () => {
      let token = '';
      let halfway = 0;
      await endingAtEachWrite(
        async kv => {
          const kernel = await startAuth(kv, mode);
          token = await withSession(kernel);
          return () => kernel.services.get('auth').deleteUser('ann');
        },
        async ({ kv, after }) => {
          const kernel = await startAuth(kv, mode);
          const [auth, accounts] = [kernel.services.get('auth'), kernel.services.get('accounts')];
          // A user who is being deleted gets no keys.
          const isKept = await auth.createCredential('ann').then(
            () => true,
            () => false,
          );
          if (isKept) return;
          halfway += (await accounts.findAccount('ann')) ? 1 : 0;
          assert.equal(await userOf(kernel, token), undefined, after);
          assert.equal(await kernel.services.get('identity').authenticate({ kind: 'basic', ...key }), undefined, after);
          await assert.rejects(auth.issueToken('ann'), { code: 'unauthenticated' }, after);
        },
      );
      assert.ok(halfway > 2, `${halfway} times halfway`);
    });
  });

it('a deletion that fails halfway leaves no user who can log in at the same server', async () => {
  const kv = new InterleavedStore();
  const kernel = await startAuth(kv);
  const auth = kernel.services.get('auth');
  await withSession(kernel);
  kv.before('delete', 'uCredentials/ann/', () => Promise.reject(new Error('the database is gone')));
  await assert.rejects(auth.deleteUser('ann'), /the database is gone/);
  await assert.rejects(auth.issueToken('ann'), { code: 'unauthenticated' });
  await auth.deleteUser('ann');
  await assert.rejects(auth.getUser('ann'), { code: 'not_found' });
});
