/**
 * Sizes of the parts an object was uploaded in, kept in its metadata: `<size>*<count>` for every run of equal parts, joined
 * by plus signs, such as `5242880*9+123*1`.
 */
import type { Metadata } from '../protocol/metadata.js';

const key = 'X-Amz-Part-Sizes';
/** Characters of uploads with parts of many sizes; of longer ones they are not kept. */
const longest = 1024;

/** Metadata that keeps `sizes`. */
export function keepPartSizes(sizes: readonly number[]): Metadata {
  const runs: { size: number; count: number }[] = [];
  for (const size of sizes) {
    const last = runs.at(-1);
    if (last?.size === size) last.count++;
    else runs.push({ size, count: 1 });
  }
  const text = runs.map(({ size, count }) => `${size}*${count}`).join('+');
  return text === '' || text.length > longest ? {} : { [key]: text };
}

/** What {@link keepPartSizes} kept with an object; `undefined` when it is none of an object with that size and etag. */
export function keptPartSizes({
  metadata,
  size,
  etag,
}: {
  readonly metadata: Metadata;
  readonly size: number;
  readonly etag: string;
}): readonly number[] | undefined {
  const text = metadata[key];
  const count = Number(/-(\d{1,5})$/.exec(etag)?.[1] ?? 0);
  if (text === undefined || !/^\d{1,15}\*\d{1,5}(\+\d{1,15}\*\d{1,5})*$/.test(text)) return undefined;
  const runs = text.split('+').map(run => run.split('*').map(Number) as [number, number]);
  if (runs.reduce((sum, [, many]) => sum + many, 0) !== count) return undefined;
  const sizes = runs.flatMap(([each, many]) => Array<number>(many).fill(each));
  return sizes.reduce((sum, part) => sum + part, 0) === size ? sizes : undefined;
}

/** The entry of `metadata` that keeps them: it belongs to the content, whatever else is replaced. */
export function partSizesIn(metadata: Metadata): Metadata {
  const text = metadata[key];
  return text === undefined ? {} : { [key]: text };
}
