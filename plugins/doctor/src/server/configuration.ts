/** Examines the configuration as a whole. */
import { isSrvError, key, messageOf } from '@srv/kernel';
import { Findings } from './finding.js';
import type {} from '@srv/config/contract';
import type { Kernel } from '@srv/kernel';
import type { ServerCommandContext } from '@srv/lib-commands';

/** Secrets that everybody knows. */
const wellKnown = ['THIS_MUST_BE_CHANGED_IN_PRODUCTION', 'OVERRIDE_THIS_SIGNING_SECRET_DEFAULT'];
const secrets = {
  'auth.encrypt.secret_key': key.text({ default: '', meaning: '' }),
  'blockstore.signing.secret_key': key.text({ default: '', meaning: '' }),
};

/** @returns a configured kernel; `undefined` when nothing else can be examined. */
export async function examineConfiguration(
  context: ServerCommandContext,
): Promise<{ readonly findings: Findings; readonly kernel: Kernel | undefined }> {
  const findings = new Findings('configuration');
  try {
    const kernel = await context.kernel({ prepare: false });
    const file = kernel.services.find('configOrigin')?.file;
    for (const note of kernel.config.notes) findings.warning(note, 'Correct the name, or take it out.');
    for (const [name, value] of Object.entries(kernel.config.values(secrets)))
      if (wellKnown.includes(value))
        findings.fail(
          `${name} is a value that everybody knows`,
          'Set a long random text; for auth.encrypt.secret_key before the first user is made.',
        );
    for (const { folder, reason } of kernel.broken)
      findings.warning(`the plugin in ${folder} is skipped: ${reason}`, 'Repair or remove it.');
    if (!findings.failed) findings.ok(file === undefined ? 'no file; variables and defaults only' : `read from ${file}`);
    return { findings, kernel };
  } catch (error) {
    const remedy = isSrvError(error, 'config', 'plugin')
      ? 'Correct what is named; "srv config reference" lists every key.'
      : 'This is a fault of the program: report it.';
    findings.fail(messageOf(error), remedy);
    return { findings, kernel: undefined };
  }
}
