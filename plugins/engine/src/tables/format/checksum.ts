/** Masked CRC32C of stored blocks (format.md section 2.2). */
import { crc32cOf } from '@srv/lib-stores/crc32';

/** Rotates and shifts a checksum, so that checksums of data that holds checksums stay meaningful. */
export function mask(checksum: number): number {
  return (((checksum >>> 15) | (checksum << 17)) + 0xa282ead8) >>> 0;
}

/** Checksum as stored after a block: over payload and type byte. */
export function blockChecksum(payloadAndType: Uint8Array): number {
  return mask(crc32cOf(payloadAndType));
}
