/** Bodies of answers, no larger than any good one. */
const largest = 256 * 1024;

export async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > largest) throw new Error(`the response has more than ${largest} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
