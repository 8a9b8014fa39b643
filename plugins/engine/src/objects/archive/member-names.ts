/** Names of archive members: programs that unpack an archive must not be led out of the folder, or to a file twice. */

/** Names that mean devices on Windows, with any extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

export class MemberNames {
  /** In lower case, with the number that the next path of this name may get: searched for from 2 each time, many would take long. */
  readonly #given = new Map<string, number>();
  /** In lower case: a file would hide the members within. */
  readonly #folders = new Set<string>();

  /** Before names are given: the folders of a path are folders in the archive. */
  expect(path: string): void {
    const safe = safeName(path).toLowerCase();
    for (let at = safe.lastIndexOf('/'); at > 0 && !this.#folders.has(safe.slice(0, at)); at = safe.lastIndexOf('/', at - 1))
      this.#folders.add(safe.slice(0, at));
  }

  /** @param path of an object, relative to the folder that is downloaded. @returns a name that is safe, and new in this archive. */
  of(path: string): string {
    const safe = safeName(path);
    let n = this.#given.get(safe.toLowerCase()) ?? (this.#folders.has(safe.toLowerCase()) ? 2 : undefined);
    if (n === undefined) return this.#give(safe);
    let name: string;
    do name = numbered(safe, n++);
    while (this.#isTaken(name.toLowerCase()));
    this.#given.set(safe.toLowerCase(), n);
    return this.#give(name);
  }

  #isTaken(name: string): boolean {
    return this.#given.has(name) || this.#folders.has(name);
  }

  #give(name: string): string {
    this.#given.set(name.toLowerCase(), 2);
    return name;
  }
}

/** Folder by folder; a trailing slash stays: it makes a folder. */
function safeName(path: string): string {
  const isFolder = path.endsWith('/');
  const parts = (isFolder ? path.slice(0, -1) : path).split('/');
  return parts.map((part, i) => safePart(part, i === 0)).join('/') + (isFolder ? '/' : '');
}

function safePart(part: string, isFirst: boolean): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced
  const plain = part.replace(/[\x00-\x1f\x7f\\]/g, '_');
  // A scheme or a drive at the beginning would make it an address.
  const relative = isFirst ? plain.replace(/^([A-Za-z][A-Za-z0-9+.-]*):/, '$1_') : plain;
  if (relative === '') return '_';
  // Windows drops dots and blanks at the end: `.. ` is the folder above.
  const last = relative.at(-1);
  if (last === '.' || last === ' ') return relative.replace(/(?<![. ])[. ]+$/, dots => '_'.repeat(dots.length));
  return devices.test(relative) ? `_${relative}` : relative;
}

function numbered(name: string, n: number): string {
  const slash = name.endsWith('/') ? '/' : '';
  const bare = slash ? name.slice(0, -1) : name;
  const dot = bare.lastIndexOf('.');
  const at = dot > bare.lastIndexOf('/') + 1 ? dot : bare.length;
  return `${bare.slice(0, at)} (${n})${bare.slice(at)}${slash}`;
}
