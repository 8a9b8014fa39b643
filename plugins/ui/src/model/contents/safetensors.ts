/** The header of safetensors: a length of 8 bytes, then JSON with a member for each tensor. */
import { parseJsonTree } from '@srv/lib-records/tables/json-tree';
import type { ByteSource } from '@srv/lib-records/tables/byte-source';
import type { JsonNode } from '@srv/lib-records/tables/json-tree';
import type { FileContents } from './contents-format.js';

const mostHeader = 100_000_000;

export async function readSafetensors(source: ByteSource): Promise<FileContents> {
  if (source.size < 8) throw new Error('this is not a file of safetensors');
  const length = Number(new DataView((await source.read(0, 8)).buffer).getBigUint64(0, true));
  if (length > mostHeader || length + 8 > source.size) throw new Error('the header of this file is damaged');
  const header = parseJsonTree(new TextDecoder().decode(await source.read(8, 8 + length)));
  if (header.kind !== 'object') throw new Error('the header of this file is damaged');
  const metadata = header.members.find(({ name }) => name === '__metadata__')?.value;
  const facts = metadata?.kind === 'object' ? metadata.members.map(({ name, value }) => [name, textOf(value)] as const) : [];
  const tensors = header.members.filter(({ name }) => name !== '__metadata__');
  const rows = tensors.map(({ name, value }) => {
    const of = (wanted: string): JsonNode | undefined =>
      value.kind === 'object' ? value.members.find(member => member.name === wanted)?.value : undefined;
    const [from, to] = numbersOf(of('data_offsets'));
    return [name, textOf(of('dtype')), `(${numbersOf(of('shape')).join(', ')})`, from === undefined || to === undefined ? null : to - from];
  });
  return { columns: ['tensor', 'type', 'shape', 'bytes'], rows, facts, isCut: false };
}

function textOf(node: JsonNode | undefined): string {
  if (node === undefined || !('source' in node)) return '';
  return node.kind === 'text' ? (JSON.parse(node.source) as string) : node.source;
}

function numbersOf(node: JsonNode | undefined): readonly number[] {
  return node?.kind === 'array' ? node.members.map(({ value }) => Number(textOf(value))) : [];
}
