/** Policies with the fewest rights that a client needs below a prefix. */

/** `reader`: lists and reads. `writer`: also writes, and replaces and deletes what is there. */
export const roles = ['reader', 'writer'] as const;
export type Role = (typeof roles)[number];

/** Actions on the repository, and on the objects below the prefix. */
interface Needs {
  readonly repository: readonly string[];
  readonly objects: readonly string[];
}

const reading: Needs = { repository: ['fs:ListObjects'], objects: ['fs:ReadObject'] };
const writing: Needs = { repository: ['fs:ListObjects'], objects: ['fs:ReadObject', 'fs:WriteObject', 'fs:DeleteObject'] };

/** A test takes away each action, and the client fails. */
export const clientNeeds: Readonly<Record<string, Readonly<Record<Role, Needs>>>> = {
  any: { reader: reading, writer: writing },
  rclone: { reader: reading, writer: writing },
  // It asks for the bucket before it creates a folder.
  pyarrow: { reader: reading, writer: { ...writing, repository: ['fs:ListObjects', 'fs:ReadRepository'] } },
  // It replaces a file without asking for it.
  duckdb: { reader: reading, writer: { repository: [], objects: ['fs:WriteObject'] } },
  // Through S3A, which renames by copy and removal. It asks for the bucket only where fs.s3a.bucket.probe is set.
  spark: { reader: reading, writer: writing },
};

export interface TemplateStatement {
  readonly effect: 'allow';
  readonly action: readonly string[];
  readonly resource: string;
}

/** Rights on objects hold on every branch. @param prefix empty, or ends with a slash. */
export function templateOf(client: string, role: Role, repository: string, prefix: string): readonly TemplateStatement[] {
  const { repository: onRepository, objects } = (Object.hasOwn(clientNeeds, client) ? clientNeeds[client] : undefined)?.[role] ?? writing;
  const arn = `arn:lakefs:fs:::repository/${repository}`;
  return [
    ...(onRepository.length === 0 ? [] : [{ effect: 'allow' as const, action: onRepository, resource: arn }]),
    { effect: 'allow', action: objects, resource: `${arn}/object/${prefix}*` },
  ];
}
