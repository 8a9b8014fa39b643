/** Stored messages of package `io.treeverse.lakefs.auth.model`. Field numbers are a contract with existing databases. */
import {
  ProtoWriter,
  compareBytes,
  dateOf,
  readMessage,
  readTimestamp,
  timestampOf,
  unknownFieldsOf,
  withUnknownFields,
} from '@srv/lib-records';
import type { ProtoMessage } from '@srv/lib-records';
import type { AclPermission, Conditions, Group, Policy, Statement } from '../../contract.js';

/** Field of every message, our addition: the deletion of the record has begun. */
export const deletionField = 101;
/** Which deletion it is; absent in marks of earlier versions. */
export const deletionIdField = 102;
/** When the last step of the deletion, the removal of the record, began. */
export const removalField = 103;
const ofDeletion = [deletionField, deletionIdField, removalField];
const knownOfUser = new Set([1, 2, 3, 4, 5, 6, 7, 100, ...ofDeletion]);
const knownOfGroup = new Set([1, 2, 3, ...ofDeletion]);
const knownOfPolicy = new Set([1, 2, 3, 4, ...ofDeletion]);

/** UserData. */
export interface UserRecord {
  readonly createdAt: Date;
  readonly username: string;
  readonly friendlyName: string;
  readonly email: string;
  readonly encryptedPassword: Buffer;
  readonly source: string;
  readonly externalId: string;
  /** Our addition, written for deactivated users only. */
  readonly inactive?: boolean | undefined;
}

/** CredentialData. */
export interface CredentialRecord {
  readonly accessKeyId: string;
  readonly sealedSecret: Buffer;
  readonly issuedAt: Date;
  readonly username: string;
}

export function encodeUser(user: UserRecord): Buffer {
  return new ProtoWriter()
    .timestamp(1, timestampOf(user.createdAt))
    .string(2, user.username)
    .string(3, user.friendlyName)
    .string(4, user.email)
    .bytes(5, user.encryptedPassword)
    .string(6, user.source)
    .string(7, user.externalId)
    .bool(100, user.inactive ?? false)
    .raw(unknownFieldsOf(user))
    .finish();
}

export function decodeUser(value: Buffer): UserRecord {
  const fields = parseMessage(value);
  const user = {
    createdAt: timeOf(fields.bytes(1)),
    username: fields.text(2),
    friendlyName: fields.text(3),
    email: fields.text(4),
    encryptedPassword: fields.bytes(5),
    source: fields.text(6),
    externalId: fields.text(7),
    ...(fields.int(100) === 0 ? {} : { inactive: true }),
  };
  return withUnknownFields(user, value, knownOfUser);
}

/** GroupData. */
export function encodeGroup(group: Group): Buffer {
  const { id, description, createdAt } = group;
  return new ProtoWriter()
    .timestamp(1, timestampOf(createdAt))
    .string(2, id)
    .string(3, description ?? '')
    .raw(unknownFieldsOf(group))
    .finish();
}

export function decodeGroup(value: Buffer): Group {
  const fields = parseMessage(value);
  const description = fields.text(3);
  const group = { id: fields.text(2), createdAt: timeOf(fields.bytes(1)), ...(description === '' ? {} : { description }) };
  return withUnknownFields(group, value, knownOfGroup);
}

export function encodeCredential({ accessKeyId, sealedSecret, issuedAt, username }: CredentialRecord): Buffer {
  return new ProtoWriter().string(1, accessKeyId).bytes(2, sealedSecret).timestamp(3, timestampOf(issuedAt)).string(4, username).finish();
}

export function decodeCredential(value: Buffer): CredentialRecord {
  const fields = parseMessage(value);
  return { accessKeyId: fields.text(1), sealedSecret: fields.bytes(2), issuedAt: timeOf(fields.bytes(3)), username: fields.text(4) };
}

/** PolicyData. */
export function encodePolicy(policy: Policy): Buffer {
  const { id, createdAt, statement, acl } = policy;
  const writer = new ProtoWriter().timestamp(1, timestampOf(createdAt)).string(2, id);
  for (const item of statement) writer.message(3, encodeStatement(item));
  if (acl !== undefined) writer.message(4, new ProtoWriter().string(1, acl).finish());
  return writer.raw(unknownFieldsOf(policy)).finish();
}

