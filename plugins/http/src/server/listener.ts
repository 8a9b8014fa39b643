/** The node server: TLS, limits, and the raw hook that sees each request first. */
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { readFileSync } from 'node:fs';
import { SrvError, messageOf } from '@srv/kernel';
import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { RawRequest } from '@srv/kernel';
import type { ListenAddress } from '../listen-address.js';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Milliseconds and bytes. Bodies have no time limit here: uploads may take hours; routes with small bodies set their own. */
const limits: ServerOptions = {
  headersTimeout: 60_000,
  requestTimeout: 0,
  // Longer than the idle limit of common load balancers (60 s), so that they close first.
  keepAliveTimeout: 75_000,
  // URLs carry object paths and lists of them.
  maxHeaderSize: 256 * 1024,
};

/** @throws SrvError `config` when a file of `tls` cannot be read or is no key pair. */
export function createListener(tls?: TlsFiles): Server {
  if (!tls) return createServer(limits);
  try {
    return createTlsServer({ ...limits, cert: readPem(tls.certFile, 'tls.cert_file'), key: readPem(tls.keyFile, 'tls.key_file') });
  } catch (error) {
    if (error instanceof SrvError) throw error;
    throw new SrvError(
      'config',
      `tls.cert_file ${tls.certFile} and tls.key_file ${tls.keyFile} do not make a key pair: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

function readPem(file: string, key: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new SrvError('config', `${key}: cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Puts `claim` in front of the listeners the framework has installed. A claimed request with `Expect: 100-continue` has
 * not been answered with 100 yet: who claims it calls `response.writeContinue()` when it wants the body.
 */
export function interceptRequests(listener: Server, claim: (raw: RawRequest) => boolean): void {
  for (const event of ['request', 'checkContinue'] as const) {
    const handlers = listener.listeners(event) as RequestListener[];
    listener.removeAllListeners(event);
    listener.on(event, (request, response) => {
      if (claim({ request, response })) return;
      for (const handler of handlers) handler(request, response);
    });
  }
}

const listenErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use; stop the program that listens there or choose another address',
  EACCES: 'needs more rights than this program has; choose a port above 1023',
  EADDRNOTAVAIL: 'is no address of this machine; choose one of its own or 0.0.0.0',
  ENOTFOUND: 'names no host that can be found; choose an address of this machine or 0.0.0.0',
};

/** @throws SrvError `config` that names the address when it cannot be opened. */
export async function listen(listener: Server, address: ListenAddress, shown: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      const reason = listenErrors[error.code ?? ''] ?? `cannot be opened: ${error.message}`;
      reject(new SrvError('config', `listen_address: ${shown} ${reason}`, { cause: error }));
    };
    listener.once('error', failed);
    listener.listen(address, () => {
      listener.removeListener('error', failed);
      resolve();
    });
  });
}
