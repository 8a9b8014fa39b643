/** Cryptographic hashes, in the form that all checksums here have. */
import { createHash } from 'node:crypto';
import type { RunningDigest } from './running-digest.js';

export type HashName = 'md5' | 'sha1' | 'sha256' | 'sha512';

export function startHash(name: HashName): RunningDigest {
  const hash = createHash(name);
  return { update: bytes => void hash.update(bytes), digest: () => hash.digest() };
}
