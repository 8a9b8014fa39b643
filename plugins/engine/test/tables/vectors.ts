/** Golden tables and what they decode to. */
import { existsSync, readFileSync } from 'node:fs';

interface TableVector {
  readonly bytes: number;
  readonly id?: string;
  readonly records: number;
  readonly two_level_index: boolean;
  readonly data_blocks: number;
  readonly records_hex?: readonly (readonly [string, string])[];
  readonly id_metadata?: Readonly<Record<string, string>>;
  readonly estimated_size_bytes?: number;
  readonly user_properties_hex?: Readonly<Record<string, string>>;
}

interface Vectors {
  readonly files: Readonly<Record<string, TableVector>>;
  readonly values: readonly { identity_hex: string; data_hex: string; encoded_hex: string }[];
  readonly breaks: readonly {
    keys: number;
    min_range_size_bytes: number;
    max_range_size_bytes: number;
    range_raggedness_entries: number;
    ranges: readonly { id: string; min_key: string; max_key: string; count: number; estimated_size: number }[];
    metarange_id: string;
  }[];
  readonly snappy: readonly { input_hex: string; output_hex: string }[];
  readonly separator: readonly (readonly [string, string, string])[];
  readonly successor: readonly (readonly [string, string])[];
  readonly crc32c: readonly { data_hex: string; crc32c: string; masked: string }[];
  readonly fnv1a64: readonly { key: string; hash: string; mod_50000: number }[];
  readonly ident: readonly { what: string; input: Record<string, unknown>; id: string }[];
}

const own = new URL('../../../test/tables/vectors/', import.meta.url);
const shared = new URL('../../../../../../shared/vectors/sst/', import.meta.url);

export const vectors = JSON.parse(readFileSync(new URL('vectors.json', own), 'utf8')) as Vectors;

/** Bytes of a golden file; `undefined` when it comes from elsewhere and is not on this machine. */
export function goldenFile(name: string): Buffer | undefined {
  const file = new URL(name, name.startsWith('generated/') ? own : shared);
  return existsSync(file) ? readFileSync(file) : undefined;
}
