/** The search for the metadata folder at start, with a storage that never answers. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { silentLogger } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { adoptInstallation } from '../../src/refs/adopted-installation.js';
import { instance, newRepository } from './fixture.js';
import { MemoryCommitted } from './memory-committed.js';

class SilentCommitted extends MemoryCommitted {
  folder: string | (() => Promise<string>) = this.prefix;
  isSilent = true;

  override useFolder(folder: string | (() => Promise<string>)): void {
    this.folder = folder;
  }

  override findFolder(): Promise<string> {
    return this.isSilent ? new Promise(() => undefined) : Promise.resolve('_lakefs');
  }
}

it('a storage that never answers does not hold up the start; its folder is decided when it is needed', async () => {
  const committed = new SilentCommitted();
  const { service, stop } = instance(new MemoryKvStore(), committed);
  await service.addRepository(newRepository());
  const options = { refs: service, committed, log: silentLogger, isConfigured: false, timeout: 20 };
  await adoptInstallation(options);
  const decide = committed.folder;
  assert.ok(typeof decide === 'function');
  await assert.rejects(decide(), { code: 'unavailable', message: /does not answer.*set committed\.block_storage_prefix/ });
  committed.isSilent = false;
  // The answer comes, however busy the machine is.
  options.timeout = 600_000;
  assert.equal(await decide(), '_lakefs');
  await stop();
});
