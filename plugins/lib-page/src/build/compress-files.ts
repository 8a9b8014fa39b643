/** Compressed forms of built files: the running server does not compress the page. */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const compressible = /\.(?:js|css|svg|wasm)$/;
/** Bytes from which on the strongest setting would take longer than a build may. */
const large = 2 ** 20;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Writes `name.br` and `name.gz` beside each file of the folder that compresses. */
export async function compressFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!compressible.test(name)) continue;
    const content = await readFile(join(folder, name));
    const quality = content.length > large ? 9 : constants.BROTLI_MAX_QUALITY;
    const [brotli, zipped] = await Promise.all([
      toBrotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
      toGzip(content, { level: content.length > large ? 6 : 9 }),
    ]);
    await writeFile(join(folder, `${name}.br`), brotli);
    await writeFile(join(folder, `${name}.gz`), zipped);
  }
}
