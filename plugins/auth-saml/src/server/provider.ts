/** The SAML provider: requests to it, and its responses. */
import { Worker } from 'node:worker_threads';
import { SrvError, messageOf } from '@srv/kernel';
import { Turns } from '@srv/lib-api/turns';
import { fixedOptions } from '../node-saml.js';
import { readDocument, refused } from './document.js';
import { installedModule } from './installed.js';
import type { NodeSaml } from '../node-saml.js';
import type { Assertion, ThreadAnswer, ThreadRequest, TrustSettings } from '../thread/request.js';

/** Milliseconds for one response; an honest one takes a fifth of a second. */
const timeLimit = 5000;
const memoryMb = 128;
/** Responses that are checked at the same time. */
const concurrency = 2;
/** Responses that wait for that. */
const mostWaiting = 50;

export class Provider {
  readonly #trust: TrustSettings;
  readonly #installedIn: string | undefined;
  readonly #turns = new Turns(concurrency);

  constructor(trust: TrustSettings, installedIn: string | undefined) {
    this.#trust = trust;
    this.#installedIn = installedIn;
  }

  /** Where the browser goes. @param id of the request, which the assertion must name. @throws SrvError `unsupported`. */
  async begin(id: string): Promise<string> {
    return (await this.#saml(() => id)).getAuthorizeUrlAsync('', undefined, {});
  }

  /** What the provider is configured with. @throws SrvError `unsupported`. */
  async metadata(): Promise<string> {
    return (await this.#saml()).generateServiceProviderMetadata(null, null);
  }

  /**
   * @param encoded the form field `SAMLResponse`.
   * @throws SrvError `unauthenticated` with the reason as its cause, `slow_down`, `unsupported`.
   */
  async read(encoded: unknown): Promise<Assertion> {
    const document = readDocument(encoded);
    const module = installedModule(this.#installedIn);
    if (this.#turns.waiting >= mostWaiting) throw new SrvError('slow_down', 'too many logins at the same time; try again');
    const release = await this.#turns.acquire();
    try {
      const answer = await inThread({ module, trust: this.#trust, document });
      if ('refused' in answer) throw refused(answer.refused);
      return answer.assertion;
    } finally {
      release();
    }
  }

  async #saml(generateUniqueId?: () => string) {
    const { SAML } = (await import(installedModule(this.#installedIn))) as NodeSaml;
    const { acsUrl, entityId, certificates, entryPoint, clockSkew } = this.#trust;
    return new SAML({
      ...fixedOptions,
      callbackUrl: acsUrl,
      issuer: entityId,
      audience: entityId,
      idpCert: certificates,
      entryPoint,
      acceptedClockSkewMs: clockSkew,
      ...(generateUniqueId ? { generateUniqueId } : {}),
    });
  }
}

async function inThread(request: ThreadRequest): Promise<ThreadAnswer> {
  const worker = new Worker(new URL('../thread/main.js', import.meta.url), {
    workerData: request,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<ThreadAnswer>(resolve => {
      const refuse = (reason: string): void => resolve({ refused: reason });
      worker.once('message', resolve);
      worker.once('error', error => refuse(messageOf(error)));
      worker.once('exit', code => refuse(`the thread ended with ${code}`));
      timer = setTimeout(() => refuse(`its signature was not checked within ${timeLimit} ms`), timeLimit);
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
