/** CRC-64/NVME. A module of its own: its compiled code is loaded with it. */
import { createCRC64 } from 'hash-wasm';
import { sharing } from './shared-hasher.js';

/** The reflected polynomial. */
export const crc64nvme = sharing(await createCRC64('9a6c9329ac4bc9b5'));
