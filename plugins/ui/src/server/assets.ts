/** The built files of the page, each with its compressed forms, read once. */
import { createHash } from 'node:crypto';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { SrvError } from '@srv/kernel';

/** Own table: that of the operating system may say anything. */
const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
  json: 'application/json',
  map: 'application/json',
};

export type Encoding = 'br' | 'gzip' | 'identity';

export interface Asset {
  readonly type: string;
  readonly bodies: Readonly<Record<Encoding, Buffer>>;
}

/** A file of a plugin's page part. It may be large, so it is read when it is asked for, and not kept. */
export interface FileAsset {
  readonly type: string;
  readonly files: Readonly<Record<Encoding, { readonly path: string; readonly size: number }>>;
}

const compressedForm = /\.(?:br|gz)$/;

function none(error: NodeJS.ErrnoException): readonly string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** For what is made while the server runs. */
export async function compressed(body: Buffer): Promise<Asset['bodies']> {
  const [br, zipped] = await Promise.all([
    compressBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
    compressGzip(body),
  ]);
  return { identity: body, br, gzip: zipped };
}

export class Assets {
  readonly template: string;
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;
  readonly #added = new Map<string, Asset>();
  readonly #read = new Map<string, Promise<Asset>>();
  readonly #files = new Map<string, FileAsset>();

  private constructor(folder: string, template: string, names: ReadonlySet<string>) {
    this.#folder = folder;
    this.template = template;
    this.#names = names;
  }

  /** @throws SrvError `plugin` when the page has not been built. */
  static async open(folder: string): Promise<Assets> {
    try {
      const template = await readFile(join(folder, 'index.html'), 'utf8');
      return new Assets(folder, template, new Set(await readdir(join(folder, 'assets'))));
    } catch (error) {
      throw new SrvError('plugin', `the web page is not built: run "npm run build", or set ui.enabled to false (${folder})`, {
        cause: error,
      });
    }
  }

  /** Adds a file that is not part of the build. @returns its name, which changes with the content. */
  async add(name: string, extension: string, body: Buffer): Promise<string> {
    const hash = createHash('sha256').update(body).digest('base64url').slice(0, 10);
    const full = `${name}-${hash}.${extension}`;
    this.#added.set(full, { type: typeOf(full), bodies: await compressed(body) });
    return full;
  }

  /**
   * Adds the files of a folder, each as `<prefix>/<name>`; `name.br` and `name.gz` are its compressed forms.
   * A folder that does not exist has no files.
   */
  async addFolder(prefix: string, folder: string): Promise<void> {
    const names = new Set(await readdir(folder).catch(none));
    for (const name of names) {
      if (compressedForm.test(name)) continue;
      const form = async (extension: string): Promise<{ path: string; size: number }> => {
        const path = join(folder, names.has(name + extension) ? name + extension : name);
        return { path, size: (await stat(path)).size };
      };
      const [identity, br, gzip] = await Promise.all([form(''), form('.br'), form('.gz')]);
      const files = { identity, br, gzip };
      this.#files.set(`${prefix}/${name}`, { type: typeOf(name), files });
    }
  }

  findFile(name: string): FileAsset | undefined {
    return this.#files.get(name);
  }

  /** `undefined` for a name that is not there. */
  async find(name: string): Promise<Asset | undefined> {
    const added = this.#added.get(name);
    if (added || !this.#names.has(name) || compressedForm.test(name)) return added;
    let reading = this.#read.get(name);
    if (!reading) {
      reading = this.#readFile(name);
      reading.catch(() => this.#read.delete(name));
      this.#read.set(name, reading);
    }
    return reading;
  }

  async #readFile(name: string): Promise<Asset> {
    const file = join(this.#folder, 'assets', name);
    const identity = await readFile(file);
    const form = async (extension: string): Promise<Buffer> =>
      this.#names.has(`${name}.${extension}`) ? readFile(`${file}.${extension}`) : identity;
    return { type: typeOf(name), bodies: { identity, br: await form('br'), gzip: await form('gz') } };
  }
}

function typeOf(name: string): string {
  return types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}
