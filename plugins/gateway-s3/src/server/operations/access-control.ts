/**
 * The access control list of everything: private to its owner. Rights are given by policies, not by lists; a list that
 * says what is so anyway is accepted, because clients copy lists along with objects.
 */
import { S3Error } from '../protocol/errors.js';
import { childText, childrenOf, readXml, xmlText } from '../protocol/xml-reader.js';
import { element, s3Namespace } from '../protocol/xml-writer.js';
import { ownerElement, ownerFields, ownerId } from './owner.js';
import type { Identity } from '@srv/kernel';
import type { XmlElement } from '../protocol/xml-writer.js';
import type { ServiceContext } from './context.js';

const schemaInstance = { 'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance', 'xsi:type': 'CanonicalUser' };
const permission = 'FULL_CONTROL';
/** Canned lists that grant access to the owner only. */
const ownersOnly = ['private', 'bucket-owner-full-control', 'bucket-owner-read'];
/** Bytes of a list. */
const maxBody = 64 * 1024;

export function accessControlPolicy(identity: Pick<Identity, 'installationId'>): XmlElement {
  const grantee = element('Grantee', ownerFields(identity), schemaInstance);
  return element(
    'AccessControlPolicy',
    [ownerElement(identity), element('AccessControlList', element('Grant', [grantee, element('Permission', permission)]))],
    { xmlns: s3Namespace },
  );
}

/** Answers a request to set a list. @throws S3Error `ERRLakeFSNotSupported` when it would change anything. */
export async function acceptSameList({ headers, identity, answer, payload }: ServiceContext): Promise<void> {
  const canned = headers.text('x-amz-acl');
  const granted = headers.names().some(name => name.startsWith('x-amz-grant-'));
  const body = granted ? '' : xmlText(await payload().whole(maxBody));
  const same = canned === undefined ? body !== '' && grantsOwnerOnly(body, ownerId(identity)) : ownersOnly.includes(canned) && body === '';
  if (granted || !same) throw new S3Error('ERRLakeFSNotSupported');
  await answer.empty(200);
}

function grantsOwnerOnly(body: string, id: string): boolean {
  const grants = childrenOf(readXml(body, 'AccessControlPolicy'), 'AccessControlList').flatMap(list => childrenOf(list, 'Grant'));
  const isOwners = (grant: (typeof grants)[number]): boolean =>
    childText(grant, 'Permission')?.trim() === permission && childrenOf(grant, 'Grantee').some(g => childText(g, 'ID')?.trim() === id);
  return grants.length > 0 && grants.every(isOwners);
}
