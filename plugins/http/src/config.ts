/** Keys of the listener. */
import { Networks, defineConfig, key, messageOf } from '@srv/kernel';
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
    'tls.hsts_max_age': key.duration({
      default: '0s',
      meaning:
        'How long browsers that came by HTTPS may use nothing else (`Strict-Transport-Security`), such as `8760h`; 0 sends no such header',
    }),
    'http.trusted_proxies': key.list({
      default: [],
      meaning:
        'Addresses and networks (`10.0.0.0/8`) of the proxies in front of the server: only their `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Real-IP` count',
    }),
  },
  check: ({ listen_address: address, 'http.trusted_proxies': proxies }) => [
    ...(parseListenAddress(String(address))
      ? []
      : [`listen_address: ${JSON.stringify(address)} is not allowed; allowed: <host>:<port> with a port from 0 to 65535`]),
    ...networksProblem(proxies),
  ],
});

function networksProblem(networks: unknown): string[] {
  try {
    new Networks(networks as readonly string[]);
    return [];
  } catch (error) {
    return [`http.trusted_proxies: ${messageOf(error)}; write addresses and networks, such as 10.0.0.0/8, 192.0.2.7 or fd00::/8`];
  }
}
