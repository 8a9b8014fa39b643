/** Examines the key-value store: what servers rely on, tried with records of its own. */
import { randomUUID } from 'node:crypto';
import { absent, isSrvError, kernelConfig, messageOf, openConfigured } from '@srv/kernel';
import { Findings } from './finding.js';
import { Latency } from './latency.js';
import type { Kernel, KvStore } from '@srv/kernel';

const partition = 'doctor';
const rounds = 5;
/** Milliseconds that one step may take without remark. */
const slow = 100;

const schema = { partition: 'kv-internal-metadata', key: Buffer.from('kv/schema/version') };

interface DatabaseReport {
  readonly findings: Findings;
  /** Whether the installation has been set up, in a schema that this release reads. */
  readonly usable: boolean;
}

export async function examineDatabase(kernel: Kernel): Promise<DatabaseReport> {
  const findings = new Findings('database');
  let kv: KvStore;
  try {
    kv = await openStrictly(kernel);
  } catch (error) {
    if (isSrvError(error, 'unavailable') && error.message.includes('in use by another process')) {
      findings.skipped(messageOf(error), 'A running server has it open: ask that one with "cli doctor", or stop it first.');
      return { findings, usable: false };
    }
    const remedy = isSrvError(error, 'corrupt')
      ? '"srv kv repair" says what can still be read, and changes nothing. A server that starts meanwhile drops what it cannot read.'
      : 'Correct section database of the configuration, or start the database.';
    findings.fail(messageOf(error), remedy);
    return { findings, usable: false };
  }
  try {
    await examineRecords(kv, findings);
    return { findings, usable: !findings.failed && (await examineSchema(kv, kernel, findings)) };
  } catch (error) {
    findings.fail(messageOf(error), 'The database was reached and then failed: look at its log.');
    return { findings, usable: false };
  } finally {
    await kv.close();
  }
}

/**
 * Opens the store as `srv run --strict` does, if its plugin has a key `strict`: an examination must not drop the records that
 * cannot be read, and must report those that an earlier start dropped.
 */
function openStrictly({ config, hooks }: Kernel): Promise<KvStore> {
  const type = config.values(kernelConfig.keys)['database.type'].toLowerCase();
  const strict = config.with({ [`database.${type}.strict`]: true }, 'srv doctor');
  return openConfigured('database.type', hooks.openKvStore, { config: strict, findDisabled: async () => undefined });
}

/** Writes, reads, compares and removes. */
async function examineRecords(kv: KvStore, findings: Findings): Promise<void> {
  const key = Buffer.from(`check/${randomUUID()}`);
  const latency = new Latency();
  try {
    for (let round = 0; round < rounds; round++) {
      const value = Buffer.from(String(round));
      await latency.of(kv.set(partition, key, value));
      const found = await latency.of(kv.get(partition, key));
      if (!found?.value.equals(value))
        return findings.fail(
          'a record that was written is not read back',
          'Servers need a database without replicas that lag behind: connect to its primary.',
        );
    }
    const stale = await kv.get(partition, key);
    await kv.set(partition, key, Buffer.from('changed'));
    const overwrote = stale && (await kv.setIf(partition, key, Buffer.from('lost'), stale.predicate));
    const doubled = await kv.setIf(partition, key, Buffer.from('lost'), absent);
    if (overwrote || doubled)
      return findings.fail(
        'a conditional write went through although the record had changed',
        'This database must not be used: concurrent changes would be lost.',
      );
  } catch (error) {
    const remedy = 'Allow the user of section database to read, write and delete records of its table.';
    return findings.fail(`records cannot be written: ${messageOf(error)}`, remedy);
  } finally {
    await kv.delete(partition, key).catch(() => undefined);
  }
  if (latency.median > slow)
    findings.warning(
      `${kv.type}: a step takes ${latency.text}`,
      `More than ${slow} ms makes every request slow: bring database and server closer together.`,
    );
  else findings.ok(`${kv.type}: reads, writes and conditions work, ${latency.text} each`);
}

/** @returns whether an installation is there that this release reads. */
async function examineSchema(kv: KvStore, { hooks }: Kernel, findings: Findings): Promise<boolean> {
  const stored = await kv.get(schema.partition, schema.key);
  if (!stored) {
    findings.skipped('the installation is not set up yet', 'Run "srv setup --user-name NAME", or start the server and open its page.');
    return false;
  }
  const judged = hooks.describeRecord.call(schema.partition, { key: schema.key, value: stored.value }) as
    | { readonly stored: string; readonly known: string; readonly state: string }
    | undefined;
  if (!judged) {
    findings.warning(`schema version ${stored.value.toString('utf8')} is not known to any plugin`, 'Enable the plugin auth.');
    return true;
  }
  if (judged.state === 'current') {
    findings.ok(`schema version ${judged.stored}`);
    return true;
  }
  const remedy = judged.state === 'incompatible' ? 'Use a newer release.' : 'Migrate it with the release that wrote it.';
  findings.fail(`schema version ${judged.stored}, this release reads ${judged.known}: ${judged.state}`, remedy);
  return false;
}
