/** POSIX permissions of files, kept in the metadata of their objects. */

export const permissionsKey = '::lakefs::posix-permissions';
export const clientMtimeKey = '::lakefs::client-mtime';

export interface Permissions {
  /** `st_mode`, type bits included. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

export interface PosixMode {
  readonly enabled: boolean;
  readonly uid: boolean;
  readonly gid: boolean;
}

const limit = 2 ** 32 - 1;
const isId = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= limit;

/** What the metadata says; `undefined` if it cannot be parsed. */
export function readPermissions(metadata: Readonly<Record<string, string>> | undefined): Permissions | undefined {
  const text = metadata?.[permissionsKey];
  if (text === undefined) return undefined;
  try {
    const { Mode: mode, UID: uid, GID: gid } = JSON.parse(text) as Record<string, unknown>;
    return isId(mode) && isId(uid) && isId(gid) ? { mode, uid, gid } : undefined;
  } catch {
    return undefined;
  }
}

export function formatPermissions({ mode, uid, gid }: Permissions): string {
  return JSON.stringify({ UID: uid, GID: gid, Mode: mode });
}

/** What a new file or folder of this process gets. */
export function defaultPermissions(folder: boolean): Permissions {
  const mask = process.umask();
  return {
    mode: folder ? 0o040000 | (0o777 & ~mask) : 0o100000 | (0o666 & ~mask),
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
  };
}

/** Whether they agree in what the configuration asks for. */
export function samePermissions(a: Permissions, b: Permissions, { uid, gid }: PosixMode): boolean {
  return a.mode === b.mode && (!uid || a.uid === b.uid) && (!gid || a.gid === b.gid);
}

/** Unix seconds when the file was last changed where it came from. */
export function clientMtime(metadata: Readonly<Record<string, string>> | undefined): number | undefined {
  const text = metadata?.[clientMtimeKey];
  return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
}
