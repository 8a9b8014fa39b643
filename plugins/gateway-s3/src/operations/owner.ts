/** Everything has one owner: the installation. Clients ask, and compare what they get in different places. */
import { createHash } from 'node:crypto';
import { element } from '../protocol/xml-writer.js';
import type { AuthService } from '@srv/auth/contract';
import type { XmlElement } from '../protocol/xml-writer.js';

type Installation = Pick<AuthService, 'installationId'>;

/** 64 hexadecimal digits, as canonical user ids have. */
export function ownerId({ installationId }: Installation): string {
  return createHash('sha256').update(installationId).digest('hex');
}

export function ownerFields(installation: Installation): XmlElement[] {
  return [element('DisplayName', 'srv'), element('ID', ownerId(installation))];
}

export function ownerElement(installation: Installation, name = 'Owner'): XmlElement {
  return element(name, ownerFields(installation));
}
