/** Keys of the listener. */
import { defineConfig, key } from '@srv/kernel';
import { parseListenAddress } from './listen-address.js';

const withTls = { required: (config: { get(key: string): unknown }) => config.get('tls.enabled') === true };

export default defineConfig({
  plugin: 'http',
  keys: {
    listen_address: key.text({
      type: 'string `<host>:<port>`',
      default: '0.0.0.0:8000',
      meaning: 'Address to listen on; port 0 takes any free port',
    }),
    'tls.enabled': key.bool({ default: false, meaning: 'Serve HTTPS on listen_address' }),
    'tls.cert_file': key.text({ ...withTls, meaning: 'Server certificate file (PEM)' }),
    'tls.key_file': key.text({ ...withTls, meaning: 'Private key file of the certificate (PEM)' }),
  },
  check: ({ listen_address: address }) =>
    parseListenAddress(String(address))
      ? []
      : [`listen_address: ${JSON.stringify(address)} is not allowed; allowed: <host>:<port> with a port from 0 to 65535`],
});
