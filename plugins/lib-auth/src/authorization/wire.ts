/** What travels between a server and its authorization service. Field names are a contract, of both spellings. */

import { SrvError } from '@srv/kernel';
import Joi from 'joi';
import { aclStatements } from '../index.js';
import type { User } from '@srv/kernel';
import type { AclPermission, OwnedKey, Policy, Statement } from '../index.js';

export interface WireUser {
  readonly username: string;
  /** Unix seconds, as everywhere. */
  readonly creation_date: number;
  readonly friendly_name?: string | undefined;
  readonly email?: string | undefined;
  readonly source?: string | undefined;
  /** Base64 of a bcrypt hash. */
  readonly encryptedPassword?: string | undefined;
  readonly external_id?: string | undefined;
  /** False: nothing authenticates the user. Absent, as of services that deactivate none: active. */
  readonly active?: boolean | undefined;
}

export interface WireGroup {
  readonly id?: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly creation_date: number;
}

export interface WirePolicy {
  readonly name: string;
  readonly creation_date?: number;
  readonly statement: readonly Statement[];
  readonly acl?: string | undefined;
}

export interface WireCredential {
  readonly access_key_id: string;
  readonly creation_date: number;
}

export interface WireCredentialWithSecret extends WireCredential {
  readonly secret_access_key: string;
  readonly user_name: string;
}

export interface WirePrincipal {
  readonly id: string;
  readonly user_id: string;
}

export interface WirePage<T> {
  readonly pagination: { readonly has_more: boolean; readonly next_offset: string };
  readonly results: readonly T[];
}

/** A user with what only services know of it. */
export interface WireAccount extends User {
  readonly source: string;
  readonly externalId: string;
  readonly encryptedPassword: string;
}

const text = Joi.string().allow('');
const maybe = text.allow(null).empty(null);
const time = Joi.number();
const open = <T>(fields: Joi.SchemaMap<T>) => Joi.object<T>(fields).unknown(true).required();

export const wireUser = open<WireUser>({
  username: Joi.string().required(),
  creation_date: time.required(),
  friendly_name: maybe,
  email: maybe,
  source: maybe,
  encryptedPassword: maybe,
  external_id: maybe,
  active: Joi.boolean().allow(null).empty(null),
});
export const wireGroup = open<WireGroup>({ id: maybe, name: Joi.string().required(), description: maybe, creation_date: time.required() });
const wireStatement = open<Statement>({
  effect: Joi.string().valid('allow', 'deny').required(),
  action: Joi.array().items(Joi.string()).required(),
  resource: text.required(),
  condition: Joi.object()
    .pattern(Joi.string(), Joi.object().pattern(Joi.string(), Joi.array().items(text)))
    .allow(null)
    .empty(null),
});
export const wirePolicy = open<WirePolicy>({
  name: Joi.string().required(),
  creation_date: time,
  statement: Joi.array().items(wireStatement.optional()).required(),
  acl: maybe,
});
export const wireCredential = open<WireCredential>({ access_key_id: Joi.string().required(), creation_date: time.required() });
export const wireCredentialWithSecret = open<WireCredentialWithSecret>({
  access_key_id: Joi.string().required(),
  secret_access_key: Joi.string().required(),
  creation_date: time.required(),
  user_name: Joi.string().required(),
});
export const wirePrincipal = open<WirePrincipal>({ id: Joi.string().required(), user_id: Joi.string().required() });

export function wirePage<T>(item: Joi.ObjectSchema<T>): Joi.ObjectSchema<WirePage<T>> {
  const pagination = open<WirePage<T>['pagination']>({ has_more: Joi.boolean().required(), next_offset: text.default('') });
  return open<WirePage<T>>({ pagination, results: Joi.array().items(item.optional()).required() });
}

/** @throws SrvError `invalid` that says what is wrong and with what. @param what such as `the request`. */
export function readWire<T>(schema: Joi.ObjectSchema<T>, value: unknown, what: string): T {
  const { error, value: read } = schema.validate(value, { convert: false });
  if (error) throw new SrvError('invalid', `${what}: ${error.message}`);
  return read as T;
}

const dateOf = (seconds: number): Date => new Date(Math.max(0, seconds) * 1000);
export const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000);

export function encodeUser(account: WireAccount): WireUser {
  const { username, createdAt, friendlyName, email, source, externalId, encryptedPassword, inactive } = account;
  return {
    username,
    creation_date: secondsOf(createdAt),
    friendly_name: friendlyName || undefined,
    email: email || undefined,
    source: source || undefined,
    encryptedPassword: encryptedPassword ? Buffer.from(encryptedPassword, 'utf8').toString('base64') : undefined,
    external_id: externalId || undefined,
    ...(inactive === true ? { active: false } : {}),
  };
}

export function decodeUser(user: WireUser): WireAccount {
  const { username, friendly_name: friendlyName, email, source = '', external_id: externalId = '', encryptedPassword = '' } = user;
  return {
    username,
    createdAt: dateOf(user.creation_date),
    friendlyName: friendlyName || undefined,
    email: email || undefined,
    source,
    externalId,
    encryptedPassword: Buffer.from(encryptedPassword, 'base64').toString('utf8'),
    ...(user.active === false ? { inactive: true } : {}),
  };
}

/** Without what others must not see. */
export function plainUser({ username, createdAt, friendlyName, email, inactive }: WireAccount): User {
  return { username, createdAt, friendlyName, email, ...(inactive === true ? { inactive } : {}) };
}

export interface GroupFacts {
  readonly id: string;
  readonly description?: string | undefined;
  readonly createdAt: Date;
}

export function encodeGroup({ id, description, createdAt }: GroupFacts): WireGroup {
  return { id, name: id, creation_date: secondsOf(createdAt), description };
}

/** A group is addressed by its ID, where it has one of its own. */
export function decodeGroup({ id, name, description, creation_date: created }: WireGroup): GroupFacts {
  return { id: id || name, createdAt: dateOf(created), ...(description ? { description } : {}) };
}

export function encodePolicy({ id, createdAt, statement, acl }: Policy): WirePolicy {
  return { name: id, creation_date: secondsOf(createdAt), statement, acl };
}

export function decodePolicy({ name, creation_date: created = 0, statement, acl }: WirePolicy): Policy {
  const permission = (Object.keys(aclStatements) as AclPermission[]).find(known => known === acl);
  const read = statement.map(({ effect, action, resource, condition }) => ({
    effect,
    action,
    resource,
    ...(condition && Object.keys(condition).length > 0 ? { condition } : {}),
  }));
  return { id: name, createdAt: dateOf(created), statement: read, acl: permission };
}

export function decodeCredential({ access_key_id: accessKeyId, creation_date: created }: WireCredential) {
  return { accessKeyId, createdAt: dateOf(created) };
}

export function encodeKey(
  { accessKeyId, secretAccessKey, username }: OwnedKey,
  createdAt: Date,
): WireCredentialWithSecret & { user_id: number } {
  // The number predates names and is not read.
  return {
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    creation_date: secondsOf(createdAt),
    user_name: username,
    user_id: 0,
  };
}

export function decodeKey(key: WireCredentialWithSecret) {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, user_name: username } = key;
  return { accessKeyId, secretAccessKey, username, createdAt: dateOf(key.creation_date) };
}
