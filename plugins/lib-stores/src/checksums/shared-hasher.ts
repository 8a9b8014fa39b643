/** Many digests on one piece of compiled code. */
import type { IHasher } from 'hash-wasm';
import type { RunningDigest } from './running-digest.js';

/** Every digest keeps its own state, of less than a kilobyte; they share the code. */
export function sharing(hasher: IHasher): () => RunningDigest {
  const beginning = hasher.init().save();
  return () => {
    let state = beginning;
    return {
      update(bytes) {
        hasher.load(state);
        state = hasher.update(bytes).save();
      },
      digest() {
        hasher.load(state);
        return Buffer.from(hasher.digest('binary'));
      },
    };
  };
}
