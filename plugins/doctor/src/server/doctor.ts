/** `srv doctor`: examines an installation on the server's own machine, while no server runs on an embedded database. */

import { examineConfiguration } from './configuration.js';
import { examineDatabase } from './database.js';
import { findingsText } from './finding.js';
import { examineMail } from './mail.js';
import { examineObjects } from './objects.js';
import { examineBlockStoreAlone, examineServices } from './running.js';
import type { CommandInput, ServerCommand, ServerCommandContext } from '@srv/lib-commands';
import type { Finding } from './finding.js';

export const doctor: ServerCommand = {
  name: 'doctor',
  summary: 'Check configuration, database, block store, users and mail, and say how to fix what is wrong',
  description:
    'Tests what servers rely on with records and objects of its own, which it removes afterwards. The exit code is 1 if a check failed; warnings do not count.',
  options: [
    { name: 'namespace', type: 'texts', description: 'storage namespace to try, in addition to those of repositories; may be repeated' },
    { name: 'all-objects', type: 'bool', description: 'look at every object of the default branches, not only at the first 1,000 of each' },
    { name: 'mail-to', type: 'string', description: 'send a test message to this address' },
    { name: 'output', short: 'o', type: 'string', choices: ['table', 'json'], default: 'table', description: 'output format' },
  ],
  async run(context, input) {
    const findings = await examine(context, input);
    context.print(input.options['output'] === 'json' ? JSON.stringify(findings, null, 2) : findingsText(findings));
    return findings.some(({ verdict }) => verdict === 'failed') ? 1 : 0;
  },
};

/** Objects of a branch that are looked at without being asked for. */
const usualObjects = 1000;

/** Checks that depend on a known fault are skipped: each fault is reported once, where it is. */
async function examine(context: ServerCommandContext, { options }: CommandInput): Promise<readonly Finding[]> {
  const { findings: configuration, kernel } = await examineConfiguration(context);
  if (!kernel) return configuration.list;
  try {
    const database = await examineDatabase(kernel);
    const namespaces = Array.isArray(options['namespace']) ? (options['namespace'] as readonly string[]) : [];
    const services = await (database.usable ? examineServices : examineBlockStoreAlone)(kernel, namespaces);
    const objects = database.usable ? await examineObjects(kernel, options['all-objects'] === true ? {} : { most: usualObjects }) : [];
    const mail = await examineMail(kernel, String(options['mail-to'] ?? ''));
    return [...configuration.list, ...database.findings.list, ...services, ...objects, ...mail.list];
  } finally {
    await kernel.stop().catch(() => undefined);
  }
}
