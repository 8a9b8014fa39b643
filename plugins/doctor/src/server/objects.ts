/** Examines whether the objects that repositories show are in the block store, with the bytes that their entries say. */
import { isSrvError, messageOf } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import { Findings } from './finding.js';
import type { Engine, Entry } from '@srv/engine/contract';
import type { Kernel } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';

interface ObjectsToExamine {
  /** Objects of each default branch, from the first; absent: all. */
  readonly most?: number;
}

interface Examined {
  readonly count: number;
  readonly faults: readonly Fault[];
}

/** An object that cannot be read as its entry says. */
interface Fault {
  readonly text: string;
  readonly remedy: string;
}

/** Objects asked for at a time, and faults that are listed. */
const together = 16;
const listedFaults = 20;
const lostRemedy =
  'Restore the objects from a backup, upload them again, or revert to a commit without them; reads of them fail until then.';
const forbiddenRemedy =
  'The block store may not read at a forbidden address, where the bytes may still be. If blockstore.local.path was moved, put a symbolic ' +
  'link to it at the old path and add the old path to blockstore.local.allowed_external_prefixes; otherwise allow the server to read there.';

export async function examineObjects(
  { services }: Kernel,
  { most = Infinity }: ObjectsToExamine,
): Promise<readonly Findings['list'][number][]> {
  const findings = new Findings('objects');
  const [engine, block] = [services.find('engine'), services.find('block')];
  if (!engine || !block) return [];
  try {
    for (let after = ''; ; ) {
      const { results, hasMore, nextOffset } = await engine.listRepositories({ after, amount: 1000 });
      for (const { id, defaultBranch, ...storage } of results) {
        const { count, faults } = await examineBranch(
          { engine, block, repository: id, branch: defaultBranch, namespace: namespaceOf(storage) },
          most,
        );
        const place = `srv://${id}/${defaultBranch}/`;
        const more = faults.length > listedFaults ? `\nand ${faults.length - listedFaults} more` : '';
        const listed = faults.slice(0, listedFaults).map(({ text }) => text);
        const remedies = new Set(faults.map(({ remedy }) => remedy));
        if (faults.length > 0) findings.fail(`${place}: ${listed.join('\n')}${more}`, [...remedies].join(' '));
        else findings.ok(`${place}: ${count === most ? `the first ${count} objects` : `all ${count} objects`} are there, with their sizes`);
      }
      if (!hasMore) break;
      after = nextOffset;
    }
  } catch (error) {
    findings.fail(`objects cannot be listed: ${messageOf(error)}`, 'The findings about database and block store may say why.');
  }
  return findings.list;
}

interface BranchToExamine {
  readonly engine: Engine;
  readonly block: BlockStore;
  readonly repository: string;
  readonly branch: string;
  readonly namespace: string;
}

async function examineBranch({ engine, block, repository, branch, namespace }: BranchToExamine, most: number): Promise<Examined> {
  const faults: Fault[] = [];
  let count = 0;
  for (let after = ''; count < most; ) {
    const page = await engine.list(repository, branch, { after, amount: Math.min(1000, most - count) }).catch((error: unknown) => {
      // A bare repository has no branch yet.
      if (isSrvError(error, 'not_found')) return { results: [], hasMore: false, nextOffset: '' };
      throw error;
    });
    const entries = page.results.flatMap(item => (item.kind === 'object' ? [item.entry] : []));
    for (let at = 0; at < entries.length; at += together) {
      const found = await Promise.all(entries.slice(at, at + together).map(entry => faultOf(block, namespace, entry)));
      faults.push(...found.filter(fault => fault !== undefined));
    }
    count += entries.length;
    if (!page.hasMore) break;
    after = page.nextOffset;
  }
  return { count, faults };
}

async function faultOf(block: BlockStore, namespace: string, { path, address, addressType, size }: Entry): Promise<Fault | undefined> {
  const lost = (text: string): Fault => ({ text, remedy: lostRemedy });
  try {
    const stored = await block.properties({ namespace, identifier: address, identifierType: addressType });
    return stored.size === size ? undefined : lost(`${path} should have ${size} bytes, its file has ${stored.size}`);
  } catch (error) {
    if (isSrvError(error, 'no_data', 'not_found')) return lost(`${path}: its file is missing`);
    const text = `${path}: ${messageOf(error)}`;
    return isSrvError(error, 'forbidden') ? { text, remedy: forbiddenRemedy } : lost(text);
  }
}
