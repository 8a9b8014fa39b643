/** XXH64, and XXH3 of 64 and of 128 bits. A module of its own: its compiled code is loaded with it. */
import { createXXHash128, createXXHash3, createXXHash64 } from 'hash-wasm';
import { sharing } from './shared-hasher.js';

export const xxhash64 = sharing(await createXXHash64());
export const xxhash3 = sharing(await createXXHash3());
export const xxhash128 = sharing(await createXXHash128());
