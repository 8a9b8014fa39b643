/** Rows of a table of the system schema, as lines of JSON. */

/** Characters that are written at once. */
const batchLength = 65_536;

/** @param count gets the bytes of each batch. */
export async function* linesOf(rows: AsyncIterable<object>, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  let batch = '';
  const flushed = (): Buffer => {
    const bytes = Buffer.from(batch);
    count(bytes.length);
    batch = '';
    return bytes;
  };
  for await (const row of rows) {
    batch += `${JSON.stringify(row)}\n`;
    if (batch.length >= batchLength) yield flushed();
  }
  yield flushed();
}
