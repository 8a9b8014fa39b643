/** The node server: HTTP/1.1 in the clear; over TLS also HTTP/2, which clients choose as they connect. */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { SrvError, messageOf } from '@srv/kernel';
import type { Server as HttpServer, ServerOptions } from 'node:http';
import type { Http2SecureServer, SecureServerOptions } from 'node:http2';
import type { ListenAddress } from '../listen-address.js';

/** Also closes idle connections of HTTP/1.1, which its type does not say. */
type SecureServer = Http2SecureServer & Pick<HttpServer, 'closeIdleConnections'>;

export type Listener = HttpServer | SecureServer;

interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** As PEM. */
interface KeyPair extends TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Headers of one request. */
export const maxHeaders = 2000;

/** Milliseconds and bytes. Bodies have no time limit here: uploads may take hours; routes with small bodies set their own. */
const limits = {
  headersTimeout: 60_000,
  requestTimeout: 0,
  // Longer than the idle limit of common load balancers (60 s), so that they close first.
  keepAliveTimeout: 75_000,
  // URLs carry object paths and lists of them.
  maxHeaderSize: 256 * 1024,
  // Checked where a dropped header is not taken for one that was not sent.
  requireHostHeader: false,
} satisfies ServerOptions;

/** The runtime takes no more than 64 KiB of headers here; clients that learn the limit send a shorter request. */
const http2Limits: SecureServerOptions = {
  allowHTTP1: true,
  settings: { maxConcurrentStreams: 250, maxHeaderListSize: 64 * 1024 },
};

/** @throws SrvError `config` when a file cannot be read. */
export function readKeyPair({ certFile, keyFile }: TlsFiles): KeyPair {
  return { certFile, keyFile, cert: readPem(certFile, 'tls.cert_file'), key: readPem(keyFile, 'tls.key_file') };
}

/** @throws SrvError `config` when what `tls` names is not a key pair. */
export function createListener(tls?: KeyPair): Listener {
  // The runtime drops what is beyond its limit in silence: one more than are taken shows that there were too many.
  const count = { maxHeadersCount: maxHeaders + 1 };
  if (!tls) return Object.assign(createServer(limits), count);
  try {
    const { cert, key } = tls;
    // Connections that stay with HTTP/1.1 take their limits from members of the server rather than from its options.
    return Object.assign(createSecureServer({ ...http2Limits, cert, key }) as SecureServer, limits, count);
  } catch (error) {
    throw new SrvError(
      'config',
      `tls.cert_file ${tls.certFile} and tls.key_file ${tls.keyFile} do not make a key pair: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

function readPem(file: string, key: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new SrvError('config', `${key}: cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}

const listenErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use; stop the program that listens there or choose another address',
  EACCES: 'needs more rights than this program has; choose a port above 1023',
  EADDRNOTAVAIL: 'is not an address of this machine; choose one of its own or 0.0.0.0',
  ENOTFOUND: 'names no host that can be found; choose an address of this machine or 0.0.0.0',
};

/** @throws SrvError `config` that names the address when it cannot be opened. */
export async function listen(listener: Listener, address: ListenAddress, shown: string): Promise<void> {
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
