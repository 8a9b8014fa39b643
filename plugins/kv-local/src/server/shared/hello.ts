/** The first frames of a connection: the peer names its group and itself, the owner says whether the group is its own. */

const version = 'srv kv-local 1';
const [welcome, refusal] = ['welcome', 'another group'];

/** @param peer text that distinguishes this peer from the others, the same for each of its connections. */
export function greeting(group: string, peer: string): Buffer {
  return Buffer.from(JSON.stringify([version, group, peer]));
}

/** The peer that a greeting names; `undefined` when it is of another group, or no greeting at all. */
export function peerOf(payload: Buffer, group: string): string | undefined {
  try {
    const [itsVersion, itsGroup, peer] = JSON.parse(payload.toString('utf8')) as unknown[];
    return itsVersion === version && itsGroup === group && typeof peer === 'string' ? peer : undefined;
  } catch {
    return undefined;
  }
}

export function answerTo(isOfGroup: boolean): Buffer {
  return Buffer.from(isOfGroup ? welcome : refusal);
}

export function isHandshakeValid(payload: Buffer): boolean {
  return payload.toString('utf8') === welcome;
}
