/** Everything has one owner: the installation. Clients ask, and compare what they get in different places. */
import { createHash } from 'node:crypto';
import { element } from '../protocol/xml-writer.js';
import type { Identity } from '@srv/kernel';
import type { XmlElement } from '../protocol/xml-writer.js';

type Installation = Pick<Identity, 'installationId'>;

/** 64 hexadecimal digits, as canonical user ids have. */
export function ownerId({ installationId = 'srv' }: Installation): string {
  return createHash('sha256').update(installationId).digest('hex');
}

export function ownerFields(installation: Installation): XmlElement[] {
  return [element('DisplayName', 'srv'), element('ID', ownerId(installation))];
}

export function ownerElement(installation: Installation, name = 'Owner'): XmlElement {
  return element(name, ownerFields(installation));
}
