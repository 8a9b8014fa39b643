/** Files of a drop, with the folders they lie in. */
import { messageOf } from '@srv/lib-page/page';

export interface NamedFile {
  /** With folders, relative to what was dropped. */
  readonly name: string;
  readonly file: File;
}

/** A file or folder that the browser cannot read. */
export interface UnreadEntry {
  /** As of a file. */
  readonly name: string;
  /** What the browser says. */
  readonly problem: string;
}

interface DroppedFiles {
  readonly files: readonly NamedFile[];
  readonly unread: readonly UnreadEntry[];
}

export function namedFiles(files: FileList | null): readonly NamedFile[] {
  return [...(files ?? [])].map(file => ({ name: file.webkitRelativePath || file.name, file }));
}

/**
 * Must be called while the event is handled: the browser forgets the items afterwards. What cannot be read does not keep
 * the other files back.
 */
export async function filesOf(data: DataTransfer): Promise<DroppedFiles> {
  const entries = [...data.items].flatMap(item => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return { files: namedFiles(data.files), unread: [] };
  const found = (await Promise.all(entries.map(entry => below(entry, '')))).flat();
  return { files: found.filter(isRead), unread: found.filter(isUnread) };
}

type Found = NamedFile | UnreadEntry;

async function below(entry: FileSystemEntry, folder: string): Promise<readonly Found[]> {
  const name = folder + entry.name;
  try {
    if (isFile(entry)) return [{ name, file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)) }];
    if (!isFolder(entry)) return [];
    const inner = await entriesOf(entry);
    return (await Promise.all(inner.map(each => below(each, `${name}/`)))).flat();
  } catch (error) {
    return [{ name, problem: messageOf(error) }];
  }
}

async function entriesOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    // A folder is read in parts of a hundred.
    const part = await new Promise<readonly FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return found;
    found.push(...part);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
const isRead = (found: Found): found is NamedFile => 'file' in found;
const isUnread = (found: Found): found is UnreadEntry => !isRead(found);
