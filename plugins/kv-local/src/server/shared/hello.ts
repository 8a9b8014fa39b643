/** The first frames of a connection: the sibling names its group and itself, the owner says whether the group is its own. */

const version = 'srv kv-local 1';
const [welcome, refusal] = ['welcome', 'another group'];

/** @param sibling text that distinguishes this sibling from the others, the same for each of its connections. */
export function greeting(group: string, sibling: string): Buffer {
  return Buffer.from(JSON.stringify([version, group, sibling]));
}

/** The sibling that a greeting names; `undefined` when it is of another group, or no greeting at all. */
export function siblingOf(payload: Buffer, group: string): string | undefined {
  try {
    const [itsVersion, itsGroup, sibling] = JSON.parse(payload.toString('utf8')) as unknown[];
    return itsVersion === version && itsGroup === group && typeof sibling === 'string' ? sibling : undefined;
  } catch {
    return undefined;
  }
}

export function answerTo(isOfGroup: boolean): Buffer {
  return Buffer.from(isOfGroup ? welcome : refusal);
}

export function isWelcome(payload: Buffer): boolean {
  return payload.toString('utf8') === welcome;
}
