/** Files of a drop, with the folders they lie in. */

export interface NamedFile {
  /** With folders, relative to what was dropped. */
  readonly name: string;
  readonly file: File;
}

export function namedFiles(files: FileList | null): readonly NamedFile[] {
  return [...(files ?? [])].map(file => ({ name: file.webkitRelativePath || file.name, file }));
}

/** Must be called while the event is handled: the browser forgets the items afterwards. */
export async function filesOf(data: DataTransfer): Promise<readonly NamedFile[]> {
  const entries = [...data.items].flatMap(item => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return namedFiles(data.files);
  return (await Promise.all(entries.map(entry => below(entry, '')))).flat();
}

async function below(entry: FileSystemEntry, folder: string): Promise<readonly NamedFile[]> {
  const name = folder + entry.name;
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ name, file }];
  }
  if (!isFolder(entry)) return [];
  const reader = entry.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    // A folder is read in parts of a hundred.
    const part = await new Promise<readonly FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) break;
    found.push(...part);
  }
  return (await Promise.all(found.map(inner => below(inner, `${name}/`)))).flat();
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
