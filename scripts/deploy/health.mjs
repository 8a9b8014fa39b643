// Whether the server in this container answers. Ends with 0 or 1.
import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';

const { SRV_LISTEN_ADDRESS: address = '0.0.0.0:8000', SRV_TLS_ENABLED: tls = 'false' } = process.env;
const port = address.slice(address.lastIndexOf(':') + 1);
const isSecure = ['true', '1', 't'].includes(tls.toLowerCase());
const get = isSecure ? getSecure : getPlain;
// The certificate is for the name that clients use, not for this address.
const options = { timeout: 4000, ...(isSecure ? { rejectUnauthorized: false } : {}) };

const request = get(`${isSecure ? 'https' : 'http'}://127.0.0.1:${port}/_health`, options, response => {
  response.resume();
  process.exitCode = response.statusCode === 200 ? 0 : 1;
});
request.on('timeout', () => request.destroy(new Error('timeout')));
request.on('error', error => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
