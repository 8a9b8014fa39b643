/** Secrets that tests configure servers with: no log, and nothing else that is printed, may show one. */
const secrets = ['another secret for tests', 'a secret for tests', 'a password for tests', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'];

/** The line of `output` that shows a secret; `undefined` when none does. */
export function leakedSecret(output: string): string | undefined {
  return output.split('\n').find(line => secrets.some(secret => line.includes(secret)));
}
