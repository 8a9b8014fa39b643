/** Running state of a checksum; `digest` gives its big-endian bytes. */
export interface RunningDigest {
  update(bytes: Buffer): void;
  digest(): Buffer;
}