export function decodePolicy(value: Buffer): Policy {
  const fields = parseMessage(value);
  const [acl] = fields.all(4);
  const permission = acl === undefined ? '' : parseMessage(acl).text(1);
  const policy = {
    id: fields.text(2),
    createdAt: timeOf(fields.bytes(1)),
    statement: fields.all(3).map(decodeStatement),
    ...(permission === '' ? {} : { acl: permission as AclPermission }),
  };
  return withUnknownFields(policy, value, knownOfPolicy);
}

/** TokenData: a token that was used up. */
interface UsedToken {
  readonly id: string;
  readonly expiresAt: Date;
}

export function encodeUsedToken({ id, expiresAt }: UsedToken): Buffer {
  return new ProtoWriter().string(1, id).timestamp(2, timestampOf(expiresAt)).finish();
}

export function decodeUsedToken(value: Buffer): UsedToken {
  const fields = parseMessage(value);
  return { id: fields.text(1), expiresAt: timeOf(fields.bytes(2)) };
}

/** SecondaryIndex: the key an index entry points to. */
export function encodeIndex(primaryKey: string): Buffer {
  return new ProtoWriter().string(1, primaryKey).finish();
}

export function decodeIndex(value: Buffer): string {
  return parseMessage(value).text(1);
}

/** SecondaryIndex of which there is one for each value, with the time it was written and an ID: our additions. */
interface IndexClaim {
  readonly primaryKey: string;
  /** 1970 in records of earlier versions. */
  readonly claimedAt: Date;
}

/** @param id distinguishes it from others of the same millisecond. */
export function encodeClaim({ primaryKey, claimedAt }: IndexClaim, id: string): Buffer {
  return new ProtoWriter().string(1, primaryKey).timestamp(100, timestampOf(claimedAt)).string(101, id).finish();
}

export function decodeClaim(value: Buffer): IndexClaim {
  const fields = parseMessage(value);
  return { primaryKey: fields.text(1), claimedAt: timeOf(fields.bytes(100)) };
}

function encodeStatement({ effect, action, resource, condition }: Statement): Buffer {
  const writer = new ProtoWriter().string(1, effect);
  for (const pattern of action) writer.message(2, Buffer.from(pattern, 'utf8'));
  writer.string(3, resource);
  for (const [operator, fields] of sorted(condition ?? {})) writer.message(4, mapEntry(operator, encodeOperator(fields)));
  return writer.finish();
}

function encodeOperator(fields: Readonly<Record<string, readonly string[]>>): Buffer {
  const writer = new ProtoWriter();
  for (const [field, values] of sorted(fields)) {
    const list = new ProtoWriter();
    for (const value of values) list.message(1, Buffer.from(value, 'utf8'));
    writer.message(1, mapEntry(field, list.finish()));
  }
  return writer.finish();
}

function decodeStatement(value: Buffer): Statement {
  const fields = parseMessage(value);
  const condition: Conditions = Object.fromEntries(
    fields.all(4).map(entry => {
      const { text, bytes } = parseMessage(entry);
      return [text(1), decodeOperator(bytes(2))];
    }),
  );
  return {
    effect: fields.text(1) === 'allow' ? 'allow' : 'deny',
    action: fields.all(2).map(pattern => pattern.toString('utf8')),
    resource: fields.text(3),
    ...(Object.keys(condition).length > 0 ? { condition } : {}),
  };
}

function decodeOperator(value: Buffer): Record<string, readonly string[]> {
  return Object.fromEntries(
    parseMessage(value)
      .all(1)
      .map(entry => {
        const { text, bytes } = parseMessage(entry);
        return [
          text(1),
          parseMessage(bytes(2))
            .all(1)
            .map(item => item.toString('utf8')),
        ];
      }),
  );
}

/** A map is a list of messages with key 1 and value 2. */
function mapEntry(key: string, value: Buffer): Buffer {
  return new ProtoWriter().string(1, key).message(2, value).finish();
}

/** Byte order of the keys, so that equal policies have equal bytes. */
function sorted<T>(map: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(map).sort(([a], [b]) => compareBytes(a, b));
}

const what = 'a stored record of the auth partition';

function parseMessage(value: Buffer): ProtoMessage {
  return readMessage(value, what);
}

function timeOf(value: Buffer): Date {
  return dateOf(readTimestamp(value, what));
}
