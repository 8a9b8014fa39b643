/** A thread that checks one response. XML signatures can be made to cost seconds; the thread is ended then. */
import { workerData } from 'node:worker_threads';
import { messageOf } from '@srv/kernel/errors';
import { postLast } from '@srv/kernel/threads';
import { fixedOptions } from '../node-saml.js';
import { readAssertion } from './assertion.js';
import type { NodeSaml } from '../node-saml.js';
import type { ThreadAnswer, ThreadRequest } from './request.js';

postLast(await check(workerData as ThreadRequest));

async function check({ module, trust, document }: ThreadRequest): Promise<ThreadAnswer> {
  try {
    const { SAML } = (await import(module)) as NodeSaml;
    const saml = new SAML({
      ...fixedOptions,
      callbackUrl: trust.acsUrl,
      issuer: trust.entityId,
      audience: trust.entityId,
      idpCert: trust.certificates,
      entryPoint: trust.entryPoint,
      acceptedClockSkewMs: trust.clockSkew,
    });
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: Buffer.from(document, 'utf8').toString('base64') });
    if (!profile?.getAssertion) return { refused: 'the response has no assertion' };
    return { assertion: readAssertion(profile.getAssertion(), trust, Date.now()) };
  } catch (error) {
    return { refused: messageOf(error) };
  }
}
